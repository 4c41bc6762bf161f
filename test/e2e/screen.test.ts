import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { until } from "#test/built/processes";
import { openShell } from "#test/built/terminal";
import { SESSION_MODES } from "#ui/screen/screen";

const PROGRAM = fileURLToPath(new URL("../support/built/session-program.ts", import.meta.url));
const READY = /┌─+┐\s*│ > /;

/** A shell with the program, and the terminal's modes before it. */
async function openSession(shell?: "/bin/bash") {
  const env = { PATH: process.env.PATH ?? "", TERM: "xterm-256color", NODE_NO_WARNINGS: "1" };
  const opened = await openShell({ columns: 60, rows: 20, env, cwd: "/", ...(shell ? { shell } : {}) });
  const cooked = (await opened.run("stty -g")).shown;
  opened.enter(`${process.execPath} ${PROGRAM}`);
  await opened.shows(READY);
  const pid = Number(execFileSync("pgrep", ["-P", String(opened.pid)], { encoding: "utf8" }));
  const offs = () => opened.bytes().split(SESSION_MODES.off).length - 1;
  return { shell: opened, cooked, offs, pid };
}

for (const [name, exit, says, end] of [
  ["SIGTERM", 143, "", (pid: number) => process.kill(pid, "SIGTERM")],
  ["SIGHUP", 129, "", (pid: number) => process.kill(pid, "SIGHUP")],
  ["an error that is thrown", 1, "✗ It was thrown.", "!"],
  ["a promise that is rejected", 1, "✗ It was rejected.", "?"],
  ["its own end", 0, "", "q"],
] as const) {
  test(`U02 ${name} restores the terminal, with nothing of the session on it`, async () => {
    const { shell, cooked, offs, pid } = await openSession();
    if (typeof end === "string") shell.type(end);
    else end(pid);
    expect(await shell.exit()).toBe(exit);
    expect([shell.text(), offs(), shell.isCursorVisible()]).toEqual([says, 1, true]);
    expect((await shell.run("stty -g")).shown).toBe(cooked);
  });
}

test("U03 after a stop and a continue from outside, keys are read raw again and the frame is drawn", async () => {
  const { shell, cooked, offs, pid } = await openSession("/bin/bash");
  shell.type("abc");
  await shell.shows(/> abc/);
  process.kill(pid, "SIGSTOP");
  await shell.shows(/Stopped/);
  shell.type("fg\r");
  await shell.shows(/Stopped[\s\S]*┌─+┐\s*│ > abc/);
  shell.type("d\r");
  await shell.shows(/sent: abcd/);
  shell.type("q");
  await until(() => offs() === 1, "The modes were never switched off.");
  shell.enter("stty -g");
  await shell.shows(new RegExp(cooked));
});

test("U03 Ctrl+Z stops it with the terminal restored, and fg continues it", async () => {
  const { shell, cooked, offs } = await openSession("/bin/bash");
  shell.type("abc");
  await shell.shows(/> abc/);
  shell.type("\x1a");
  await shell.shows(/Stopped/);
  expect([shell.screen().filter((row) => row.startsWith("┌")), offs(), shell.isCursorVisible()]).toEqual([[], 1, true]);
  shell.type("fg\r");
  await shell.shows(/Stopped[\s\S]*┌─+┐\s*│ > abc/);
  shell.type("d\r");
  await shell.shows(/sent: abcd/);
  shell.type("q");
  await until(() => offs() === 2, "The modes were never switched off.");
  shell.enter("stty -g");
  await shell.shows(new RegExp(cooked));
});

for (const name of ["/bin/bash", undefined] as const) {
  test(`after kill -9 the terminal is restored, in ${name ?? "a plain shell"}`, async () => {
    const { shell, cooked, offs, pid } = await openSession(name);
    process.kill(pid, "SIGKILL");
    await shell.shows(/exit=137/);
    await until(() => offs() > 0, "The modes were never switched off.");
    expect([offs(), shell.isCursorVisible()]).toEqual([1, true]);
    // The mode changes after the output, and only then does Enter end a line. It is shown over the rest of the frame.
    await new Promise((resolve) => setTimeout(resolve, 500));
    shell.enter("stty -g");
    await shell.shows(new RegExp(cooked));
  });
}

test("the watchdog of the terminal ends with the session", async () => {
  const { shell, pid } = await openSession();
  const watchers = () =>
    execFileSync("ps", ["-eo", "ppid,args"], { encoding: "utf8" }).match(new RegExp(`^ *${pid} /bin/sh -c`, "gm"));
  expect(watchers()).toHaveLength(1);
  shell.type("q");
  expect(await shell.exit()).toBe(0);
  expect([watchers(), shell.bytes().split(SESSION_MODES.off).length - 1]).toEqual([null, 1]);
});

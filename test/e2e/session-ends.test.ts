import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "#test/built/processes";
import { type SessionShell, useSessions } from "#test/built/sessions";
import { SESSION_MODES } from "#ui/screen/screen";

const { model, home, open } = useSessions();

const WAY_BACK = /^(?:Come back with )?`kay ask --resume [0-9a-f]{6}`\.$/m;

/** A session with history, a running answer, and a draft. */
async function openBusySession(shell?: "/bin/bash"): Promise<SessionShell> {
  const session = await open(shell ? { shell } : {});
  model.script({ text: ["Hello.\n\n", "never"], meanwhile: new Promise(() => {}) });
  session.type("hi\r");
  await session.sees(/Hello\./);
  session.type("a draft");
  await session.sees(/> a draft/);
  return session;
}

/** Checks that the terminal is restored: no frame, cursor visible, cooked mode, every mode off, once. */
async function expectSane(session: SessionShell): Promise<void> {
  expect(session.text()).not.toMatch(/─{10}|● jira|a draft/);
  await expectModes(session);
}

async function expectModes(session: SessionShell): Promise<void> {
  expect([session.bytes().split(SESSION_MODES.off).length - 1, session.isCursorVisible()]).toEqual([1, true]);
  expect(session.modes()).toEqual({ bracketedPaste: false, focus: false, wraps: true, alternate: false });
  const { shown } = await session.run("stty -g");
  // A process that was killed leaves the cursor in the middle of a line.
  expect(shown.replace(/\s/g, "").endsWith(session.cooked), shown).toBe(true);
}

test.for([
  ["Ctrl+D", 0, ["\x15", "\x04"]],
  ["/quit", 0, ["\x15", "/quit\r"]],
] as const)("%s leaves with how to resume, and restores the terminal", async ([, exit, keys]) => {
  const session = await openBusySession();
  for (const key of keys) {
    session.type(key);
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  expect(await session.exit()).toBe(exit);
  expect(session.text()).toMatch(WAY_BACK);
  await expectSane(session);
});

test("Ctrl+C clears the line, then cancels the turn, then says that it leaves, then leaves", async () => {
  const session = await openBusySession();
  session.type("\x03");
  await session.sees((screen) => !screen.includes("a draft"));
  session.type("\x03");
  await session.sees(/✗ .*canceled/);
  await session.sees((screen) => !/esc to stop|cancelling/.test(screen));
  session.type("\x03");
  await session.sees(/Press Ctrl\+C again to exit\./);
  session.type("\x03");
  expect(await session.exit()).toBe(0);
  expect(session.text()).toMatch(WAY_BACK);
  await expectSane(session);
});

test.for([
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)(
  "U02 %s in the middle of an answer: exit %i, the terminal restored, and how to resume",
  async ([signal, exit]) => {
    const session = await openBusySession();
    process.kill(session.kay, signal);
    expect(await session.exit()).toBe(exit);
    expect(session.text()).toMatch(/Hello\./);
    expect(session.text()).toMatch(WAY_BACK);
    await expectSane(session);
  },
);

test.for([
  ["an error that nothing caught", "throw new Error('It broke.')"],
  ["a rejection that nothing caught", "Promise.reject(new Error('It broke.'))"],
] as const)(
  "U02 %s in the middle of an answer: exit 1, the terminal restored, then the message",
  async ([, breaks]) => {
    const file = join(home().folder, "breaks.mjs");
    writeFileSync(file, `process.on("SIGUSR2", () => { ${breaks} });`);
    const session = await open({ env: { NODE_OPTIONS: `--import=${file}` } });
    model.script({ text: ["Hello.\n\n", "never"], meanwhile: new Promise(() => {}) });
    session.type("hi\r");
    await session.sees(/Hello\./);
    session.type("a draft");
    await session.sees(/> a draft/);
    process.kill(session.kay, "SIGUSR2");
    expect(await session.exit()).toBe(1);
    expect(session.text()).toMatch(/It broke\./);
    expect(session.bytes().indexOf(SESSION_MODES.off)).toBeLessThan(session.bytes().indexOf("It broke."));
    await expectSane(session);
  },
);

test("kill -9 in the middle of an answer restores the terminal", async () => {
  const session = await openBusySession();
  process.kill(session.kay, "SIGKILL");
  await session.shows(/exit=137/);
  await until(() => session.bytes().includes(SESSION_MODES.off), "The modes were never switched off.");
  // The line is cooked again a moment after that output.
  await new Promise((resolve) => setTimeout(resolve, 500));
  // If the shell was faster, it has overwritten a row of the frame, which is then above the cursor; the rest below is
  // erased.
  const rows = session.text().split("\n");
  expect(rows.filter((row) => row.includes("● jira") && !row.startsWith("exit=137"))).toEqual([]);
  session.type("\r");
  await expectModes(session);
});

test("U03 a stop and a continue from outside: keys are read raw again, the frame is drawn, and sent text is whole", async () => {
  const session = await open({ shell: "/bin/bash" });
  session.type("abc");
  await session.sees(/> abc/);
  process.kill(session.kay, "SIGSTOP");
  await session.shows(/Stopped/);
  session.type("fg\r");
  await session.sees(/Stopped[\s\S]*─{80}\n> abc/);
  model.script({ text: "Good." });
  session.type("d\r");
  await session.sees(/Good\./);
  expect(model.said().at(-1)).toBe("abcd");
  session.type("\x04");
  await session.shows(WAY_BACK);
});

test("U03 Ctrl+Z stops it with the terminal restored, and fg continues it", async () => {
  const session = await open({ shell: "/bin/bash" });
  session.type("abc");
  await session.sees(/> abc/);
  session.type("\x1a");
  await session.shows(/Stopped/);
  expect([session.screen().filter((row) => row.startsWith("────")), session.isCursorVisible()]).toEqual([[], true]);
  // The shell itself switches bracketed paste on again while a line is typed.
  expect([session.bytes().split(SESSION_MODES.off).length - 1, session.modes().focus]).toEqual([1, false]);
  session.type("fg\r");
  await session.sees(/Stopped[\s\S]*─{80}\n> abc/);
  expect(session.modes()).toMatchObject({ bracketedPaste: true, focus: true });
  model.script({ text: "Good." });
  session.type("d\r");
  await session.sees(/Good\./);
  expect(model.said().at(-1)).toBe("abcd");
  session.type("\x04");
  await session.shows(WAY_BACK);
});

test("N25 Ctrl+Z during an answer, and fg, leave one frame on the screen", async () => {
  const session = await openBusySession("/bin/bash");
  session.type("\x1a");
  await session.shows(/Stopped/);
  // The spinner's next frame is due before the process hears that it continues.
  await new Promise((resolve) => setTimeout(resolve, 300));
  session.type("fg\r");
  await session.sees(/Stopped[\s\S]*─{80}\n> a draft/);
  session.type(" goes on");
  await session.sees(/> a draft goes on/);
  expect(session.screen().filter((row) => row.startsWith("────"))).toHaveLength(1);
});

test("Ctrl+Z, bg and fg leave one frame, and the shell has its own modes until then", async () => {
  const session = await openBusySession("/bin/bash");
  session.type("\x1a");
  await session.shows(/Stopped/);
  session.type("bg\r");
  await session.shows(/kay ask &/);
  // The shell reports the second stop with its next prompt.
  await until(() => {
    session.type("\r");
    return /Stopped[\s\S]*kay ask &[\s\S]*Stopped/.test(session.text());
  }, "It was never stopped in the background.");
  expect(session.modes().focus).toBe(false);
  session.type("fg\r");
  await session.sees(/─{80}\n> a draft/);
  session.type(" goes on");
  await session.sees(/> a draft goes on/);
  expect(session.screen().filter((row) => row.startsWith("────"))).toHaveLength(1);
  expect(session.modes()).toMatchObject({ bracketedPaste: true, focus: true });
});

test("a stop that another process requests restores the terminal, and fg continues", async () => {
  const session = await openBusySession("/bin/bash");
  process.kill(session.kay, "SIGTSTP");
  await session.shows(/Stopped/);
  expect([session.bytes().split(SESSION_MODES.off).length - 1, session.isCursorVisible()]).toEqual([1, true]);
  expect([session.screen().filter((row) => row.startsWith("────")), session.modes().focus]).toEqual([[], false]);
  session.type("fg\r");
  await session.sees(/Stopped[\s\S]*─{80}\n> a draft/);
  // The second request works like the first.
  process.kill(session.kay, "SIGTSTP");
  await session.shows(/Stopped[\s\S]*Stopped/);
  session.type("fg\r");
  await session.sees(/Stopped[\s\S]*Stopped[\s\S]*─{80}\n> a draft/);
  expect(session.modes()).toMatchObject({ bracketedPaste: true, focus: true });
});

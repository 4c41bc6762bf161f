import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ProgramEnd } from "#connectors/mcp/programs";
import { createProgramRecord, endLeftovers, PROGRAMS_FILE } from "#host/program-record";
import { createPrograms } from "#host/programs";

const NODE = process.execPath;
/** A program that ignores the end of its input and SIGTERM, and reports when it does. */
const STUBBORN = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("ready")';

const machine = (platform: string = process.platform) => ({
  kill: (pid: number, signal: NodeJS.Signals | 0) => void process.kill(pid, signal),
  platform,
  uid: process.getuid?.(),
  pid: process.pid,
});

function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "kay-programs-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a program; resolves once it has written something, or has ended. */
async function start(programs: ReturnType<typeof createPrograms>, command: string[], folder?: string) {
  let output = "";
  const outputReady = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<ProgramEnd>();
  const hears = {
    output: (chunk: Buffer) => {
      output += chunk.toString();
      outputReady.resolve();
    },
    errors: (chunk: Buffer) => {
      output += chunk.toString();
    },
    onEnd: (reason: ProgramEnd) => ended.resolve(reason),
  };
  const program = programs.start(command, folder === undefined ? {} : { folder }, hears);
  await Promise.race([outputReady.promise, ended.promise]);
  return { program, ended: ended.promise, output: () => output };
}

/** Starts a stubborn program like a backend that is killed before it can end it. */
async function leaveRunning(path: string, platform?: string) {
  const record = createProgramRecord(path, machine(platform));
  const env = { PATH: process.env.PATH };
  const { ended } = await start(createPrograms(env, machine(platform), record), [NODE, "-e", STUBBORN]);
  await record.flush();
  const [{ pid = 0 } = {}] = JSON.parse(readFileSync(path, "utf8")) as { pid?: number }[];
  onTestFinished(() => {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It was ended.
    }
  });
  return { pid, ended };
}

const runs = (pid: number) =>
  existsSync(`/proc/${pid}`) && !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));

test.each(["linux", "darwin"])(
  "B260: programs left by a killed backend are ended by the next one (%s)",
  async (platform) => {
    const path = join(makeFolder(), PROGRAMS_FILE);
    const { pid, ended } = await leaveRunning(path, platform);
    expect(pid).toBeGreaterThan(1);
    const messages: unknown[] = [];
    await endLeftovers(path, machine(platform), (...line) => messages.push(line));
    expect(await ended).toMatchObject({ signal: "SIGKILL" });
    expect(messages).toEqual([["info", "programs.leftovers_ended", { count: 1 }]]);
  },
);

test("B260: a process that only has the ID of a program, or another owner, is not signalled", async () => {
  const path = join(makeFolder(), PROGRAMS_FILE);
  const { pid } = await leaveRunning(path);
  const [entry] = JSON.parse(readFileSync(path, "utf8")) as object[];
  const messages: unknown[] = [];
  const end = () => endLeftovers(path, machine(), (...line) => messages.push(line));
  for (const wrong of [{ started: "another time" }, { owner: 1 }, { pid: 1 }, { pid: -1 }, { pid: process.pid }]) {
    writeFileSync(path, JSON.stringify([{ ...entry, ...wrong }]), { mode: 0o600 });
    await end();
  }
  writeFileSync(path, "not JSON", { mode: 0o600 });
  await end();
  writeFileSync(path, JSON.stringify([entry]));
  chmodSync(path, 0o666);
  await end();
  expect([runs(pid), messages, existsSync(path)]).toEqual([true, [], false]);
});

test("B260: an ended program is no longer in the record", async () => {
  const path = join(makeFolder(), PROGRAMS_FILE);
  const record = createProgramRecord(path, machine());
  const { program } = await start(createPrograms({}, machine(), record), [
    NODE,
    "-e",
    "console.log(1); process.stdin.resume()",
  ]);
  await record.flush();
  expect(JSON.parse(readFileSync(path, "utf8"))).toHaveLength(1);
  await program.end();
  await record.flush();
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual([]);
});

test("B214: all output of a program is read before its end is reported", async () => {
  const script = 'process.stderr.write("x".repeat(60000) + "\\nlast\\n", () => process.exit(3))';
  const { ended, output } = await start(createPrograms({}, machine()), [NODE, "-e", script]);
  expect(await ended).toEqual({ code: 3, signal: null });
  expect(output().slice(-6)).toBe("\nlast\n");
});

test("a missing folder is distinguished from a missing program", async () => {
  const programs = createPrograms({ PATH: process.env.PATH }, machine());
  const [folder, nowhere] = [makeFolder(), join(makeFolder(), "gone")];
  expect(await (await start(programs, [NODE, "-e", ""], nowhere)).ended).toMatchObject({ fault: "ENOTDIR" });
  expect(await (await start(programs, ["no-such-program"], folder)).ended).toMatchObject({ fault: "ENOENT" });
});

/** Creates a local script in place of a Windows program. It logs its arguments and then does `then`. */
function fakeProgram(folder: string, name: string, then: string): void {
  const log = join(folder, `${name}.log`);
  writeFileSync(join(folder, name), `#!/bin/sh\nprintf '%s\\n' "$@" >> '${log}'\n${then}\n`, { mode: 0o755 });
}

test("on Windows a .cmd program starts through the command interpreter, and its whole tree is ended", () => {
  const folder = makeFolder();
  writeFileSync(join(folder, "npx.cmd"), "@echo off\r\n");
  fakeProgram(folder, "interpreter", `exec '${NODE}' -e '${STUBBORN}'`);
  fakeProgram(folder, "taskkill", 'kill -9 "$2"');
  const isWindows = 'Object.defineProperty(process, "platform", { value: "win32" });';
  const work = `
    const { createPrograms } = await import("#host/programs");
    const programs = createPrograms({ PATH: ${JSON.stringify(folder)}, PATHEXT: ".EXE;.CMD" }, process);
    const said = Promise.withResolvers();
    const ended = Promise.withResolvers();
    const hears = { output: said.resolve, errors: said.resolve, onEnd: ended.resolve };
    const program = programs.start(["npx", "-y", "notes & more", "%PATH%"], {}, hears);
    await Promise.race([said.promise, ended.promise]);
    await program.end();
    console.log(JSON.stringify(await ended.promise));`;
  const preload = `data:text/javascript,${encodeURIComponent(isWindows)}`;
  const args = ["--import", preload, "--input-type=module-typescript", "-e", work];
  const env = { PATH: folder, PATHEXT: ".EXE;.CMD", comspec: join(folder, "interpreter") };
  const output = execFileSync(NODE, args, { cwd: join(import.meta.dirname, "../.."), env, encoding: "utf8" });
  expect(JSON.parse(output)).toEqual({ code: null, signal: "SIGKILL" });
  expect(readFileSync(join(folder, "interpreter.log"), "utf8").split("\n")).toEqual([
    "/d",
    "/s",
    "/c",
    '"npx ^"-y^" ^"notes^ ^&^ more^" ^"^%PATH^%^""',
    "",
  ]);
  expect(readFileSync(join(folder, "taskkill.log"), "utf8")).toMatch(/^\/pid\n\d+\n\/t\n\/f\n$/);
});

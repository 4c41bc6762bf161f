import { existsSync } from "node:fs";
import spawn from "cross-spawn";
import type { Program, ProgramEvents, Programs } from "#connectors/mcp/programs";
import type { ProgramRecord } from "./program-record.ts";
import { type ProgramMachine, signalTree } from "./program-record.ts";

/** Environment variables that every program gets. None of them holds a secret of kay. */
const PASSED_VARIABLES =
  /^(PATH|HOME|LOGNAME|USER|SHELL|TERM|TZ|LANG|LANGUAGE|LC_\w+|TMPDIR|TMP|TEMP|XDG_\w+_(HOME|DIRS|DIR)|HTTPS?_PROXY|https?_proxy|NO_PROXY|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|APPDATA|COMSPEC|HOMEDRIVE|HOMEPATH|LOCALAPPDATA|PATHEXT|PROGRAMDATA|PROGRAMFILES|SYSTEMDRIVE|SYSTEMROOT|USERPROFILE|WINDIR)$/i;

/** How long a program may take to exit after its input ends, and again after SIGTERM, in ms. */
const EXIT_LIMIT_MS = 1_000;

/** How long the last output of a program may take to arrive after it has exited, in ms. */
const OUTPUT_LIMIT_MS = 500;

/**
 * Creates programs on this machine. Each runs in a separate process group, so that its children end with it.
 *
 * @param record lists the running programs for the next backend
 */
export function createPrograms(
  env: Record<string, string | undefined>,
  machine: ProgramMachine,
  record?: ProgramRecord,
): Programs {
  const variables = Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => PASSED_VARIABLES.test(entry[0]) && entry[1] !== undefined,
    ),
  );
  return {
    start: ([program = "", ...args], { folder, env: names = [] }, hears) => {
      const inherited = Object.fromEntries(
        names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
      );
      const options = { ...(folder === undefined ? {} : { cwd: folder }), env: { ...variables, ...inherited } };
      return startProgram([program, ...args], options, { hears, machine, record });
    },
    readValues: (names) => names.flatMap((name) => env[name] ?? []),
    lacks: (names) => names.filter((name) => !env[name]),
  };
}

type ProgramPorts = { hears: ProgramEvents; machine: ProgramMachine; record: ProgramRecord | undefined };

function startProgram(
  [program = "", ...args]: string[],
  options: { cwd?: string; env: Record<string, string> },
  { hears, machine, record }: ProgramPorts,
): Program {
  const isWindows = machine.platform === "win32";
  const child = spawn(program, args, { ...options, stdio: "pipe", detached: !isWindows, windowsHide: true });
  const { pid } = child;
  const signal = (name: "SIGTERM" | "SIGKILL") => pid !== undefined && signalTree(machine, pid, name);
  if (pid !== undefined) record?.add(pid);
  let isOver = false;
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const exited = new Promise<void>((resolve) => {
    const end = (reason: Parameters<ProgramEvents["onEnd"]>[0]) => {
      if (isOver) return;
      isOver = true;
      if (pid !== undefined) record?.remove(pid);
      hears.onEnd(reason);
      resolve();
    };
    child.on("error", (error: NodeJS.ErrnoException) =>
      end({ code: null, signal: null, fault: getFault(error, options.cwd) }),
    );
    child.on("exit", (code, by) => {
      if (!isWindows) signal("SIGKILL");
      void settlesWithin(OUTPUT_LIMIT_MS, closed).then(() => end({ code, signal: by }));
    });
  });
  child.stdout.on("data", hears.output).on("error", () => {});
  child.stderr.on("data", hears.errors).on("error", () => {});
  child.stdin.on("error", () => {});
  return {
    write: async (text) => {
      if (!child.stdin.write(text))
        await Promise.race([new Promise((resolve) => child.stdin.once("drain", resolve)), exited]);
    },
    end: async () => {
      child.stdin.end();
      if (await settlesWithin(EXIT_LIMIT_MS, exited)) return;
      signal("SIGTERM");
      if (await settlesWithin(EXIT_LIMIT_MS, exited)) return;
      signal("SIGKILL");
      await settlesWithin(EXIT_LIMIT_MS, exited);
    },
  };
}

/** The system reports a missing folder like a missing program. */
function getFault({ code, message }: NodeJS.ErrnoException, folder: string | undefined): string {
  if (code === "ENOENT" && folder !== undefined && !existsSync(folder)) return "ENOTDIR";
  return code ?? message;
}

async function settlesWithin(ms: number, promise: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const first = await Promise.race([promise.then(() => true), late]);
  clearTimeout(timer);
  return first;
}

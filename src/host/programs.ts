import { spawn } from "node:child_process";
import type { Program, ProgramEvents, Programs } from "#connectors/mcp/programs";
import type { Machine } from "#files/machine";

/** Environment variables that every program gets. None of them holds a secret of kay. */
const PASSED_VARIABLES =
  /^(PATH|HOME|LOGNAME|USER|SHELL|TERM|TZ|LANG|LANGUAGE|LC_\w+|TMPDIR|TMP|TEMP|XDG_\w+_(HOME|DIRS|DIR)|HTTPS?_PROXY|https?_proxy|NO_PROXY|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|APPDATA|COMSPEC|HOMEDRIVE|HOMEPATH|LOCALAPPDATA|PATHEXT|PROGRAMDATA|PROGRAMFILES|SYSTEMDRIVE|SYSTEMROOT|USERPROFILE|WINDIR)$/i;

/** How long a program may take to exit after its input ends, and again after SIGTERM, in ms. */
const EXIT_LIMIT_MS = 1_000;

/** Creates programs on this machine. Each runs in a separate process group, so that its children end with it. */
export function createPrograms(env: Record<string, string | undefined>, { kill }: Pick<Machine, "kill">): Programs {
  const given = Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => PASSED_VARIABLES.test(entry[0]) && entry[1] !== undefined,
    ),
  );
  return {
    start: ([program = "", ...args], { folder, env: names = [] }, hears) => {
      const more = Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
      const options = { ...(folder === undefined ? {} : { cwd: folder }), env: { ...given, ...more } };
      return startProgram(program, args, options, { hears, kill });
    },
    lacks: (names) => names.filter((name) => !env[name]),
  };
}

function startProgram(
  program: string,
  args: string[],
  options: { cwd?: string; env: Record<string, string> },
  { hears, kill }: { hears: ProgramEvents } & Pick<Machine, "kill">,
): Program {
  const child = spawn(program, args, { ...options, stdio: "pipe", detached: true, windowsHide: true });
  let over = false;
  const gone = new Promise<void>((resolve) => {
    const end = (how: Parameters<ProgramEvents["ended"]>[0]) => {
      if (over) return;
      over = true;
      signalGroup(kill, child.pid, "SIGKILL");
      hears.ended(how);
      resolve();
    };
    child.on("error", (error: NodeJS.ErrnoException) =>
      end({ code: null, signal: null, fault: error.code ?? error.message }),
    );
    child.on("exit", (code, signal) => setImmediate(end, { code, signal }));
  });
  child.stdout.on("data", hears.output).on("error", () => {});
  child.stderr.on("data", hears.errors).on("error", () => {});
  child.stdin.on("error", () => {});
  return {
    write: async (text) => {
      if (!child.stdin.write(text))
        await Promise.race([new Promise((resolve) => child.stdin.once("drain", resolve)), gone]);
    },
    end: async () => {
      child.stdin.end();
      if (await settlesWithin(EXIT_LIMIT_MS, gone)) return;
      signalGroup(kill, child.pid, "SIGTERM");
      if (await settlesWithin(EXIT_LIMIT_MS, gone)) return;
      signalGroup(kill, child.pid, "SIGKILL");
      await settlesWithin(EXIT_LIMIT_MS, gone);
    },
  };
}

function signalGroup(kill: Machine["kill"], pid: number | undefined, signal: "SIGTERM" | "SIGKILL"): void {
  if (pid === undefined) return;
  try {
    kill(-pid, signal);
  } catch {
    // The group has already exited.
  }
}

async function settlesWithin(ms: number, done: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const first = await Promise.race([done.then(() => true), late]);
  clearTimeout(timer);
  return first;
}

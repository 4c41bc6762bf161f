import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { getShapingSettings } from "#cli/backend/ports";
import { createKay } from "#cli/create-kay";
import type { Kay, LocalTools, ServeOptions } from "#cli/kay";
import type { JqThread } from "#cli/output/jq/engine";
import { notifyOfUpdate } from "#cli/output/update-notice";
import type { CliPorts } from "#cli/ports";
import { reportCrash, run } from "#cli/run";
import { launchProgram } from "#cli/terminal/browser";
import { createSystemKeychain } from "#client/credentials/system-keychain";
import { createPaths, type Paths } from "#client/paths";
import type { Settings } from "#client/settings/settings";
import type { SettingKey } from "#client/settings/table";
import { createProcesses, type Processes } from "#files/processes";
import { createOpenStream } from "#net/open-stream";
import { createSend, createTransport } from "#net/send";
import manifest from "../package.json" with { type: "json" };
import { findProgram, isAlive, runProgram, spawnBackend, spawnUpdateCheck } from "./children.ts";
import { clock, endOnCrash, findHomeFolder, openTerminal, openWorkingFolder, readMachine } from "./process.ts";

/**
 * Builds the ports from the process and runs one command line.
 *
 * @param argv the arguments after `kay`
 * @param greeted whether the launcher has already announced the session
 * @returns the exit code, when everything was written
 */
export async function main(argv: string[], greeted = false): Promise<number> {
  const { unwritten, ...opened } = openTerminal();
  const { terminal } = opened;
  const kay = createKay({ ...createPorts(opened), greeted });
  endOnCrash(terminal, (error) => reportCrash(error, kay));
  const code = await run(argv, kay);
  await notifyOfUpdate(argv, kay, {
    paths: createOwnPaths(),
    upgrade: async () => (await import("#client/update/registry")).findUpgradeCommand(import.meta.filename, existsSync),
    look: () => spawnUpdateCheck(import.meta.filename),
  });
  await terminal.waitForDrain();
  if (unwritten() === "") return code;
  terminal.stderr.write(`✗ The output could not be written (${unwritten()}).\n`);
  return code || 1;
}

/** The check for a newer version, in a separate process (`src/children.ts` starts it). */
export async function checkForUpdate(): Promise<void> {
  const { refreshUpdateRecord } = await import("#client/update/registry");
  const { env, versions } = process;
  const send = createSend({ builtin: process.getBuiltinModule, env, clock });
  const unique = randomBytes(8).toString("hex");
  await refreshUpdateRecord(manifest, { send, env, node: versions.node, folder: createOwnPaths().state(), unique });
}

const workingFolder = openWorkingFolder();

function createOwnPaths(): Paths {
  return createPaths({ env: process.env, platform: process.platform, home: findHomeFolder(), cwd: workingFolder });
}

function createPorts(opened: Pick<CliPorts, "terminal" | "signal" | "catchInterrupts" | "interrupt">): CliPorts {
  const { env, platform, execPath } = process;
  const processes = createProcesses(process.pid, isAlive, process.getuid?.());
  const uid = process.getuid?.() ?? 0;
  const ways = { builtin: process.getBuiltinModule, env, clock };
  return {
    version: manifest.version,
    build: getBuild(),
    env,
    platform,
    home: findHomeFolder(),
    cwd: workingFolder,
    ...opened,
    clock,
    random: randomBytes,
    send: createSend(ways),
    openStream: createOpenStream({ transport: createTransport(ways), clock }),
    keychain: createSystemKeychain({ platform, env, uid, execPath, clock }),
    processes,
    endProcess: (pid, signal) => void process.kill(pid, signal),
    readText,
    packaged: async (path) => readText(join(import.meta.dirname, "..", path)),
    findProgram: findProgram,
    launch: launchProgram,
    runProgram,
    edit: async (editor, text) => (await import("#cli/terminal/editor")).editInEditor(editor, text),
    fillClipboard: async (program, text) => (await import("#cli/terminal/clipboard")).fillClipboard(program, text),
    showInPager: async (pager, text, signal) =>
      (await import("#cli/terminal/pager")).runPager(pager, text, { env, signal }),
    spawnBackend,
    startJq,
    machine: {
      arch: process.arch,
      node: process.versions.node,
      execPath,
      launcher: process.argv[1] ?? "",
      uid: process.getuid?.(),
      postgres: async () => (await import("#host/postgres/binaries")).findInstalledPostgres(readMachine()),
      walk: async (address, signal) => (await import("#net/probe/probe")).probeRoute(address, { ...ways, signal }),
    },
    localTools: loadLocalTools,
    serve: (options, kay, ports) => serve(options, kay, { ...ports, processes }),
  };
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** jq runs in a separate thread, so that it can be ended. Its program lies beside this one. */
async function startJq(expression: string): Promise<JqThread> {
  const { startJqThread } = await import("#cli/output/jq/start");
  return startJqThread(new URL("jq.js", import.meta.url), expression, JQ_LIMIT_MS);
}

/** Time limit of an expression for one document, in ms. */
const JQ_LIMIT_MS = 10_000;

/** Tools of the backend in this process, for tokens of the environment. */
async function loadLocalTools(setting: (key: SettingKey) => string | undefined): Promise<LocalTools> {
  const [{ createLocalTools }, { createOutboundFetch: createOutgoing }] = await Promise.all([
    import("#host/local-tools"),
    import("#host/outbound-fetch"),
  ]);
  const { fetch, close } = createOutgoing(process.env);
  return { ...createLocalTools({ env: process.env, fetch, clock, setting }), close };
}

/** `kay serve`: the one place where the command line and the backend meet. */
async function serve(
  options: ServeOptions,
  kay: Kay,
  ports: { paths: Paths; settings(): Settings; processes: Processes },
): Promise<void> {
  const { runServe } = await import("#host/run");
  const { env, version, clock, random, signal, flags, terminal } = kay;
  const quiet = !options.embedded && terminal.stderr.isTerminal && !flags.debug && !env.KAY_LOG_LEVEL;
  await runServe(options, {
    ...ports,
    version,
    build: getBuild(),
    env,
    clock,
    random,
    signal,
    shaping: getShapingSettings(ports.settings()),
    machine: readMachine(),
    debug: flags.debug || Boolean(env.KAY_DEBUG),
    memory: process.memoryUsage,
    write: (line) => void (quiet || terminal.stderr.write(line)),
    ready: (host) => {
      if (options.embedded) return;
      if (flags.json) kay.out.writeJson({ url: host.url, sandbox: listOrigins(host.sandbox) });
      else
        kay.out.writeLine(
          `kay ${options.role === "agent" ? "agent server" : "backend"} on ${host.url} (Ctrl+C stops it)`,
        );
      if (options.mcp && !flags.json) kay.out.writeLine(`Programs use ${options.publicUrl ?? host.url}/mcp`);
    },
    sandboxReady: (origins, file) => {
      if (flags.json) kay.out.writeJson({ sandbox: listOrigins(origins), file });
      else kay.out.writeLine(`The sandbox runs; nodes share it with KAY_SANDBOX=${file} (Ctrl+C stops it)`);
    },
  });
}

function listOrigins(sandbox: Record<string, { origin: string }>): Record<string, string> {
  return Object.fromEntries(Object.entries(sandbox).map(([name, { origin }]) => [name, origin]));
}

/** Identifies the build: the bundle's file changes with every build. */
function getBuild(): string {
  return `${manifest.version}+${statSync(import.meta.filename).mtimeMs}`;
}

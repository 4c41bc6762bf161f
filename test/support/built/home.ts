import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import type { SignIn } from "#client/credentials/credentials";
import type { EmbeddedRecord } from "#protocol/embedded-record";
import { openProfile } from "../credentials.ts";
import { end, listProcessesIn, listProcessesWith, until } from "./processes.ts";
import { layDatabase } from "./ready-database.ts";
import { type Outcome, type Running, type RunOptions, runKay, startKay } from "./run.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** A user account with the built kay: separate folders, and `kay` on the PATH. */
export type Home = {
  folder: string;
  /** Settings and credentials, the state folder, and the data folder of kay's own backend. */
  config: string;
  state: string;
  data: string;
  /** Another kay, which runs here from now on instead of the built one. */
  program?: string;
  /** The whole environment of what runs in it. */
  env: Record<string, string>;
  /** Runs one command. */
  run(args: string[], options?: RunOptions): Promise<Outcome>;
  /** Start one command. */
  start(args: string[], options?: RunOptions): Running;
  /** Stores a sign-in for a backend, in a plain file. */
  signIn(origin: string, signIn: SignIn): Promise<void>;
  /** What is stored for it. */
  signedIn(origin: string): Promise<SignIn>;
  /** The record of kay's own backend, if there is one. */
  record(): EmbeddedRecord | undefined;
  /** Folder of the Postgres that belongs to a data folder. */
  postgres(dataFolder?: string): string;
  /**
   * Makes it look as if kay had been started here before, with a database. Uses the local backend's data folder by
   * default.
   */
  hasDatabase(dataFolder?: string): void;
};

/** A home for one test. Everything that kay started in it ends with the test, and all its files are removed. */
export function openHome(env: Record<string, string> = {}): Home {
  const { home, close } = createHome(env);
  onTestFinished(close, 60_000);
  return home;
}

/** A home for all tests of a file. */
export function useHome(env: Record<string, string> = {}): () => Home {
  let creating: ReturnType<typeof createHome> | undefined;
  beforeAll(() => {
    creating = createHome(env);
  });
  afterAll(async () => creating?.close());
  return () => {
    if (!creating) throw new Error("The home is there only while tests run.");
    return creating.home;
  };
}

/** A home outside tests; `close` ends everything that kay started in it, and removes its files. */
export function createHome(changes: Record<string, string>): { home: Home; close(): Promise<void> } {
  const folder = mkdtempSync(join(tmpdir(), "kay-e2e-"));
  const [config, state, data] = [join(folder, "config"), join(folder, "state/kay"), join(folder, "data/kay/embedded")];
  for (const name of ["bin", "home"]) mkdirSync(join(folder, name));
  script(join(folder, "bin/kay"), `exec '${process.execPath}' '${root}bin/kay.js' "$@"`);
  const env: Record<string, string> = {
    PATH: `${folder}/bin:${process.env.PATH}`,
    HOME: `${folder}/home`,
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    TZ: "UTC",
    KAY_CONFIG_DIR: config,
    XDG_STATE_HOME: `${folder}/state`,
    XDG_DATA_HOME: `${folder}/data`,
    // Compiled code is kept from one test to the next, as it is from one command to the next.
    XDG_CACHE_HOME: `${root}.kay/cache`,
    KAY_CREDENTIALS: "file",
    BROWSER: "none",
    // No Ollama is searched for.
    KAY_MODEL: "offline",
    // If the tests themselves are killed, their processes end soon.
    KAY_IDLE_LIMIT_MS: "180000",
    ...changes,
  };
  mkdirSync(env.XDG_CACHE_HOME ?? "", { recursive: true });
  const started: Running[] = [];
  const dataFolders = new Set([data, join(folder, "data/kay/tour"), join(folder, "data/kay/serve")]);
  const postgres = (of = data) => postgresFolder(of);
  const record = () => readRecord(join(state, "backend.json"));
  const credentials = () => openProfile({ in: config }).credentials;
  const start = (args: string[], options: RunOptions = {}) => {
    const program = options.program ?? home.program;
    const flagIndex = args.indexOf("--data-dir") + 1;
    if (flagIndex > 0) dataFolders.add(args[flagIndex] ?? "");
    const running = startKay(args, {
      ...options,
      program,
      env: { ...env, ...options.env },
      cwd: options.cwd ?? folder,
    });
    started.push(running);
    return running;
  };
  const home: Home = {
    folder,
    config,
    state,
    data,
    env,
    record,
    postgres,
    hasDatabase(of = data) {
      mkdirSync(of, { recursive: true, mode: 0o700 });
      layDatabase(postgres(of));
    },
    start,
    run: (args, options) => runKay(start(args, options), options),
    signIn: async (origin, signIn) => credentials().update(origin, () => signIn),
    signedIn: async (origin) => (await credentials().read(origin)).signIn,
  };
  const close = async () => {
    for (const running of started) await running.kill();
    // Also a backend that has no record yet.
    for (const pid of await listProcessesWith("XDG_STATE_HOME", join(folder, "state"))) await end(pid, "SIGKILL");
    for (const each of dataFolders) await removePostgres(each);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  return { home, close };
}

/** Location of a data folder's database, according to `src/host/postgres/area.ts`. */
function postgresFolder(dataFolder: string): string {
  if (process.getuid?.() !== 0) return join(dataFolder, "postgres");
  const real = existsSync(dataFolder) ? realpathSync(dataFolder) : dataFolder;
  return join("/var/lib/kay", createHash("sha256").update(real).digest("hex").slice(0, 16));
}

/** Stops the Postgres of a data folder and removes its files, because root's are not below the home. */
async function removePostgres(dataFolder: string): Promise<void> {
  const area = postgresFolder(dataFolder);
  if (!existsSync(area)) return;
  await end(readPostmasterPid(area), "SIGQUIT");
  // A Postgres that is being created has no postmaster yet.
  for (const pid of await listProcessesIn(area)) await end(pid, "SIGQUIT");
  rmSync(area, { recursive: true, force: true, maxRetries: 5 });
}

/** Process id of the Postgres that runs in a folder, if one does. */
export function readPostmasterPid(area: string): number | undefined {
  const file = join(area, "data/postmaster.pid");
  return existsSync(file) ? Number.parseInt(readFileSync(file, "utf8"), 10) : undefined;
}

function readRecord(file: string): EmbeddedRecord | undefined {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

/** Writes an executable shell script. */
function script(file: string, body: string): void {
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
}

/** Every file below a folder, by its path. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** A program in place of the browser: it records every address. A home may have several, by name. */
export function createBrowser(
  home: Home,
  name = "browser",
): { program: string; opened(nth?: number): Promise<string> } {
  const file = join(home.folder, `opened-${name}`);
  const program = join(home.folder, "bin", name);
  script(program, `printf '%s\\n' "$1" >> '${file}'`);
  // The shell creates the file before it writes the line, so only a line with its end counts.
  const lines = () => (existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : []);
  return { program, opened: async (nth = 1) => until(() => lines()[nth - 1], "the browser was not opened") };
}

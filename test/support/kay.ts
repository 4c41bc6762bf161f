import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import { createNode, type Node } from "#backend/store/node";
import { createKay } from "#cli/create-kay";
import type { ServeOptions } from "#cli/kay";
import { startJqThread } from "#cli/output/jq/start";
import type { CliPorts } from "#cli/ports";
import { run } from "#cli/run";
import type { LaunchCommand } from "#cli/terminal/browser";
import { createInterrupts } from "#cli/terminal/modes";
import { createCredentials } from "#client/credentials/create";
import type { SignIn } from "#client/credentials/credentials";
import type { Keychain } from "#client/credentials/keychain";
import { createLocalTools } from "#host/local-tools";
import type { Fetch } from "#net/ports";
import { memoryKeychain } from "./credentials.ts";
import { useDatabase } from "./database.ts";
import { asSeen, type FakeTerminal, fakeTerminal, type TerminalSetting } from "./fake-terminal.ts";
import { createPlace, type Place, type PlaceOptions } from "./kay-backend.ts";
import { BACKEND } from "./network.ts";
import { answerProofs, createOwnBackend, OWN_SECRET, type OwnBackend } from "./own-backend.ts";
import { WELL } from "./well-machine.ts";

/**
 * The result of a command line. IDs, states and the machine's folder are shortened; redrawn lines have their last
 * content.
 */
export type Result = { exit: number; stdout: string; stderr: string };

/** What the user does with every link that kay prints. */
type Person = "allows" | "denies" | "stays away" | ((url: string) => Promise<unknown>);

export type MachineOptions = Omit<PlaceOptions, "db" | "isUsed" | "node" | "localSecret"> & {
  /** No backend is configured, so kay starts the local one; `fails` is one that does not start. */
  own?: true | "fails";
  /** Connect jira first. */
  signedIn?: boolean;
  /** Connect these first. */
  connected?: string[];
  env?: Record<string, string>;
  person?: Person;
  keychain?: Keychain;
  platform?: NodeJS.Platform;
  /** Home folder reported by the system, if it is not the machine's. */
  home?: string | undefined;
  /** Programs on PATH, by their names. */
  programs?: string[];
  /** The real services, which tools with a token of the environment reach without a backend. */
  outside?: Fetch;
  /** Differences of this machine for `kay doctor`, and its network. */
  world?: Partial<Omit<CliPorts, "machine">> & { machine?: Partial<CliPorts["machine"]> };
  /** Another machine, whose backend this one uses too. */
  beside?: Machine;
};

export type RunSetting = TerminalSetting & {
  env?: Record<string, string>;
  person?: Person;
  /** What the user does with a text in their editor; null if it does not start. */
  edits?(text: string): string | null;
  /** The pager, called with its name and the text; returns whether it started. */
  pages?(pager: string, text: string): boolean;
  /** Called with the terminal as soon as the run has it. */
  at?(terminal: FakeTerminal): void;
};

/** A user's machine: calling it runs one command line on it, like a separate process. */
export type Machine = ((line: string | string[], setting?: RunSetting) => Promise<Result>) & {
  place: Place;
  /** Folder of settings, state and data. */
  folder: string;
  /** The last run's output, unshortened; `both` in the order of writing. */
  raw(): { stdout: string; stderr: string; both: string };
  /** The data stored for an origin; the backend's by default. */
  stored(origin?: string): Promise<SignIn>;
  store(signIn: SignIn, origin?: string): Promise<void>;
  /** Programs that were started to open a link. */
  launched: LaunchCommand[];
  /** What `kay serve` was called with. */
  served: ServeOptions[];
  /** How the local backend was started. */
  spawned: { profile: string; sandbox: boolean }[];
  /** How often the local backend was started. */
  starts(): number;
  /** Presses Ctrl+C, or sends another signal, to the current run. */
  interrupt(signal?: string): void;
};

/**
 * A machine for each call, over one database for the file. Unserved requests fail the test, and so do missing scripted
 * ones.
 */
export function useKay(): (options?: MachineOptions) => Machine {
  const database = useDatabase();
  let node: Node | undefined;
  afterAll(() => node?.close());
  return (options = {}) => {
    node ??= createNode(database().config, () => {});
    const place =
      options.beside?.place ??
      createPlace({ ...database(), node, ...options, ...(options.own ? { localSecret: OWN_SECRET } : {}) });
    if (!options.beside) {
      onTestFinished(async () => {
        await place.backend.close();
        place.network.settled();
        // The backend of a later test would run what is due.
        await database().db.deleteFrom("schedules").execute();
      });
    }
    return createMachine(place, options);
  };
}

function createMachine(place: Place, options: MachineOptions): Machine {
  const folder = mkdtempSync(join(tmpdir(), "kay-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const keychain = options.keychain ?? memoryKeychain();
  const backend = createOwnBackend();
  const interrupts = createInterrupts(() => ending.abort("SIGINT"));
  const launched: LaunchCommand[] = [];
  const served: ServeOptions[] = [];
  const spawned: Machine["spawned"] = [];
  let raw = { stdout: "", stderr: "", both: "" };
  let ending = new AbortController();
  const credentials = () => createCredentials({ ...credentialPorts(place, folder, backend), keychain });
  const once = async (line: string | string[], setting: RunSetting = {}): Promise<Result> => {
    ending = new AbortController();
    const person = watchLinks(place, setting.person ?? options.person ?? "allows");
    const terminal = fakeTerminal(setting, person.see, interrupts.interrupt);
    raw = terminal.written;
    setting.at?.(terminal);
    const world = createPorts(place, { folder, keychain, own: backend, launched, served, spawned, options, setting });
    const exit = await run(words(line), createKay({ ...world, ...interrupts, terminal, signal: ending.signal }));
    await person.done();
    return { exit, stdout: shortenText(raw.stdout, folder), stderr: shortenText(asSeen(raw.stderr), folder) };
  };
  const connected = [...(options.signedIn ? ["jira"] : []), ...(options.connected ?? [])];
  let ready: Promise<void> | undefined;
  const prepare = async () => {
    for (const service of connected) {
      const { exit, stderr } = await once(["connect", service], { person: "allows" });
      if (exit !== 0) throw new Error(`connecting ${service} failed: ${stderr}`);
    }
    place.network.seen.length = 0;
    launched.length = 0;
  };
  const machine = async (line: string | string[], setting?: RunSetting) => {
    ready ??= prepare();
    await ready;
    return once(line, setting);
  };
  return Object.assign(machine, {
    place,
    folder,
    launched,
    served,
    spawned,
    starts: backend.starts,
    raw: () => raw,
    stored: async (origin = BACKEND) => (await credentials().read(origin)).signIn,
    store: (signIn: SignIn, origin = BACKEND) => credentials().update(origin, () => signIn),
    interrupt: (signal = "SIGINT") => (signal === "SIGINT" ? interrupts.interrupt() : ending.abort(signal)),
  });
}

type Parts = {
  folder: string;
  keychain: Keychain;
  own: OwnBackend;
  launched: LaunchCommand[];
  served: ServeOptions[];
  spawned: Machine["spawned"];
  options: MachineOptions;
  setting: RunSetting;
};

function createPorts(
  place: Place,
  parts: Parts,
): Omit<CliPorts, "terminal" | "signal" | "catchInterrupts" | "interrupt"> {
  const { folder, options, setting } = parts;
  const { programs = [] } = options;
  const env = {
    KAY_API_URL: options.own ? "" : BACKEND,
    XDG_CONFIG_HOME: folder,
    XDG_STATE_HOME: folder,
    XDG_DATA_HOME: folder,
    ...options.env,
    ...setting.env,
  };
  return {
    build: "test",
    version: "0.0.0-test",
    env,
    platform: options.platform ?? "linux",
    home: "home" in options ? options.home : folder,
    cwd: folder,
    clock: place.clock,
    random: randomBytes,
    send: options.own ? answerProofs(place.network.send) : place.network.send,
    openStream: place.network.openStream,
    keychain: parts.keychain,
    processes: parts.own.processes,
    endProcess: () => {},
    packaged: async (path) => {
      if (!path.startsWith("dist/")) return readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
      const { schemas } = await import("../../scripts/schemas.ts");
      const schema = (await schemas())[path.replace("dist/schemas/", "")];
      return schema ? JSON.stringify(schema) : "";
    },
    readText: () => "",
    findProgram: (program) => (programs.includes(program) ? `/usr/bin/${program}` : null),
    localTools: async () => ({
      ...createLocalTools({
        env: { ...options.env, ...setting.env },
        clock: place.clock,
        fetch: options.outside ?? nowhere,
      }),
      close: async () => {},
    }),
    startJq: async (expression) => {
      const thread = startJqThread(JQ, expression, 3_000);
      return { ...thread, run: (text) => place.clock.during(thread.run(text)) };
    },
    launch: async (launch) => parts.launched.push(launch) > 0,
    runProgram: async () => ({ code: null, stderr: "no such program" }),
    showInPager: async (pager, text) => setting.pages?.(pager, text) ?? false,
    edit: async (_, text) => setting.edits?.(text) ?? null,
    fillClipboard: async () => false,
    spawnBackend: (log, profile, { sandbox = false } = {}) => {
      if (!options.own) throw new Error("a backend was started");
      parts.spawned.push({ profile, sandbox });
      return parts.own.spawn(log, env, options.own === "fails");
    },
    serve: async (request) => void parts.served.push(request),
    ...options.world,
    machine: { ...WELL, ...options.world?.machine },
  };
}

const JQ = new URL("../../src/cli/output/jq/thread.ts", import.meta.url);

const nowhere: Fetch = async (url) => {
  throw new TypeError(`nothing listens at ${url}`);
};

function credentialPorts({ clock }: Place, folder: string, { processes }: OwnBackend) {
  const config = () => join(folder, "kay");
  const preference = "auto" as const;
  return {
    folder: config,
    profile: "default",
    preference,
    clock,
    warn: () => {},
    processes,
    platform: "linux",
  };
}

/** A printed link is shown to the user once. */
function watchLinks(place: Place, person: Person): { see(text: string): void; done(): Promise<unknown> } {
  const knownIds = new Set<string>();
  const acts: Promise<unknown>[] = [];
  const act = (url: string): Promise<unknown> => {
    if (typeof person === "function") return person(url);
    if (person === "stays away") return Promise.resolve();
    return place.consent(url, { decision: person === "allows" ? "allow" : "deny" });
  };
  return {
    see(text) {
      const url = /^https?:\/\/\S+$/m.exec(text)?.[0];
      if (!url || knownIds.has(url)) return;
      knownIds.add(url);
      acts.push(act(url));
    },
    done: () => Promise.all(acts),
  };
}

function words(line: string | string[]): string[] {
  if (Array.isArray(line)) return line;
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, unquoted]) => quoted ?? unquoted ?? "");
}

function shortenText(text: string, folder: string): string {
  return text
    .replaceAll(folder, "/home/ann")
    .replaceAll(/\b(kaysession|session|confirm)_\d+_[0-9a-f]{32}\b/g, "$1_…")
    .replaceAll(/\b(gen|int)_[0-9a-f]{32}\b/g, "$1_…")
    .replaceAll(/\bcall_[\w-]+/g, "call_…")
    .replaceAll(/\(\d+:\d\d left\)/g, "(TIME left)")
    .replaceAll(/\b[0-9a-f]{64}\b/g, "STATE");
}

/** The one JSON document that a run printed on stdout, and nothing else. */
export function parseDocument({ stdout }: Pick<Result, "stdout">): unknown {
  const document: unknown = JSON.parse(stdout);
  if (stdout !== `${JSON.stringify(document, null, 2)}\n`) throw new Error(`not one document: ${stdout}`);
  return document;
}

import type { ProfileChoice } from "#client/settings/profiles";
import type { Settings } from "#client/settings/settings";
import type { Timer } from "#net/ports";
import type { StatusResponse } from "#protocol/status";
import type { ToolCallResponse, ToolView } from "#protocol/tools";
import type { BackendHandle, BackendTarget } from "./backend/handle.ts";
import type { MachineFacts } from "./commands/doctor/machine.ts";
import type { TrustFile } from "./context/trust-file.ts";
import type { JqThread } from "./output/jq/engine.ts";
import type { Output } from "./output/output.ts";
import type { HistoryFile } from "./session/history.ts";
import type { BrowserPlan } from "./terminal/browser.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** Flags that every command takes. */
export type GlobalFlags = {
  json: boolean;
  /** An expression of jq that filters the document; `json` goes with it. */
  jq?: string;
  quiet: boolean;
  debug: boolean;
  color?: string;
  /** False with `--no-input`. */
  input: boolean;
  yes: boolean;
  /** False with `--no-browser`. */
  browser: boolean;
  profile?: string;
  /** `--timeout`: the time for all of the command, as it was typed. */
  timeout?: string;
  /** Nothing is redrawn and nothing is drawn: `--plain`, ACCESSIBLE, INK_SCREEN_READER, TERM=dumb. */
  plain: boolean;
};

/** A profile beside the one of this run. */
export type OtherProfile = {
  settings: Settings;
  /** The sign-ins of the profile, at its own backend or at this one. */
  account(origin?: string): BackendTarget;
  /** Uses the stored sign-in, never KAY_TOKEN. */
  link(account: BackendTarget): Promise<BackendHandle>;
  history: Pick<HistoryFile, "remove">;
};

/** What `kay serve` takes. */
export type ServeOptions = {
  port: number;
  host: string;
  sandbox: boolean;
  seed?: string;
  databaseUrl?: string;
  dataDir?: string;
  publicUrl?: string;
  metricsPort?: number;
  role?: "backend" | "agent" | "both";
  embedded: boolean;
  /** The embedded backend does not end when it is idle. */
  stay?: boolean;
  sandboxOnly?: boolean;
  /** Seconds, and addresses, as they were typed. */
  drain?: string;
  trustProxy?: string;
  /** Serves `/mcp` to other programs. */
  mcp?: boolean;
};

/** The tools of this kay without any backend, each run at the real service with a token of the environment. */
export type LocalTools = {
  /** Every service that kay has, also those without a tool. */
  services(): { name: string; title: string }[];
  list(): ToolView[];
  /** The tool, the variable for its token, and whether that is set. @throws Problem NOT_FOUND with the nearest name */
  find(name: string): { view: ToolView; variable: string; hasToken: boolean };
  /** @throws Problem AUTH_REQUIRED when the service refuses the token */
  call(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<ToolCallResponse>;
  /** Ends its connections. */
  close(): Promise<void>;
};

/** Everything a command may use. The ports are real in `src/main.ts` and stand for the outside world in tests. */
export type Kay = {
  version: string;
  /** The launcher said already that a session begins. */
  greetingShown: boolean;
  terminal: Terminal;
  env: Record<string, string | undefined>;
  /** Folder that the names of files are read from. */
  cwd: string;
  clock: Timer;
  random(bytes: number): Uint8Array;
  /**
   * Ends when the person or the system wants the command to end; the reason is `SIGINT`, `SIGTERM` or `SIGHUP`. So it does when the time
   * of `--timeout` is over (`isOverTime`).
   */
  signal: AbortSignal;
  /**
   * From now on Ctrl+C (SIGINT) calls this instead of ending the command. Returns the way back, to what was called before.
   */
  catchInterrupts(handler: () => void): () => void;
  /** Does what Ctrl+C does, for a prompt that reads it as a key. */
  interrupt(): void;
  /** A text that is in kay's package, by its path there; "" where there is none. */
  readPackageFile(path: string): Promise<string>;
  /** Filled by `run` before a command starts. */
  flags: GlobalFlags;
  /** What the user chose for the requests of this process. Copies of Kay share it. */
  choices: { model?: string; approvalTimeout?: number; plan?: boolean };
  /** Sentences about left-out instructions that were already said in this process. Copies of Kay share it. */
  saidNotes: Set<string>;
  /** The user's decisions about the texts of projects. */
  trust: TrustFile;
  /** How long the command may take to end after a signal, in ms. Longer if the backend must be notified first. */
  shutdownGraceMs: number;
  out: Output;
  settings(): Promise<Settings>;
  /** Which backend is meant and what is stored for it, without starting or asking anything. */
  resolveTarget(): Promise<BackendTarget>;
  /**
   * The backend of this profile; starts the embedded one where none is configured. `signedIn` makes a missing sign-in an error before
   * anything is started; `stored` leaves KAY_TOKEN aside.
   */
  openBackend(options?: { signedIn?: boolean; stored?: boolean }): Promise<BackendHandle>;
  /** A backend for the tour only, with sandbox services and its own profile and data. `close` stops it. */
  openTour(): Promise<{ link: BackendHandle; close(): Promise<void> }>;
  startJq(expression: string): Promise<JqThread>;
  /** Which profile this run is in, and who chose it. */
  profile(): ProfileChoice;
  /** Another profile of this machine; nothing is started or asked yet. */
  openProfile(name: string): Promise<OtherProfile>;
  /** Tools that need no backend. */
  localTools(): Promise<LocalTools>;
  /** Whether and how a browser would be opened for this URL, and the opening itself (which never says whether it worked). */
  planBrowser(url: string): Promise<BrowserPlan>;
  openBrowser(plan: BrowserPlan): Promise<boolean>;
  /** Prompts sent in the sessions of this profile. */
  history: Omit<HistoryFile, "remove">;
  /** Let the person change a text in their editor (VISUAL, EDITOR); null where none is set or it could not be started. */
  editText(text: string): Promise<string | null>;
  /** End kay's own backend, if it runs and is not at work. */
  stopBackend(options?: { force?: boolean }): Promise<"stopped" | "busy" | "not running">;
  /** How a backend is: kay's own, or the one at an address. @throws Problem UNREACHABLE */
  backendStatus(at: string | undefined): Promise<StatusResponse>;
  /** Runs a program of the system until it ends, at most a minute. `code` is null if it could not be started or was ended. */
  runProgram(program: string, args: string[]): Promise<{ code: number | null; stderr: string }>;
  /** This machine, for `kay doctor` and `kay serve --install`. */
  machine(): MachineFacts;
  /** Run the backend until the signal ends. */
  serve(options: ServeOptions): Promise<void>;
  /** Give the consent at a sandbox on this machine without a browser, as its demo user, and follow it to the backend's callback. */
  consentInSandbox(authorizationUrl: string): Promise<void>;
  /** Loads a redirect address of the backend on this machine in place of a browser. Returns the HTTP status. */
  visitCallback(url: string): Promise<number>;
};

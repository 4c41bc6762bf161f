import type { Keychain } from "#client/credentials/keychain";
import type { Paths } from "#client/paths";
import type { ProfileChoice } from "#client/settings/profiles";
import type { Settings } from "#client/settings/settings";
import type { Timer } from "#net/ports";
import type { ProbeStep } from "#net/probe/step";
import type { StatusResponse } from "#protocol/status";
import type { ServiceView, ToolCallResponse, ToolView } from "#protocol/tools";
import type { BackendHandle, BackendTarget } from "./backend/handle.ts";
import type { TrustFile } from "./context/trust-file.ts";
import type { JqThread } from "./output/jq/engine.ts";
import type { Output } from "./output/output.ts";
import type { HistoryFile } from "./session/history.ts";
import type { BrowserPlan } from "./terminal/browser.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** Flags that every command takes. */
export type GlobalFlags = {
  json: boolean;
  /** A jq expression that filters the document; implies `json`. */
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
  /** `--timeout`: the time limit of the whole command, as typed. */
  timeout?: string;
  /** Whether nothing is redrawn: `--plain`, ACCESSIBLE, INK_SCREEN_READER, TERM=dumb. */
  plain: boolean;
};

/** A profile other than that of this run. */
export type OtherProfile = {
  settings: Settings;
  /** The sign-in of the profile, at its own backend or at this one. */
  account(origin?: string): BackendTarget;
  /** Opens the backend with the stored sign-in, never KAY_TOKEN. */
  link(account: BackendTarget): Promise<BackendHandle>;
  history: Pick<HistoryFile, "remove">;
};

/** Options of `kay serve`. */
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
  /** Whether the local backend keeps running when it is idle. */
  stay?: boolean;
  sandboxOnly?: boolean;
  /** Seconds and addresses, as text. */
  drain?: string;
  trustProxy?: string;
  /** Serves `/mcp` to other programs. */
  mcp?: boolean;
};

/** Tools without a backend. Each runs at the real service with a token from the environment. */
export type LocalTools = {
  /** Every built-in service, including those without tools. */
  services(): ServiceView[];
  list(): ToolView[];
  /**
   * Finds a tool, the variable for its token, and whether it is set.
   * @throws Problem NOT_FOUND with the nearest name
   */
  find(name: string): { view: ToolView; variable: string; hasToken: boolean };
  /** Runs a tool. @throws Problem AUTH_REQUIRED when the service rejects the token */
  call(
    name: string,
    input: Record<string, unknown>,
    options: { signal: AbortSignal; timeZone?: string | undefined },
  ): Promise<ToolCallResponse>;
  /** Ends its connections. */
  close(): Promise<void>;
};

/** Everything that a command may use. `src/main.ts` provides the real ports; tests replace the outside world. */
export type Kay = {
  version: string;
  /** Whether the launcher has already announced the session. */
  greetingShown: boolean;
  terminal: Terminal;
  env: Record<string, string | undefined>;
  /** Folder of relative file names. */
  cwd: string;
  clock: Timer;
  random(bytes: number): Uint8Array;
  /**
   * Aborts when the user or the system ends the command; the reason is `SIGINT`, `SIGTERM` or `SIGHUP`. It also aborts
   * when the time of `--timeout` is over.
   */
  signal: AbortSignal;
  /**
   * Makes Ctrl+C (SIGINT) call `handler` instead of ending the command. Returns the function that restores the previous
   * handler.
   */
  catchInterrupts(handler: () => void): () => void;
  /** Acts like Ctrl+C, for a prompt that reads it as a key. */
  interrupt(): void;
  /** Reads a text from kay's package by its path; "" if it is missing. */
  readPackageFile(path: string): Promise<string>;
  /** Set by `run` before a command starts. */
  flags: GlobalFlags;
  /** The user's choices for the requests of this process. Copies of Kay share it. */
  choices: { model?: string; approvalTimeout?: number; plan?: boolean };
  /** Notes about unused instructions that this process has printed. Copies of Kay share it. */
  saidNotes: Set<string>;
  /** The user's decisions about the texts of projects. */
  trust: TrustFile;
  /** How long the command may take to end after a signal, in ms. Longer if the backend must be notified first. */
  shutdownGraceMs: number;
  out: Output;
  settings(): Promise<Settings>;
  /** Returns the chosen backend and its stored data, without starting or requesting anything. */
  resolveTarget(): Promise<BackendTarget>;
  /**
   * Opens the backend of this profile; starts the local one if none is configured. With `signedIn`, a missing sign-in
   * is an error before anything is started; `stored` ignores KAY_TOKEN.
   */
  openBackend(options?: { signedIn?: boolean; stored?: boolean }): Promise<BackendHandle>;
  /** Opens a backend for the tour only, with sandbox services and a separate profile and data. `close` stops it. */
  openTour(): Promise<{ link: BackendHandle; close(): Promise<void> }>;
  startJq(expression: string): Promise<JqThread>;
  /** The profile of this run, and its source. */
  profile(): ProfileChoice;
  /** Opens another profile of this machine. Nothing is started or requested yet. */
  openProfile(name: string): Promise<OtherProfile>;
  /** Tools that need no backend. */
  localTools(): Promise<LocalTools>;
  /** Plans how to open this URL in a browser; `openBrowser` runs the plan. */
  planBrowser(url: string): Promise<BrowserPlan>;
  openBrowser(plan: BrowserPlan): Promise<boolean>;
  /** Prompts sent in the sessions of this profile. */
  history: Omit<HistoryFile, "remove">;
  /**
   * Lets the user edit a text in their editor (VISUAL, EDITOR), or with `usual` in one that is installed. Returns null
   * if there is none, it could not be started, or it failed.
   */
  editText(text: string, options?: { usual: boolean }): Promise<string | null>;
  /**
   * Copies a text with the clipboard program of this machine, otherwise with the sequence that `write` sends to the
   * terminal. Returns a sentence about `what`, such as "the link".
   */
  copy(name: string, text: string, write: (sequence: string) => void): Promise<string>;
  /** Stops the local backend, if it runs and is idle. */
  stopBackend(options?: { force?: boolean }): Promise<"stopped" | "busy" | "not running">;
  /** Returns the status of the local backend, or of the one at an address. @throws Problem UNREACHABLE */
  backendStatus(url: string | undefined): Promise<StatusResponse>;
  /** Runs a program of the system until it ends, at most a minute. `code` is null if it could not be started or was ended. */
  runProgram(program: string, args: string[]): Promise<{ code: number | null; stderr: string }>;
  /** This machine, for `kay doctor` and `kay serve --install`. */
  machine(): MachineFacts;
  /** Runs the backend until the signal aborts. */
  serve(options: ServeOptions): Promise<void>;
  /**
   * Consents at a sandbox on this machine as its demo user, without a browser, and follows the redirect to the
   * backend's callback.
   */
  consentInSandbox(authorizationUrl: string): Promise<void>;
  /** Loads a redirect address of the backend on this machine in place of a browser. Returns the HTTP status. */
  visitCallback(url: string): Promise<number>;
};

/** This machine, for `kay doctor` and `kay serve --install`. */
export type MachineFacts = {
  /** Version and build of this kay. */
  build: string;
  /** `process.platform` and `process.arch`. */
  platform: NodeJS.Platform;
  arch: string;
  /** Home folder as the system reports it. */
  home: string | undefined;
  /** Version of Node without the v, and where it is. */
  node: string;
  execPath: string;
  /** The file that started this process. */
  launcher: string;
  /** `process.getuid()`; undefined on Windows. */
  uid: number | undefined;
  paths: Paths;
  keychain: Keychain;
  /** Absolute path of a program on PATH, or null. */
  find(program: string): string | null;
  /** Folder of the embedded Postgres package. @throws Problem DATABASE_UNAVAILABLE if it is not installed */
  postgres(): Promise<string>;
  /** Tests the route to an address step by step, without sending a request; takes at most 14 s. */
  walk(address: string, signal: AbortSignal): Promise<ProbeStep[]>;
};

import type { Keychain } from "#client/credentials/keychain";
import type { EmbeddedPorts } from "#client/embedded/embedded";
import type { Paths } from "#client/paths";
import type { Settings } from "#client/settings/settings";
import type { SettingKey } from "#client/settings/table";
import type { Processes } from "#files/processes";
import type { OpenStream, Send, Timer } from "#net/ports";
import type { Kay, LocalTools, MachineFacts, ServeOptions } from "./kay.ts";
import type { LaunchCommand } from "./terminal/browser.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** Ports of one command. `src/main.ts` builds them from the process; tests pass their own. */
export type CliPorts = {
  version: string;
  /** See {@link Kay}. */
  greeted?: boolean;
  /** Distinguishes two builds of one version, because another build must not use the backend of this one. */
  build: string;
  env: Record<string, string | undefined>;
  platform: NodeJS.Platform;
  home: string | undefined;
  cwd: string;
  terminal: Terminal;
  signal: AbortSignal;
  /** See {@link Kay}. */
  catchInterrupts: Kay["catchInterrupts"];
  /** See {@link Kay}. */
  interrupt: Kay["interrupt"];
  clock: Timer;
  random(bytes: number): Uint8Array;
  send: Send;
  openStream: OpenStream;
  keychain: Keychain;
  processes: Processes;
  /** Sends a signal to a process. */
  endProcess(pid: number, signal: "SIGTERM" | "SIGKILL"): void;
  /** See {@link Kay}. */
  packaged: Kay["readPackageFile"];
  /** Content of a small file; "" if it cannot be read. */
  readText(path: string): string;
  /** Absolute path of a program on PATH, or null. */
  findProgram(program: string): string | null;
  /** See {@link Kay}. */
  runProgram(program: string, args: string[], signal: AbortSignal): ReturnType<Kay["runProgram"]>;
  /** Starts a separate program without the terminal. Returns whether it started. */
  launch(launch: LaunchCommand): Promise<boolean>;
  /** Edits a text on the terminal with this editor, as in EDITOR; null if it could not be started. */
  edit(editor: string, text: string): Promise<string | null>;
  /** Fills the clipboard with this program. Returns whether it succeeded. */
  fillClipboard(program: LaunchCommand, text: string): Promise<boolean>;
  /**
   * Shows a text on the terminal with this pager, as in PAGER, until the user leaves it or the signal aborts; false if
   * it could not be started.
   */
  showInPager(pager: string, text: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Starts `kay serve --embedded` as a separate process with the settings of this profile. Its output is appended to
   * `log`. With `sandbox`, it has only sandbox services.
   */
  spawnBackend(log: string, profile: string, options?: { sandbox?: boolean }): ReturnType<EmbeddedPorts["spawn"]>;
  /** More facts for `kay doctor`. */
  machine: Pick<MachineFacts, "arch" | "node" | "execPath" | "launcher" | "uid" | "postgres" | "walk">;
  /** Tools that run in this process, without a backend. `setting` reads the addresses of self-hosted installations. */
  localTools(setting: (key: SettingKey) => string | undefined): Promise<LocalTools>;
  /** Starts a thread that runs a jq expression. */
  startJq: Kay["startJq"];
  /**
   * Runs the backend. `settings` reads them again each time, so that a changed model takes effect without a restart.
   */
  serve(options: ServeOptions, kay: Kay, ports: { paths: Paths; settings(): Settings }): Promise<void>;
};

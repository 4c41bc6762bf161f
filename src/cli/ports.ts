import type { Keychain } from "#client/credentials/keychain";
import type { EmbeddedPorts } from "#client/embedded/embedded";
import type { Paths } from "#client/paths";
import type { Settings } from "#client/settings/settings";
import type { SettingKey } from "#client/settings/table";
import type { Processes } from "#files/processes";
import type { OpenStream, Send, Timer } from "#net/ports";
import type { MachineFacts } from "./commands/doctor/machine.ts";
import type { Kay, LocalTools, ServeOptions } from "./kay.ts";
import type { LaunchCommand } from "./terminal/browser.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** The outside world of one command. `src/main.ts` takes it from the process; tests make their own. */
export type CliPorts = {
  version: string;
  /** See {@link Kay}. */
  greeted?: boolean;
  /** Tells two builds of one version apart: another build does not adopt the backend of this one. */
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
  /** See {@link Kay}. */
  packaged: Kay["readPackageFile"];
  /** Contents of a small file, "" when it cannot be read. */
  readText(path: string): string;
  /** Absolute path of a program on PATH, or null. */
  findProgram(program: string): string | null;
  /** See {@link Kay}. */
  runProgram(program: string, args: string[], signal: AbortSignal): ReturnType<Kay["runProgram"]>;
  /** Start a program apart from this one, without the terminal; whether it started. */
  launch(launch: LaunchCommand): Promise<boolean>;
  /** Change a text with this editor, as EDITOR names it, on the terminal; null when it could not be started. */
  edit(editor: string, text: string): Promise<string | null>;
  /** Show a text with this pager, as PAGER names it, on the terminal, until the person leaves it or the signal ends; false when it could not be started. */
  showInPager(pager: string, text: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Start `kay serve --embedded` with the settings of this profile apart from this process, its output appended to
   * `log`. With `sandbox` it has no other services.
   */
  spawnBackend(log: string, profile: string, options?: { sandbox?: boolean }): ReturnType<EmbeddedPorts["spawn"]>;
  /** What else `kay doctor` looks at. */
  machine: Pick<MachineFacts, "arch" | "node" | "execPath" | "launcher" | "uid" | "postgres" | "walk">;
  /** Tools that run in this process, without a backend. `setting` reads where one's own installations are. */
  localTools(setting: (key: SettingKey) => string | undefined): Promise<LocalTools>;
  /** Start a thread that runs an expression of jq. */
  startJq: Kay["startJq"];
  /** Run the backend. `settings` reads them anew, so that a changed model counts without a restart. */
  serve(options: ServeOptions, kay: Kay, ports: { paths: Paths; settings(): Settings }): Promise<void>;
};

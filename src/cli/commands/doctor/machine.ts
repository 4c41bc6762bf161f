import type { Keychain } from "#client/credentials/keychain";
import type { Paths } from "#client/paths";
import type { ProbeStep } from "#net/probe/step";

/** This machine, for `kay doctor` and `kay serve --install`. */
export type MachineFacts = {
  /** Version and build of this kay. */
  build: string;
  /** As `process.platform` and `process.arch`. */
  platform: NodeJS.Platform;
  arch: string;
  /** Home folder as the system reports it. */
  home: string | undefined;
  /** Version of Node without the v, and where it is. */
  node: string;
  execPath: string;
  /** The file that started this process. */
  launcher: string;
  /** As `process.getuid()`; undefined on Windows. */
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

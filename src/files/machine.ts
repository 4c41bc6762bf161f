import { getErrno } from "./folders.ts";
/**
 * What the embedded Postgres needs to know about the machine. `src/process.ts` builds it from `process`, which the
 * store never reads.
 */
export type Machine = {
  /** `process.platform`. */
  platform: string;
  /** `process.arch`. */
  arch: string;
  /** `process.getuid()`; undefined on Windows. */
  uid: number | undefined;
  pid: number;
  tmpdir: string;
  /** Data folder if kay runs as root (`/var/lib/kay`), because Postgres then runs as another user. */
  systemFolder: string;
  /** Environment of the Postgres processes: only what the system needs (`PATH`, on Windows `SystemRoot`). */
  env: Record<string, string>;
  /** Like `process.kill`: throws `ESRCH` if the process does not exist. */
  kill(pid: number, signal: 0 | "SIGINT" | "SIGQUIT" | "SIGTERM" | "SIGKILL"): void;
  /**
   * Like `import.meta.resolve`, but returns the path of an installed package's main file. Throws if it is not
   * installed.
   */
  resolve(name: string): string;
};

/** Whether a process with this ID exists, as far as this user can know. */
export function isAlive(machine: Machine, pid: number): boolean {
  try {
    machine.kill(pid, 0);
    return true;
  } catch (error) {
    return getErrno(error) === "EPERM";
  }
}

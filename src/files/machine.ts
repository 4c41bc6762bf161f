import { getErrno } from "./errno.ts";
/**
 * What the embedded Postgres needs to know of the machine. `src/process.ts` builds it from `process`; nothing in the store reads `process` itself.
 */
export type Machine = {
  /** As `process.platform`. */
  platform: string;
  /** As `process.arch`. */
  arch: string;
  /** As `process.getuid()`; undefined on Windows. */
  uid: number | undefined;
  pid: number;
  tmpdir: string;
  /** Where data lies when kay runs as root, since Postgres then runs as `nobody`: `/var/lib/kay`. */
  systemFolder: string;
  /** Environment of the Postgres processes: nothing of the caller's own but what the system needs (`PATH`, on Windows `SystemRoot`). */
  env: Record<string, string>;
  /** As `process.kill`: throws `ESRCH` if there is no such process. */
  kill(pid: number, signal: 0 | "SIGINT" | "SIGQUIT" | "SIGTERM" | "SIGKILL"): void;
  /** As `import.meta.resolve`, but answers a path: the main file of an installed package. Throws if it is not installed. */
  resolve(name: string): string;
};

/** Whether a process with this id exists, as far as this user may know. */
export function isAlive(machine: Machine, pid: number): boolean {
  try {
    machine.kill(pid, 0);
    return true;
  } catch (error) {
    return getErrno(error) === "EPERM";
  }
}

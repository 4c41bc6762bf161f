import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import type { Machine } from "#files/processes";

/** This machine, as `src/process.ts` describes it, with root's databases below a test folder. */
export function thisMachine(systemFolder: string, changes: Partial<Machine> = {}): Machine {
  return {
    platform: process.platform,
    arch: process.arch,
    uid: process.getuid?.(),
    pid: process.pid,
    tmpdir: tmpdir(),
    systemFolder,
    env: { PATH: process.env.PATH ?? "" },
    kill: (pid, signal) => void process.kill(pid, signal),
    resolve: createRequire(import.meta.url).resolve,
    ...changes,
  };
}

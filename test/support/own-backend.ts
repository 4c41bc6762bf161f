import { dirname, join } from "node:path";
import { computeFingerprint } from "#client/embedded/embedded";
import type { Processes } from "#files/processes";
import { writeRecord } from "#host/embedded";
import { EMBEDDED_RECORD } from "#protocol/embedded";
import { BACKEND } from "./network.ts";

/** The secret that opens kay's own backend in tests. */
export const OWN_SECRET = "local-secret";

const KAY_PID = 4242;
const BACKEND_PID = 5000;

/** The processes of a test's machine: the command line's, and once it was started that of kay's own backend. */
export type OwnBackend = {
  processes: Processes;
  /** How often it was started. */
  starts(): number;
  /** Stands for `kay serve --embedded`: writes the record as that does. `fails` ends at once instead. */
  spawn(log: string, env: Record<string, string | undefined>, fails: boolean): { ended(): Promise<number | null> };
};

/** kay's own backend as a machine sees it, without a process: requests reach the place's backend all the same. */
export function ownBackend(): OwnBackend {
  let starts = 0;
  const started = async (pid: number) => (pid === KAY_PID || (pid === BACKEND_PID && starts > 0) ? "then" : null);
  return {
    processes: { pid: KAY_PID, getStartTime: started },
    starts: () => starts,
    spawn(log, env, fails) {
      if (fails) return { ended: async () => 1 };
      starts += 1;
      const mark = computeFingerprint(OWN_SECRET, "test", env, {});
      const record = {
        pid: BACKEND_PID,
        started: "then",
        url: BACKEND,
        secret: OWN_SECRET,
        version: "0",
        fingerprint: mark,
      };
      const written = writeRecord(join(dirname(log), EMBEDDED_RECORD), record);
      return { ended: () => written.then(() => new Promise<never>(() => {})) };
    },
  };
}

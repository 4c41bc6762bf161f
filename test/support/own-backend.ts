import { dirname, join } from "node:path";
import { computeFingerprint } from "#client/embedded/embedded";
import { computeProof } from "#client/embedded/proof";
import type { Processes } from "#files/processes";
import { writeRecord } from "#host/embedded";
import type { Send } from "#net/ports";
import { EMBEDDED_RECORD, PROOF_PATH } from "#protocol/embedded";
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

/** A way on which backends with this secret answer challenges; everything else goes the way it was given. */
export function answeringProofs(send: Send, secret: (url: string) => string | undefined = () => OWN_SECRET): Send {
  return async (request) => {
    const { origin, pathname, searchParams } = new URL(request.url);
    if (pathname !== PROOF_PATH) return send(request);
    const known = secret(origin);
    const proof = known === undefined ? "no" : computeProof(known, origin, searchParams.get("challenge") ?? "");
    return { status: 200, headers: {}, body: proof };
  };
}

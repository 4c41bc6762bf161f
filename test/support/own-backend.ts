import { dirname, join } from "node:path";
import { computeFingerprint } from "#client/embedded/embedded";
import { computeProof } from "#client/embedded/record";
import type { Processes } from "#files/processes";
import { writeRecord } from "#host/embedded";
import type { Send } from "#net/ports";
import { EMBEDDED_RECORD, PROOF_PATH } from "#protocol/embedded";
import { BACKEND } from "./network.ts";

/** The local backend's secret in tests. */
export const OWN_SECRET = "local-secret";

const KAY_PID = 4242;
const BACKEND_PID = 5000;

/** The processes of a test machine: the command line's and, once started, the local backend's. */
export type OwnBackend = {
  processes: Processes;
  /** How often it was started. */
  starts(): number;
  /** Simulates `kay serve --embedded`: writes its record. `fails` ends at once instead. */
  spawn(
    log: string,
    env: Record<string, string | undefined>,
    fails: boolean,
  ): { waitForExit(): Promise<number | null> };
};

/** The local backend as a machine sees it, without a process: requests reach the test's backend. */
export function createOwnBackend(): OwnBackend {
  let starts = 0;
  const findStartTime = async (pid: number) => (pid === KAY_PID || (pid === BACKEND_PID && starts > 0) ? "then" : null);
  return {
    processes: { pid: KAY_PID, getStartTime: findStartTime },
    starts: () => starts,
    spawn(log, env, fails) {
      if (fails) return { waitForExit: async () => 1 };
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
      const writing = writeRecord(join(dirname(log), EMBEDDED_RECORD), record);
      return { waitForExit: () => writing.then(() => new Promise<never>(() => {})) };
    },
  };
}

/** A network on which backends with this secret answer challenges; everything else is passed on. */
export function answerProofs(send: Send, secret: (url: string) => string | undefined = () => OWN_SECRET): Send {
  return async (request) => {
    const { origin, pathname, searchParams } = new URL(request.url);
    if (pathname !== PROOF_PATH) return send(request);
    const knownSecret = secret(origin);
    const proof =
      knownSecret === undefined ? "no" : computeProof(knownSecret, origin, searchParams.get("challenge") ?? "");
    return { status: 200, headers: {}, body: proof };
  };
}

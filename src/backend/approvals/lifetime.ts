import type { BackendPorts } from "../ports.ts";
import { findApprovalTimeout } from "../store/installations.ts";

/** How long a request waits by default, in seconds: until the same time of the next day. */
const DEFAULT_SECONDS = 24 * 3_600;

/** How long a request waits in ms, and whether it stays open longer while a client that can answer is attached. */
export type Lifetime = { ms: number; stays: boolean };

/**
 * Returns how long a request waits: what the caller chose, else the person's policy, else the operator's setting. A chosen
 * time is exact. Without one, a request also stays while a client is attached.
 *
 * @param known the person's policy, if it was just read
 */
export async function findLifetime(
  ports: Pick<BackendPorts, "db" | "approvalTimeout">,
  installationId: string,
  chosen: number | undefined,
  known?: { approval_timeout: number | null }[],
): Promise<Lifetime> {
  const find = async () => (known ? known[0]?.approval_timeout : await findApprovalTimeout(ports.db, installationId));
  const seconds = chosen ?? (await find()) ?? ports.approvalTimeout?.();
  return seconds === undefined ? { ms: DEFAULT_SECONDS * 1_000, stays: true } : { ms: seconds * 1_000, stays: false };
}

import type { StatusResponse } from "#protocol/connections";
import { Problem } from "#protocol/errors";
import { startSignIn } from "../../accounts/sign-in.ts";
import type { BackendPorts } from "../../ports.ts";
import { lockInstallation } from "../../store/installations.ts";
import { compareSecrets, hashSecret } from "../../store/secrets.ts";
import { type AuthorizationState, findState, markDelivered } from "../../store/states.ts";
import { hasLiveFamily } from "../../store/token-families.ts";

const STATE = /^[0-9a-f]{64}$/;

/** Returns the hash under which a state is stored, or `undefined` if the text cannot be a state of this backend. */
export function hashState(state: string | null | undefined): Buffer | undefined {
  return state && STATE.test(state) ? hashSecret(state) : undefined;
}

/** A state that waits for its user. `text` is the state itself. */
export type PendingState = { text: string; row: AuthorizationState };

/** Finds a state that still waits for its user; undefined for one that is unknown, over or expired. */
export async function findPendingState(
  ports: Pick<BackendPorts, "db" | "clock">,
  text: string | null,
): Promise<PendingState | undefined> {
  const hash = hashState(text);
  const row = hash && (await findState(ports.db, hash));
  if (!text || !row || row.status !== "pending" || row.expires_at.getTime() <= ports.clock.now()) return undefined;
  return { text, row };
}

/**
 * Returns the outcome of an authorization (docs/protocol.md). `completed` is reported once, with tokens if the consent
 * earned them: of any number of callers exactly one gets it.
 * @param verifier of the S256 challenge that the connect call carried (RFC 7636 section 4.6)
 * @throws Problem STATE_INVALID (400), VERIFIER_INVALID (401), STATE_USED (410)
 */
export async function getAuthorizationStatus(
  ports: BackendPorts,
  state: string,
  verifier: string | null,
): Promise<StatusResponse> {
  const hash = hashState(state);
  const row = hash && (await findState(ports.db, hash));
  if (!row) throw new Problem("STATE_INVALID", "Invalid or expired state");
  checkVerifier(row, verifier);
  if (row.status === "denied") return { status: "denied", message: row.message ?? "Authorization was denied" };
  if (row.status === "failed") return fail(row);
  if (row.delivered_at) throw stateUsedProblem();
  if (row.expires_at.getTime() <= ports.clock.now()) {
    return { status: "expired", message: `The link to connect ${row.service} has expired after 10 minutes` };
  }
  if (row.status !== "completed") return { status: "pending", message: "Authorization not yet completed" };
  return deliver(ports, row);
}

function checkVerifier(row: AuthorizationState, verifier: string | null): void {
  if (row.code_challenge === null) return;
  if (verifier && compareSecrets(hashSecret(verifier).toString("base64url"), row.code_challenge)) return;
  throw new Problem("VERIFIER_INVALID", "Kay-Verifier does not belong to this state.");
}

function fail(row: AuthorizationState): StatusResponse {
  const { sites, hint } = (row.details ?? {}) as { sites?: { name: string; url: string }[]; hint?: string };
  return {
    status: "failed",
    message: row.message ?? "Authorization failed",
    ...(row.code === null ? {} : { code: row.code }),
    ...(hint ? { hint } : {}),
    ...(sites ? { sites } : {}),
  };
}

/** Delivers the outcome once. Leaves out earned tokens if a sign-in began since then, unless they were requested. */
async function deliver(ports: BackendPorts, row: AuthorizationState): Promise<StatusResponse> {
  const now = new Date(ports.clock.now());
  const isEarned = (row.details as { tokens?: boolean } | null)?.tokens === true;
  return ports.db.transaction().execute(async (db) => {
    await lockInstallation(db, row.installation_id);
    if (!(await markDelivered(db, row.hash, now))) throw stateUsedProblem();
    const mustIssueTokens = isEarned && (row.needs_tokens || !(await hasLiveFamily(db, row.installation_id, now)));
    const pair = mustIssueTokens ? await startSignIn(ports, db, row.installation_id) : {};
    return {
      status: "completed",
      account_id: row.account_id ?? undefined,
      ...pair,
      message: row.message ?? "Authorization completed successfully",
    };
  });
}

function stateUsedProblem(): Problem {
  return new Problem("STATE_USED", "This state was completed and answered already.");
}

import { randomBytes } from "node:crypto";
import { Problem } from "#protocol/errors";
import type { BackendPorts } from "../ports.ts";
import {
  answerConfirmation,
  findConfirmation,
  insertConfirmation,
  type StoredConfirmation,
} from "../store/confirmations.ts";
import { hashSecret } from "../store/secrets.ts";

/** How long a confirmation waits for its answer, in ms: 5 minutes. */
const CONFIRMATION_LIFE = 300_000;

type Ports = Pick<BackendPorts, "db" | "clock">;
type HeldRequest = Omit<StoredConfirmation, "expiresAt" | "answeredAt" | "approved">;

/**
 * Holds a request for confirmation. The token is shown once and stored as a hash. It is valid for one answer by the
 * same installation within 5 minutes.
 */
export async function openConfirmation(
  { db, clock }: Ports,
  installationId: string,
  request: HeldRequest,
): Promise<{ token: string; expiresAt: string }> {
  const now = clock.now();
  const token = `confirm_${now}_${randomBytes(16).toString("hex")}`;
  const expiresAt = new Date(now + CONFIRMATION_LIFE);
  await insertConfirmation(db, hashSecret(token), installationId, { ...request, expiresAt }, now);
  return { token, expiresAt: expiresAt.toISOString() };
}

/**
 * Answers a confirmation. The first answer wins by compare-and-set in the store; later callers get that answer.
 * @throws Problem CONFIRMATION_NOT_FOUND (unknown, or another installation's), CONFIRMATION_USED, CONFIRMATION_EXPIRED
 */
export async function closeConfirmation(
  { db, clock }: Ports,
  installationId: string,
  token: string,
  approved: boolean,
): Promise<StoredConfirmation> {
  const answered = await answerConfirmation(db, hashSecret(token), installationId, approved, clock.now());
  if (answered) return answered;
  const confirmation = await findConfirmation(db, hashSecret(token), installationId);
  if (!confirmation) throw new Problem("CONFIRMATION_NOT_FOUND", "No confirmation has this token.");
  if (confirmation.answeredAt) throw alreadyAnsweredProblem(confirmation, confirmation.answeredAt);
  throw new Problem("CONFIRMATION_EXPIRED", "The confirmation expired after 5 minutes; nothing was done.");
}

/** Returns a confirmation without answering it, if the installation has it. */
export function peekConfirmation(
  { db }: Ports,
  installationId: string,
  token: string,
): Promise<StoredConfirmation | undefined> {
  return findConfirmation(db, hashSecret(token), installationId);
}

function alreadyAnsweredProblem({ approved }: StoredConfirmation, at: Date): Problem {
  const answer = approved ? "approved" : "denied";
  return new Problem("CONFIRMATION_USED", `The confirmation was already ${answer} at ${at.toISOString()}.`, {
    details: { answered: answer, answered_at: at.toISOString() },
  });
}

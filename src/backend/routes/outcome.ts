import type { AskResponse, OutcomeResponse } from "#protocol/ask";
import { Problem, toProblemBody } from "#protocol/errors";
import { loadAnswer } from "../generations/requests/run-result.ts";
import { isHeld } from "../generations/run.ts";
import type { BackendPorts } from "../ports.ts";
import { listReceipts } from "../store/effects.ts";
import { findLastEventNumber, listEvents } from "../store/events.ts";
import type { StoredGeneration } from "../store/generation-row.ts";
import { findGeneration } from "../store/generations.ts";
import type { StoredRequest } from "../store/requests.ts";
import type { StreamPosition } from "./ask-stream.ts";

type Ports = Pick<BackendPorts, "db">;

/**
 * Loads the outcome of a write. The answer of a generation comes from its rows, even if the process that took the request
 * is gone or could not store the answer.
 */
export async function loadOutcome(
  ports: Ports,
  { state, status, answer, generationId }: StoredRequest,
): Promise<OutcomeResponse> {
  const stream = getStreamPosition(answer);
  if (state === "done" && !stream) return { state, status: status ?? undefined, answer };
  const id = stream?.generation_id ?? generationId;
  if (id === null) return { state };
  const answerBody = await loadAnswer(ports, id);
  if (answerBody) return { state: "done", status: 200, answer: answerBody };
  const row = await findGeneration(ports.db, id);
  if (row === undefined) return toDone(DELETED, id, []);
  if (!stream && isHeld(row) && row.progress.approval === "none")
    return toDone(UNDELIVERED, id, await listReceipts(ports.db, id));
  return { state: "running", session_id: row.conversation_id, after: stream?.after ?? (await findStart(ports, row)) };
}

/** Returns where the stream of a stored answer begins, if it is one. */
export function getStreamPosition(answer: unknown): StreamPosition | undefined {
  return (answer as { stream?: StreamPosition } | null)?.stream;
}

/** Returns the number of the last event before a generation. */
async function findStart({ db }: Ports, { id, conversation_id }: StoredGeneration): Promise<number> {
  const last = await findLastEventNumber(db, conversation_id);
  const [first] = await listEvents(db, id);
  return first ? first.number - 1 : last;
}

const DELETED = new Problem("CANCELLED", "The conversation was deleted before it was finished.");
/** Answer for a confirmation whose token was lost: only its hash is stored. */
const UNDELIVERED = new Problem(
  "CONFIRMATION_NOT_FOUND",
  "The confirmation did not reach you, so the calls that it asks about were not run.",
);

function toDone(problem: Problem, id: string, receipts: AskResponse["receipts"]): OutcomeResponse {
  const answer = { status: "error", ...toProblemBody(problem), generation_id: id, receipts };
  return { state: "done", status: problem.status, answer };
}

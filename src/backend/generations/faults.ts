import { ERRORS, Problem } from "#protocol/errors";
import type { InteractionResponse, StreamPart } from "#protocol/events";
import type { BackendPorts } from "../ports.ts";
import type { DbConnection } from "../store/connection.ts";
import { isDatabaseAway } from "../store/database.ts";
import { appendEvents } from "../store/events.ts";
import { changeGeneration, lockGeneration, type StoredGeneration } from "../store/generations.ts";
import { closeInteraction, listInteractions } from "../store/interactions.ts";
import { toResponseParts } from "./calls.ts";
import { toAuthResultParts, toStatusPart } from "./end.ts";
import { recordGenerationEnd } from "./measured.ts";

/** So many faults in a row end a generation. */
const MOST = 5;

/** Milliseconds until it is tried again after the first; twice as long after each more. */
const FIRST_RETRY = 1_000;

/** Doubled no more than so often: about an hour. */
const MOST_DOUBLED = 12;

/**
 * Work on a generation ended in a fault of kay's own: it is given back, tried again later and later, and in the end given up, so that nothing
 * is looked at for ever. A database that is away is no fault of the generation's.
 *
 * @param node the number under which it was claimed
 * @returns false when it is not noted here, so that the claim is still to be given back
 */
export async function recordFault(ports: BackendPorts, id: string, node: number, error: unknown): Promise<boolean> {
  if (isDatabaseAway(error)) return false;
  const { db, clock, log } = ports;
  const now = clock.now();
  const failures = await db.transaction().execute(async (tx) => {
    const row = await lockGeneration(tx, id);
    if (row?.node !== node) return undefined;
    const wait = FIRST_RETRY * 2 ** Math.min(row.failures, MOST_DOUBLED);
    await changeGeneration(tx, id, { node: null, failures: row.failures + 1, retry_at: new Date(now + wait) });
    return row.failures + 1;
  });
  if (failures === undefined) return false;
  if (failures === 1) log("error", "generation_fault", { generation: id, error });
  if (failures < MOST) return true;
  const given = await db.transaction().execute(async (tx) => {
    const row = await lockGeneration(tx, id);
    if (row) await giveUp(tx, row, now);
    return row;
  });
  if (given) recordGenerationEnd(ports, given, "error", "INTERNAL");
  log("error", "generation_given_up", { generation: id, failures, error });
  return true;
}

/** The plainest end there is: nothing is read that may be what cannot be read. */
async function giveUp(tx: DbConnection, row: StoredGeneration, now: number): Promise<void> {
  const { id } = row;
  const finished_at = new Date(now);
  const problem = new Problem(
    "INTERNAL",
    "Something went wrong inside kay again and again; this request was given up.",
  );
  const open = (await listInteractions(tx, id)).filter(({ status }) => status === "open");
  const responses = open.map(
    ({ id: interaction_id }): InteractionResponse => ({
      interaction_id,
      action: "cancel",
      reason: problem.message,
      answered_at: finished_at.toISOString(),
    }),
  );
  for (const response of responses) await closeInteraction(tx, response.interaction_id, "cancelled", response, now);
  const awaited = row.auth?.integrations ?? [];
  const parts: StreamPart[] = [
    ...responses.flatMap(toResponseParts),
    ...(awaited.length > 0 ? [toAuthResultParts(false, awaited, { reason: problem.message })] : []),
    toStatusPart(row, "error"),
    { type: "error", errorText: problem.message, code: problem.code, hint: ERRORS.INTERNAL.hint },
  ];
  const events = parts.map((part) => ({ generationId: id, part }));
  await appendEvents(tx, row.conversation_id, events, now);
  const over = { finished_at, node: null, wake_at: null, step: null, auth: null } as const;
  await changeGeneration(tx, id, { status: "error", ...over });
}

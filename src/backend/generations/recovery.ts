import { ERRORS, Problem } from "#protocol/errors";
import type { StreamPart } from "#protocol/events";
import type { InteractionResponse } from "#protocol/interactions";
import type { BackendPorts } from "../ports.ts";
import { forgetLostClients, forgetLostFollowers } from "../store/clients.ts";
import { forgetConfirmationsBefore } from "../store/confirmations.ts";
import { getFaultLevel, isDatabaseAway } from "../store/database.ts";
import { markLostEffects } from "../store/effects.ts";
import { appendEvents } from "../store/events.ts";
import type { GenerationRow } from "../store/generation-row.ts";
import { wakeGeneration } from "../store/generation-wakes.ts";
import { changeGeneration, lockGeneration } from "../store/generations.ts";
import {
  closeInteraction,
  listExpiredInteractions,
  listInteractions,
  type StoredInteraction,
} from "../store/interactions.ts";
import { forgetRequestsBefore, interruptLostRequests } from "../store/requests.ts";
import type { DbConnection } from "../store/schema.ts";
import { runTransaction } from "../store/wake-ups.ts";
import { toResponseParts } from "./calls/call-ports.ts";
import { recordGenerationEnd, toAuthResultParts, toStatusPart } from "./end.ts";
import { LostGeneration } from "./events/writer.ts";

/**
 * How long answered requests and expired confirmations are kept, in ms: longer than any client looks for a lost answer.
 */
const MEMORY_MS = 7 * 24 * 60 * 60_000;

type Ports = Pick<BackendPorts, "db" | "clock" | "log" | "observe">;

/** Runs once at start-up: {@link markLostWork}, then removes answers that are no longer looked up. */
export async function recoverLostWork(ports: Ports): Promise<void> {
  await markLostWork(ports);
  const cutoff = new Date(ports.clock.now() - MEMORY_MS);
  await forgetRequestsBefore(ports.db, cutoff);
  await forgetConfirmationsBefore(ports.db, cutoff);
}

/**
 * Marks effects that vanished nodes left unfinished as unknown, so that they never run again. Their generations
 * continue separately (`Backend.tick`).
 */
export async function markLostWork({ db, clock, log, observe }: Ports): Promise<void> {
  const unknown = await markLostEffects(db, clock.now());
  await interruptLostRequests(db);
  await forgetLostClients(db, clock.now());
  await forgetLostFollowers(db);
  if (unknown > 0) observe?.count("kay_effects_total", { state: "unknown" }, unknown);
  if (unknown > 0) log("warn", "effects_unknown", { count: unknown });
}

/**
 * Closes every expired request once, on whichever node comes first.
 *
 * @returns the generations that waited for them
 */
export async function expireOverdue(
  ports: Pick<BackendPorts, "db" | "clock" | "observe">,
  now: number,
): Promise<string[]> {
  const ids = new Set<string>();
  for (const interaction of await listExpiredInteractions(ports.db, now)) {
    await expireInteraction(ports, interaction, now);
    if (!interaction.late) ids.add(interaction.generation_id);
  }
  return [...ids];
}

/** Closes one as expired. Returns false if something else ended it first. */
export async function expireInteraction(
  { db, observe }: Pick<BackendPorts, "db" | "observe">,
  { id, conversation_id, generation_id, late }: StoredInteraction,
  now: number,
): Promise<boolean> {
  const answered_at = new Date(now).toISOString();
  const response: InteractionResponse = { interaction_id: id, action: "expire", answered_at };
  const isFirst = await runTransaction(db, async (tx) => {
    await lockGeneration(tx, generation_id);
    if (!(await closeInteraction(tx, id, "expired", response, now))) return false;
    const parts = toResponseParts(response).map((part) => ({ generationId: generation_id, part }));
    await appendEvents(tx, conversation_id, parts, now);
    if (!late) await wakeGeneration(tx, generation_id, now);
    return true;
  });
  if (isFirst) observe?.count("kay_interactions_total", { event: "expired" });
  return isFirst;
}

/** Number of consecutive faults that end a generation. */
const MOST = 5;

/** Wait before the first retry, in ms. It doubles with each further fault. */
const FIRST_RETRY = 1_000;

/** Maximum number of doublings: about an hour. */
const MOST_DOUBLED = 12;

/**
 * Records a fault of kay itself: the generation is released, retried at growing intervals, and finally given up. A
 * database that is away is not the generation's fault.
 * @param node the number under which it was claimed
 * @returns false when the fault was not recorded, so that the claim must still be released
 */
export async function recordFault(ports: BackendPorts, id: string, node: number, error: unknown): Promise<boolean> {
  if (isDatabaseAway(error)) return false;
  const { db, clock, log } = ports;
  const now = clock.now();
  const failures = await runTransaction(db, async (tx) => {
    const row = await lockGeneration(tx, id);
    if (row?.node !== node) return undefined;
    const wait = FIRST_RETRY * 2 ** Math.min(row.failures, MOST_DOUBLED);
    await changeGeneration(tx, id, { node: null, failures: row.failures + 1, retry_at: new Date(now + wait) });
    return row.failures + 1;
  });
  if (failures === undefined) return false;
  if (failures === 1) log("error", "generation_fault", { generation: id, error });
  if (failures < MOST) return true;
  await endGivenUp(ports, id, "Something went wrong inside kay repeatedly, so the request was stopped.");
  log("error", "generation_given_up", { generation: id, failures, error });
  return true;
}

/** Number of consecutive nodes that may end while they run the same step. */
const MOST_LOST = 3;

/**
 * Ends a generation whose step ended every node that ran it. Another node would probably end as well, with all its
 * other work.
 *
 * @param row as it was before this node claimed it
 */
export async function endIfLostTooOften(
  ports: BackendPorts,
  row: Pick<GenerationRow, "id" | "node" | "failures">,
): Promise<boolean> {
  if (row.node === null || row.failures + 1 < MOST_LOST) return false;
  const message = `The backend failed ${MOST_LOST} times while it worked on this request, so the request was stopped.`;
  await endGivenUp(ports, row.id, message);
  ports.log("error", "generation_given_up", { generation: row.id, losses: MOST_LOST });
  return true;
}

async function endGivenUp(ports: BackendPorts, id: string, message: string): Promise<void> {
  const generation = await runTransaction(ports.db, async (tx) => {
    const row = await lockGeneration(tx, id);
    if (row) await giveUp(tx, row, { message, now: ports.clock.now() });
    return row;
  });
  if (generation) recordGenerationEnd(ports, generation, "error", "INTERNAL");
}

/** Ends a generation without reading anything that may be unreadable. */
async function giveUp(
  tx: DbConnection,
  row: GenerationRow,
  { message, now }: { message: string; now: number },
): Promise<void> {
  const { id } = row;
  const finished_at = new Date(now);
  const problem = new Problem("INTERNAL", message);
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
  const awaitedServices = row.auth?.integrations ?? [];
  const parts: StreamPart[] = [
    ...responses.flatMap(toResponseParts),
    ...(awaitedServices.length > 0 ? [toAuthResultParts(false, awaitedServices, { reason: problem.message })] : []),
    toStatusPart(row, "error"),
    { type: "error", errorText: problem.message, code: problem.code, hint: ERRORS.INTERNAL.hint },
  ];
  const events = parts.map((part) => ({ generationId: id, part }));
  await appendEvents(tx, row.conversation_id, events, now);
  const endFields = { finished_at, node: null, wake_at: null, step: null, auth: null } as const;
  await changeGeneration(tx, id, { status: "error", ...endFields });
}

/** Logs why a run ended early. The next tick, here or on another node, takes up a generation that this node cannot continue. */
export function logRunFault(ports: Pick<BackendPorts, "log">, id: string, error: unknown): void {
  if (error instanceof LostGeneration) return;
  ports.log(getFaultLevel(error), "generation_fault", { generation: id, error });
}

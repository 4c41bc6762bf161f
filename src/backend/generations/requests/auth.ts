import { cleanLine } from "#protocol/clean";
import type { AuthAnswer, GenerationView } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import type { StreamPart } from "#protocol/events";
import type { AuthNeeded } from "#protocol/interactions";
import { getBaseName } from "#protocol/tool-names";
import { listConnectedServices } from "../../connections/services/overview.ts";
import type { BackendPorts } from "../../ports.ts";
import { appendEvents } from "../../store/events.ts";
import { parseGeneration, type StoredGeneration } from "../../store/generation-row.ts";
import { wakeGeneration } from "../../store/generation-wakes.ts";
import {
  changeGeneration,
  findGeneration,
  listAwaitingAuth,
  listAwaitingService,
  lockGeneration,
} from "../../store/generations.ts";
import { runTransaction } from "../../store/wake-ups.ts";
import { toAuthResultParts } from "../end.ts";
import type { Engine } from "../engine.ts";
import { findAnsweringClient, findAuthClosedProblem } from "../pending.ts";
import { advanceGeneration } from "../progress.ts";

/**
 * Called when a service was connected: generations that wait for it continue with the same calls once all services they
 * wait for are connected.
 */
export async function handleServiceConnected(
  ports: BackendPorts,
  { installationId, service }: { installationId: string; service: string },
): Promise<void> {
  for (const id of await listAwaitingService(ports.db, installationId, service))
    await recordConnection(ports, id, service);
}

/** Lets the requests that wait for a removed service continue without it. */
export async function handleServiceRemoved(
  ports: BackendPorts,
  { installationId, service }: { installationId: string; service: string },
): Promise<void> {
  for (const row of await listAwaitingAuth(ports.db, installationId))
    if (getMissing(row).some((name) => name === service || getBaseName(name) === service))
      await continueWithout(ports, row, undefined);
}

/**
 * Handles `POST /generations/:id/auth`. Success counts only when the connection exists. Declining cancels the
 * generation unless it should continue without the service. The first decline counts, and none after the last
 * connection.
 * @throws Problem GENERATION_NOT_FOUND, GENERATION_CLOSED when it waits for no such service, NOT_CONNECTED; when
 * declining, INTERACTION_CLOSED (details `answered`) if it has ended, INTERACTION_UNAVAILABLE for a client that does
 * not answer
 */
export async function answerAuth(
  ports: BackendPorts,
  engine: Engine,
  row: StoredGeneration,
  { integration, success, go_on, client: clientText }: AuthAnswer,
): Promise<void> {
  if (!success) {
    const client = await findAnsweringClient(ports, row.conversation_id, clientText);
    if (!(await (go_on ? continueWithout(ports, row, client) : decline(ports, row, integration, client))))
      throw (await findAuthClosedProblem(ports, row)) ?? notWaitingProblem(integration);
    if (!go_on) await engine.stop(row.id, formatRefusal(integration, client));
    return;
  }
  if (row.finished_at !== null || !row.auth?.integrations.includes(integration)) throw notWaitingProblem(integration);
  if (!(await listConnectedServices(ports, row.installation_id)).includes(integration)) {
    throw new Problem("NOT_CONNECTED", `${integration} is not connected yet.`, {
      hint: `Run \`kay connect ${integration}\`.`,
    });
  }
  await recordConnection(ports, row.id, integration);
}

function notWaitingProblem(integration: string): Problem {
  return new Problem("GENERATION_CLOSED", `No request is waiting for ${integration}.`);
}

function formatRefusal(integration: string, client: string | undefined): string {
  return `${client === undefined ? "The user" : cleanLine(client, 60)} declined to connect ${integration}.`;
}

/** @returns false when it no longer waits, or another client declined first */
async function decline(
  { db }: BackendPorts,
  { id }: StoredGeneration,
  integration: string,
  client: string | undefined,
): Promise<boolean> {
  return await runTransaction(db, async (tx) => {
    const row = await lockGeneration(tx, id);
    if (!row?.auth || row.cancel !== null || getMissing(row).length === 0) return false;
    await changeGeneration(tx, id, { cancel: formatRefusal(integration, client) });
    return true;
  });
}

/**
 * Fails the calls that need the missing services and lets the model continue.
 * @returns false when it no longer waits, or another client declined first
 */
async function continueWithout(
  { db, clock }: BackendPorts,
  { id }: StoredGeneration,
  client: string | undefined,
): Promise<boolean> {
  const now = clock.now();
  return await runTransaction(db, async (tx) => {
    const row = await lockGeneration(tx, id);
    const missing = row ? getMissing(row) : [];
    if (!row || row.cancel !== null || missing.length === 0) return false;
    await advanceGeneration(tx, parseGeneration(row), { type: "auth-declined", services: missing }, { auth: null });
    const part = toAuthResultParts(false, missing, {
      reason: `The user continues without ${missing.join(" and ")}.`,
      client,
    });
    await appendEvents(tx, row.conversation_id, [{ generationId: id, part }], now);
    await wakeGeneration(tx, id, now);
    return true;
  });
}

function getMissing({ auth }: Pick<StoredGeneration, "auth">): string[] {
  return auth?.integrations.filter((name) => !auth.connected.includes(name)) ?? [];
}

/** Finds a generation of this installation by its ID. @throws Problem GENERATION_NOT_FOUND */
export async function findOwnGeneration(
  ports: BackendPorts,
  installationId: string,
  id: string,
): Promise<StoredGeneration> {
  const row = await findGeneration(ports.db, id);
  if (row?.installation_id === installationId) return row;
  throw new Problem("GENERATION_NOT_FOUND", "No generation has this ID.");
}

/** Converts a generation to its view for clients. */
export function toGenerationView(row: StoredGeneration): GenerationView {
  const auth = row.auth;
  const isAwaited = auth !== null && auth.integrations.length > 0;
  return { id: row.id, session_id: row.conversation_id, status: row.status, ...(isAwaited ? { auth } : {}) };
}

/**
 * Also recorded for a running generation: its calls may have reached the service before it was connected (`wait` in
 * `pause.ts`).
 * @returns whether nothing is missing any longer
 */
async function recordConnection({ db, clock }: BackendPorts, id: string, service: string): Promise<boolean> {
  const now = clock.now();
  return await runTransaction(db, async (tx) => {
    const row = await lockGeneration(tx, id);
    if (!row) return false;
    const auth = row.auth ?? createEmptyNeed(id, now);
    if (auth.connected.includes(service)) return false;
    const connected = [...auth.connected, service];
    const remaining = auth.integrations.filter((name) => !connected.includes(name));
    const isAwaited = auth.integrations.includes(service);
    const isComplete = isAwaited && remaining.length === 0;
    const parts: StreamPart[] = isAwaited
      ? [{ type: "data-auth-progress", data: { connected: service, remaining } }]
      : [];
    if (isComplete) parts.push(toAuthResultParts(true, connected));
    await changeGeneration(tx, id, { auth: isComplete ? null : { ...auth, connected } });
    const events = parts.map((part) => ({ generationId: id, part }));
    await appendEvents(tx, row.conversation_id, events, now);
    if (isComplete) await wakeGeneration(tx, id, now);
    return isComplete;
  });
}

function createEmptyNeed(generation_id: string, now: number): AuthNeeded {
  return { generation_id, integrations: [], connected: [], expires_at: new Date(now).toISOString() };
}

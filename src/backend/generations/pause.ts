import type { ModelMessage } from "ai";
import { sql } from "kysely";
import { checkCall } from "#agent/calls/execute";
import { hasSuspendedCall } from "#agent/calls/suspended-calls";
import type { HeldCall, Wait } from "#agent/events";
import type { ServiceConfiguration } from "#connectors/service";
import { Problem } from "#protocol/errors";
import type { GenerationStatus, StreamPart } from "#protocol/events";
import type { AuthNeeded } from "#protocol/interactions";
import { insertCallsSql, listCalls } from "../store/calls.ts";
import { notifyGeneration } from "../store/generation-wakes.ts";
import { findGeneration, lockGeneration } from "../store/generations.ts";
import { listInteractions } from "../store/interactions.ts";
import { buildAgentTools } from "../tools/toolbox.ts";
import { isDuringCall, notifyCancelled } from "./calls/call-ports.ts";
import { toCall } from "./calls/stored-outcomes.ts";
import { cancelGeneration, toStatusPart } from "./end.ts";
import { toCalls } from "./recorder.ts";
import type { ClaimedGeneration, ClaimedRow } from "./work.ts";

/** How long to wait for a connection, in ms. Longer than for an approval, because the user signs in elsewhere. */
const AUTH_LIFE = 10 * 60_000;

/**
 * How long a held step is kept, in ms. Slightly longer than its confirmation, so that an approval at the last moment
 * counts.
 */
const HELD_LIFE = 5 * 60_000 + 10_000;

/** Holds the step for a confirmation. None of its calls ran. */
export async function holdGeneration(
  { ports, row, writer }: ClaimedGeneration,
  call: { message: ModelMessage; calls: HeldCall[] },
  last: StreamPart[],
): Promise<void> {
  const { steps } = (await findGeneration(ports.db, row.id)) ?? row;
  const calls = toCalls(call.calls);
  const step = { message: call.message, calls };
  const wake_at = new Date(ports.clock.now() + HELD_LIFE);
  await writer.commit([...last, toStatusPart(row, "awaiting_approval")], {
    rows: [insertCallsSql(steps + 1, calls)],
    generation: { status: "awaiting_approval", step, node: null, wake_at },
  });
}

/**
 * Pauses a generation: from now on it exists as rows, until an answer, a connection or its deadline resumes it. A
 * service connected during the run may have come too late for its calls, so it is checked again at once.
 */
export async function pauseGeneration(
  { ports, row, writer, advance }: ClaimedGeneration,
  waits: Wait[],
): Promise<void> {
  const now = ports.clock.now();
  const kept_by = hasSuspendedCall(ports.node, row.id) ? await ports.node.number() : null;
  const deadlines = waits.flatMap((wait) => (wait.kind === "auth" ? [] : [wait.expiresAt]));
  if (row.auth === null && deadlines.length === waits.length) {
    // The usual case: the user is asked, and nothing has changed in the meantime.
    const status = getStatus(waits);
    const times = { wake_at: new Date(Math.min(...deadlines)), paused_at: new Date(now) };
    const change = { generation: { status, node: null, kept_by, ...times } };
    if (await writer.commitIf(sql`wake_at is null and auth is null`, [toStatusPart(row, status)], change)) return;
  }
  await writer.commit([], async (tx) => {
    const current = (await lockGeneration(tx, row.id)) ?? row;
    const requested = current.auth;
    const connected = listConnectedSince(row.auth, requested);
    const openWaits = waits.filter(
      (wait) => wait.kind !== "auth" || !wait.integrations.every((name) => connected.includes(name)),
    );
    // Something was connected or answered since this began.
    const mustResume = openWaits.length < waits.length || current.wake_at !== null;
    const auth = getAuth(row, requested?.integrations.length ? requested : null, openWaits, now);
    const services = auth?.integrations.filter((name) => !requested?.integrations.includes(name)) ?? [];
    const openDeadlines = openWaits.flatMap((wait) => (wait.kind === "auth" ? [] : [wait.expiresAt]));
    if (auth) openDeadlines.push(Date.parse(auth.expires_at));
    const status = openWaits.length > 0 ? getStatus(openWaits) : "running";
    await advance({ type: "auth-requested", services: services }, tx, {
      status,
      node: null,
      kept_by,
      auth: auth ?? null,
      wake_at: new Date(mustResume ? now : Math.min(...openDeadlines)),
      paused_at: new Date(now),
    });
    if (mustResume) notifyGeneration(tx, row.id);
    const card: StreamPart[] =
      auth && services.length > 0 ? [{ type: "data-auth-needed", id: row.id, data: auth }] : [];
    return [...card, toStatusPart(row, status)];
  });
}

/** Returns the services that were connected while the generation ran. */
function listConnectedSince(previous: AuthNeeded | null, current: AuthNeeded | null): string[] {
  const connected = current ? current.connected : (previous?.integrations ?? []);
  return connected.filter((name) => !previous?.connected.includes(name));
}

/** Uses the same words as every error about a missing connection. */
export function authRequiredProblem(services: ServiceConfiguration[], integrations: string[]): Problem {
  const titles = integrations.map(
    (name) => services.find(({ service }) => service.name === name)?.service.title ?? name,
  );
  return new Problem("AUTH_REQUIRED", `${titles.join(" and ")} must be connected to do this.`, {
    details: { integrations },
  });
}

/** Requests all missing services together. One that is already requested keeps its deadline. */
function getAuth(row: ClaimedRow, requested: AuthNeeded | null, waits: Wait[], now: number): AuthNeeded | undefined {
  const authWaits = waits.flatMap((wait) => (wait.kind === "auth" ? [wait] : []));
  if (authWaits.length === 0) return undefined;
  const names = authWaits.flatMap(({ integrations }) => integrations);
  return {
    generation_id: row.id,
    integrations: [...new Set([...(requested?.integrations ?? []), ...names])],
    connected: requested?.connected ?? [],
    reason: [...new Set(authWaits.map(({ reason }) => reason))].join(" "),
    expires_at: requested?.expires_at ?? new Date(now + AUTH_LIFE).toISOString(),
  };
}

/** Returns the status that names the most urgent wait. */
function getStatus(waits: Wait[]): GenerationStatus {
  if (waits.some(({ kind }) => kind === "auth")) return "awaiting_auth";
  return waits.some(({ kind }) => kind === "approval") ? "awaiting_approval" : "awaiting_input";
}

/** Cancels a generation and notifies its handlers that wait for the user. */
export async function stopGeneration(generation: ClaimedGeneration, reason: string): Promise<void> {
  const { ports, row } = generation;
  const open = (await listInteractions(ports.db, row.id)).filter(
    ({ status, late, ordinal }) => status === "open" && !late && isDuringCall(ordinal),
  );
  const waitingIds = new Set(open.map(({ tool_call_id }) => tool_call_id));
  await cancelGeneration(generation, reason);
  if (waitingIds.size === 0) return;
  const calls = (await listCalls(ports.db, row.id)).filter((call) => waitingIds.has(call.toolCallId));
  const owner = { installationId: row.installation_id, generationId: row.id };
  const tools = await buildAgentTools(ports, { ...owner, dryRun: generation.request.limits.dryRun === true });
  for (const call of calls) {
    const checked = checkCall(toCall(call), tools);
    if (!("problem" in checked))
      await notifyCancelled(generation, checked).catch((error: unknown) =>
        ports.log("warn", "tool.cancel_failed", { generation: row.id, error }),
      );
  }
}

import type { AskRequest } from "#protocol/ask";
import { Problem } from "#protocol/errors";
import type { BackendPorts } from "../ports.ts";
import type { Connection } from "../store/connection.ts";
import { createConversation, lockConversation, ownsConversation } from "../store/conversations.ts";
import { lastEvent } from "../store/events.ts";
import { createGeneration, openGenerations, type StoredGeneration } from "../store/generations.ts";
import type { Engine } from "./engine.ts";
import { checkShared, isGiven } from "./given.ts";
import type { GenerationOptions } from "./options.ts";
import { wantedOf } from "./output.ts";
import { isHeld } from "./slice.ts";

/** Milliseconds that a generation which is stopped gets to end, before the new one waits behind it. */
const STOP_LIMIT = 10_000;

/** What was started. `queued` waits for its turn behind another one of the conversation. */
export type Started = { conversationId: string; generationId: string; after: number; queued: boolean };

/**
 * Begin a generation: in its own conversation or a new one. Another one of the conversation that runs or waits is stopped first (seed: agent
 * architecture), or goes before it where the client wants that. A request for a connection is only stopped when the client says so: whoever
 * types while the browser is open has not changed their mind (case G14).
 *
 * @throws Problem SESSION_NOT_FOUND, INVALID_REQUEST for a schema that cannot be used, and for what the agent server cannot be held to
 */
export async function start(
  ports: BackendPorts,
  engine: Engine,
  installationId: string,
  request: Pick<AskRequest, "session_id" | "when_busy" | "interactive"> & { options: GenerationOptions },
): Promise<Started> {
  const { interactive = false } = request;
  const given = await isGiven(ports, request.options);
  const options = { ...request.options, ...traceOf(ports), ...(given ? { at: "agent" as const } : {}) };
  await wantedOf(options);
  const now = ports.clock.now();
  const known = request.session_id || undefined;
  if (known && !(await ownsConversation(ports.db, installationId, known)))
    throw new Problem("SESSION_NOT_FOUND", "Invalid or expired session_id");
  const conversationId =
    known ?? (await createConversation(ports.db, { installationId, interactive, title: options.prompt, now }));
  if (given) await checkShared(ports, options, conversationId);
  if (known) await makeWay(ports, engine, conversationId, request);
  return await ports.db
    .transaction()
    .execute((tx) => startWithin(tx, { installationId, conversationId, options, now }));
}

/** The trace that a generation which is asked for now belongs to. */
export function traceOf({ observe }: Pick<BackendPorts, "observe">): Pick<GenerationOptions, "trace"> {
  const trace = observe?.traces?.current();
  return trace ? { trace } : {};
}

/** The same as a part of a transaction, behind whatever the conversation has under way. */
export async function startWithin(
  tx: Connection,
  {
    installationId,
    conversationId,
    options,
    now,
  }: { installationId: string; conversationId: string; options: GenerationOptions; now: number },
): Promise<Started> {
  const after = await lockConversation(tx, conversationId);
  const before = (await openGenerations(tx, conversationId)).filter((row) => !isHeld(row));
  const queued = before.length > 0;
  const status = queued ? "paused" : "running";
  const generationId = await createGeneration(tx, { installationId, conversationId, status, options, now });
  return { conversationId, generationId, after, queued };
}

async function makeWay(
  ports: BackendPorts,
  engine: Engine,
  conversationId: string,
  { when_busy: wish, options }: Pick<AskRequest, "when_busy"> & { options: GenerationOptions },
): Promise<void> {
  if (wish === "queue") return;
  const open = (await openGenerations(ports.db, conversationId)).filter((row) => !isHeld(row));
  const connecting = open.some(({ status }) => status === "awaiting_auth");
  if (connecting && wish !== "interrupt" && options.mode === "stream") return;
  for (const row of open) await engine.stop(row.id, "A new message was sent instead.");
  await ended(ports, engine, conversationId, open);
}

/** Until those that were stopped have said so in the log, for a limited time. */
async function ended(
  ports: BackendPorts,
  engine: Engine,
  conversationId: string,
  rows: StoredGeneration[],
): Promise<void> {
  if (rows.length === 0) return;
  const limit = AbortSignal.timeout(STOP_LIMIT);
  const ids = new Set(rows.map(({ id }) => id));
  const running = async () => (await openGenerations(ports.db, conversationId)).some(({ id }) => ids.has(id));
  const now = await lastEvent(ports.db, conversationId);
  if (!(await running())) return;
  for await (const _ of engine.hub.follow(conversationId, now, limit)) if (!(await running())) return;
}

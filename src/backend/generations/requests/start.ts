import type { AskRequest } from "#protocol/ask";
import { Problem } from "#protocol/errors";
import type { BackendPorts } from "../../ports.ts";
import { insertAttachmentsSql, type StoredFile } from "../../store/attachments.ts";
import { createConversation, isConversationOwner, lockConversation } from "../../store/conversations.ts";
import { findLastEventNumber, runHeldChange } from "../../store/events.ts";
import type { StoredGeneration } from "../../store/generation-row.ts";
import { type GenerationRequest, INITIAL_PROGRESS, type RemoteTurn } from "../../store/generation-state.ts";
import { createGeneration, listOpenGenerations } from "../../store/generations.ts";
import {
  type ConversationEnd,
  createConversationId,
  insertConversation,
  insertGeneration,
  lockIdleConversation,
  type NewGenerationRow,
} from "../../store/new-conversation.ts";
import type { DbConnection } from "../../store/schema.ts";
import { runTransaction } from "../../store/wake-ups.ts";
import { parseAttachments, toAttachment } from "../attachments.ts";
import { toFirstMessages, toFirstParts } from "../begin.ts";
import { checkSharedConversation, shouldDelegate } from "../delegation.ts";
import type { Engine } from "../engine.ts";
import { advanceProgress } from "../progress.ts";
import type { LinkRequest, NewGeneration } from "../request.ts";
import { isHeld } from "../run.ts";
import { readExpectedOutput } from "../wanted-output.ts";

/** How long a stopped generation may take to end, in ms, before the new one waits behind it. */
const STOP_LIMIT = 10_000;

/** A started generation. A `queued` one waits behind another one of the conversation. */
export type StartedGeneration = { conversationId: string; generationId: string; after: number; queued: boolean };

/**
 * Starts a generation in its conversation or a new one. Another one that runs or waits is stopped first, or goes first
 * if the client wants that. A connection request is stopped only if the client says so: typing while the browser is
 * open is not a change of mind.
 * @throws Problem SESSION_NOT_FOUND, INVALID_REQUEST for an unusable schema or limits that the agent server cannot
 * enforce
 */
export async function startGeneration(
  ports: BackendPorts,
  engine: Engine,
  installationId: string,
  options: Pick<AskRequest, "session_id" | "when_busy" | "interactive" | "background" | "attachments"> & NewGeneration,
): Promise<StartedGeneration> {
  const { interactive = false, background: detached = false, remote, link } = options;
  const files = parseAttachments(options.attachments);
  const attachments = files.length > 0 ? { attachments: files.map(toAttachment) } : {};
  const isDelegated = await shouldDelegate(ports, { remote, request: { ...options.request, ...attachments } });
  const runsAt = isDelegated ? "agent" : "backend";
  const request: GenerationRequest = { ...options.request, ...attachments, runsAt, ...getTrace(ports) };
  await readExpectedOutput(request);
  const now = ports.clock.now();
  const existingId = options.session_id || undefined;
  if (!isDelegated && !remote && engine.takesWork()) {
    const details = { installationId, interactive, detached, request, files, link, now };
    if (!existingId) return await startConversation(ports, engine, details);
    const started = await continueConversation(ports, engine, existingId, details);
    if (started) return started;
  }
  if (existingId && !(await isConversationOwner(ports.db, installationId, existingId)))
    throw new Problem("SESSION_NOT_FOUND", "Invalid or expired session_id");
  const conversationId =
    existingId ?? (await createConversation(ports.db, { installationId, interactive, title: request.prompt, now }));
  if (isDelegated) await checkSharedConversation(ports, request, conversationId);
  if (existingId) await makeWay(ports, engine, conversationId, options);
  return await runTransaction(ports.db, async (tx) => {
    const started = await startGenerationIn(tx, { installationId, conversationId, request, remote, detached, now });
    const changes = [...link.changes(started), ...insertAttachmentsSql(started, files)];
    for (const change of changes) await runHeldChange(tx, started.generationId, change);
    link.begin();
    return started;
  });
}

type StartDetails = {
  installationId: string;
  interactive: boolean;
  detached: boolean;
  request: GenerationRequest;
  files: StoredFile[];
  link: LinkRequest;
  now: number;
};

/** Starts a conversation whose first generation begins at this node. */
async function startConversation(
  ports: BackendPorts,
  engine: Engine,
  details: StartDetails,
): Promise<StartedGeneration> {
  const conversationId = createConversationId(details.now);
  engine.hub.keep(conversationId);
  const { interactive, link } = details;
  const row = toNewGeneration(conversationId, details, NEW_END);
  const generation = await engine.create((place) =>
    insertConversation(ports.db, { ...row, interactive, begin: link.begin }, place),
  );
  return { conversationId, generationId: generation.id, after: 0, queued: false };
}

/** Begins a generation at this node in a known conversation. Undefined if another one is open there. */
async function continueConversation(
  ports: BackendPorts,
  engine: Engine,
  conversationId: string,
  details: StartDetails,
): Promise<StartedGeneration | undefined> {
  let after = 0;
  const generation = await engine.create((place) =>
    runTransaction(ports.db, async (tx) => {
      const end = await lockIdleConversation(tx, details.installationId, conversationId);
      if (!end) return undefined;
      after = end.event;
      const row = await insertGeneration(tx, { ...toNewGeneration(conversationId, details, end), end }, place);
      details.link.begin();
      return row;
    }),
  );
  return generation && { conversationId, generationId: generation.id, after, queued: false };
}

type End = ConversationEnd & { isAnswered: boolean };

const NEW_END: End = { event: 0, message: 0, isAnswered: true };

function toNewGeneration(
  conversationId: string,
  { request, files, link, ...owner }: StartDetails,
  end: End,
): NewGenerationRow {
  const messages = toFirstMessages(request, end.isAnswered);
  const historyLength = end.message + messages.length;
  return {
    ...owner,
    conversationId,
    state: { request, progress: advanceProgress(INITIAL_PROGRESS, { type: "began", historyLength }) },
    messages,
    toParts: (id) => toFirstParts({ id, conversation_id: conversationId }, request),
    changes: (generationId) => [
      ...link.changes({ conversationId, generationId, after: end.event }),
      ...insertAttachmentsSql({ conversationId, generationId }, files),
    ],
  };
}

/** Returns the trace that a new generation belongs to. */
export function getTrace({ observe }: Pick<BackendPorts, "observe">): Pick<GenerationRequest, "traceparent"> {
  const traceparent = observe?.traces?.current();
  return traceparent ? { traceparent } : {};
}

/** Starts a generation within a transaction, behind the open ones of its conversation. */
export async function startGenerationIn(
  tx: DbConnection,
  {
    installationId,
    conversationId,
    request,
    remote,
    detached,
    now,
  }: {
    installationId: string;
    conversationId: string;
    request: GenerationRequest;
    remote?: RemoteTurn;
    detached?: boolean;
    now: number;
  },
): Promise<StartedGeneration> {
  const after = await lockConversation(tx, conversationId);
  const openRows = (await listOpenGenerations(tx, conversationId)).filter((row) => !isHeld(row));
  const queued = openRows.length > 0;
  const status = queued ? "paused" : "running";
  const progress = remote && advanceProgress(INITIAL_PROGRESS, { type: "agent-asked", turn: remote });
  const generationId = await createGeneration(tx, {
    installationId,
    conversationId,
    status,
    request,
    progress,
    now,
    ...(detached ? { detached } : {}),
  });
  return { conversationId, generationId, after, queued };
}

async function makeWay(
  ports: BackendPorts,
  engine: Engine,
  conversationId: string,
  { when_busy: whenBusy, request }: Pick<AskRequest, "when_busy"> & Pick<NewGeneration, "request">,
): Promise<void> {
  if (whenBusy === "queue") return;
  const open = (await listOpenGenerations(ports.db, conversationId)).filter((row) => !isHeld(row));
  const isConnecting = open.some(({ status }) => status === "awaiting_auth");
  if (isConnecting && whenBusy !== "interrupt" && request.mode === "stream") return;
  for (const row of open) await engine.stop(row.id, "A new message was sent instead.");
  await waitForEnd(ports, engine, conversationId, open);
}

/** Waits, for a limited time, until the log has the end of the stopped generations. */
async function waitForEnd(
  ports: BackendPorts,
  engine: Engine,
  conversationId: string,
  rows: StoredGeneration[],
): Promise<void> {
  if (rows.length === 0) return;
  const limit = AbortSignal.timeout(STOP_LIMIT);
  const ids = new Set(rows.map(({ id }) => id));
  const isRunning = async () => (await listOpenGenerations(ports.db, conversationId)).some(({ id }) => ids.has(id));
  const now = await findLastEventNumber(ports.db, conversationId);
  if (!(await isRunning())) return;
  for await (const _ of engine.hub.follow(conversationId, now, limit)) if (!(await isRunning())) return;
}

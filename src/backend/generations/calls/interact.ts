import type { Wait } from "#agent/events";
import type { InteractionPrompt } from "#connectors/interaction";
import { Problem } from "#protocol/errors";
import type { StreamPart } from "#protocol/events";
import type { InteractionRequest } from "#protocol/interactions";
import { findLifetime } from "../../approvals/scope.ts";
import type { BackendPorts } from "../../ports.ts";
import { canAnswer } from "../../store/clients.ts";
import {
  createInteractionId,
  findInteractionAt,
  insertInteractionSql,
  type StoredInteraction,
} from "../../store/interactions.ts";
import type { CallFactsReader } from "../../tools/call-facts.ts";
import type { Writer } from "../events/writer.ts";

/** The call that asks, and where its requests are stored. */
export type Asker = {
  ports: Pick<BackendPorts, "db" | "clock" | "observe" | "node" | "approvalTimeout">;
  writer: Writer;
  installationId: string;
  conversationId: string;
  generationId: string;
  toolCallId: string;
  toolName: string;
  /** Whether this generation may ask at all: one whose request waits for the answer may not. */
  asks: boolean;
  /** How long its requests wait, in seconds, if the caller chose that. */
  approvalTimeout: number | undefined;
  /** Calls that the user was asked about, if they are known. */
  asked?: Set<string>;
  facts?: CallFactsReader;
  /** Set if kay itself asks, without a call. */
  alone?: boolean;
};

/**
 * Returns the request at this ordinal of the call, and asks it if it is new.
 *
 * @param ordinal its place among the requests of the call, the same in every run of the call
 * @param late whether the call does not wait for it
 * @throws Problem INTERACTION_UNAVAILABLE
 */
export async function ensureInteraction(
  asker: Asker,
  ordinal: number,
  prompt: InteractionPrompt,
  late = false,
): Promise<StoredInteraction> {
  const existing = await findInteractionAt(asker.ports.db, asker.generationId, asker.toolCallId, ordinal);
  if (existing) return existing;
  const interaction = await openInteraction(asker, ordinal, prompt, late);
  await asker.writer.commit([]);
  return interaction;
}

/**
 * Opens a request that is known to be new. It is stored with the next change, usually the pause of the generation.
 */
export async function openInteraction(
  asker: Asker,
  ordinal: number,
  prompt: InteractionPrompt,
  late = false,
): Promise<StoredInteraction> {
  const [interaction] = await openInteractions([{ asker, ordinal, prompt, late }]);
  return interaction as StoredInteraction;
}

/** A request to be opened. `plan` is its place among those that are asked together. */
type NewInteraction = {
  asker: Asker;
  ordinal: number;
  prompt: InteractionPrompt;
  late?: boolean;
  plan?: InteractionRequest["plan"];
};

/** Opens several requests of a generation together: all are stored with the next change and sent, or none. */
export async function openInteractions(requests: NewInteraction[]): Promise<StoredInteraction[]> {
  const [first] = requests;
  if (first === undefined) return [];
  const { ports, writer } = first.asker;
  if (!first.asker.asks || !(await canSomeoneAnswer(first.asker))) {
    throw new Problem("INTERACTION_UNAVAILABLE", "No connected client can answer requests in this conversation.");
  }
  const now = ports.clock.now();
  const rows = await Promise.all(
    requests.map(async ({ asker, ordinal, prompt, late = false, plan }, index) => {
      const lifetime =
        prompt.timeoutMs === undefined
          ? await findLifetime(ports, asker.installationId, asker.approvalTimeout, asker.facts?.current()?.installation)
          : { ms: prompt.timeoutMs, stays: false };
      const row = {
        id: createInteractionId(),
        installation_id: asker.installationId,
        conversation_id: asker.conversationId,
        generation_id: asker.generationId,
        tool_call_id: asker.toolCallId,
        ordinal,
        late,
        node: await ports.node.number(),
        stays: lifetime.stays,
        // Lists are in the order of this time.
        created_at: new Date(now + index),
        expires_at: new Date(now + lifetime.ms),
      };
      return { ...row, request: { ...getRequest(asker, row, prompt), ...(plan ? { plan } : {}) } };
    }),
  );
  for (const { asker } of requests) asker.asked?.add(asker.toolCallId);
  writer.defer(
    rows.flatMap(({ request }, index) => getParts(request, requests[index]?.asker ?? first.asker)),
    { rows: rows.map(insertInteractionSql) },
  );
  ports.observe?.count("kay_interactions_total", { event: "opened" }, rows.length);
  return rows.map((row) => ({ ...row, status: "open", response: null, answered_at: null, notified_at: null }));
}

/** Returns the wait of a call with an open request. */
export function toWait({ request, expires_at }: StoredInteraction): Wait {
  return { kind: request.interaction_type, toolCallId: request.tool_call_id, expiresAt: expires_at.getTime() };
}

/**
 * Whether a client can answer. If clients reported their abilities, one of them must be able to. If none did, the caller
 * of the stream counts as able.
 */
async function canSomeoneAnswer({ ports: { db, clock }, conversationId, facts }: Asker): Promise<boolean> {
  const rows = facts?.current()?.ability;
  return (rows ? rows[0]?.able : await canAnswer(db, conversationId, clock.now())) ?? true;
}

function getRequest(
  { generationId, toolCallId, toolName }: Asker,
  { id, expires_at }: { id: string; expires_at: Date },
  prompt: InteractionPrompt,
): InteractionRequest {
  return {
    interaction_id: id,
    generation_id: generationId,
    tool_call_id: toolCallId,
    tool_name: toolName,
    interaction_type: prompt.type,
    prompt: prompt.prompt,
    preview: prompt.preview,
    editable: prompt.editable,
    approval_scopes: prompt.type === "approval" ? (prompt.approvalScopes ?? PLAIN_SCOPES) : undefined,
    input_schema: prompt.inputSchema,
    link: prompt.link,
    error: prompt.error,
    initial_values: prompt.initialValues,
    presentation: prompt.presentation,
    completed_view: prompt.completedView,
    expires_at: expires_at.toISOString(),
  };
}

function getParts(request: InteractionRequest, { alone }: Asker): StreamPart[] {
  const { interaction_id, tool_call_id: toolCallId, interaction_type } = request;
  const data: StreamPart = { type: "data-interaction-request", id: interaction_id, data: request };
  if (interaction_type !== "approval" || alone) return [data];
  return [{ type: "tool-approval-request", approvalId: interaction_id, toolCallId }, data];
}

const PLAIN_SCOPES: InteractionRequest["approval_scopes"] = [
  { scope: "once", words: "once" },
  { scope: "session", words: "this session" },
];

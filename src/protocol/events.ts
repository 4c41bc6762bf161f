import * as z from "zod/mini";
import { Receipt, Usage } from "./ask.ts";
import { Attachment } from "./attachments.ts";
import { AuthNeeded, InteractionExtended, InteractionRequest, InteractionResponse, Planned } from "./interactions.ts";

/**
 * Parts of the event stream (docs/protocol.md, "Streams"): the AI SDK's UI message stream and kay's own `data-*` parts.
 * Readers ignore parts of an unknown type.
 */

const text = z.string();
const names = z.array(text);

/** Status of a generation. `paused` waits for another generation of the conversation to finish. */
export const GenerationStatus = z.enum([
  "running",
  "awaiting_approval",
  "awaiting_input",
  "awaiting_auth",
  "paused",
  "completed",
  "cancelled",
  "error",
]);
export type GenerationStatus = z.infer<typeof GenerationStatus>;

/** A terminal or program that follows a conversation. */
export const ClientPresence = z.looseObject({
  client_id: text,
  name: z.optional(text),
  interaction: z.looseObject({ supported: z.boolean(), enabled: z.boolean() }),
});
export type ClientPresence = z.infer<typeof ClientPresence>;

/**
 * Metadata of a message: `start` has the IDs of the conversation and the generation, `finish` the times and the final
 * status.
 */
const MessageMetadata = z.looseObject({
  session_id: z.optional(text),
  generation_id: z.optional(text),
  /** The answer will be a JSON value (`data-output`), and the texts are intermediate. */
  structured: z.optional(z.boolean()),
  /** Calls are only planned (`data-planned`), not sent. */
  dry_run: z.optional(z.boolean()),
});

const createDataPart = <N extends string, T extends z.core.$ZodType>(type: N, of: T) =>
  z.looseObject({ type: z.literal(type), id: z.optional(text), data: of });

/** One entry in the log of a running tool. */
const LogEntry = z.looseObject({ at: z.optional(text), text });

/** Every part that kay sends and understands. */
export const StreamPart = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("start"),
    messageId: z.optional(text),
    messageMetadata: z.optional(MessageMetadata),
  }),
  z.looseObject({ type: z.literal("start-step") }),
  z.looseObject({ type: z.literal("text-start"), id: text }),
  z.looseObject({ type: z.literal("text-delta"), id: text, delta: text }),
  z.looseObject({ type: z.literal("text-end"), id: text }),
  z.looseObject({ type: z.literal("reasoning-start"), id: text }),
  z.looseObject({ type: z.literal("reasoning-delta"), id: text, delta: text }),
  z.looseObject({ type: z.literal("reasoning-end"), id: text }),
  z.looseObject({
    type: z.literal("tool-input-start"),
    toolCallId: text,
    toolName: text,
    dynamic: z.optional(z.boolean()),
  }),
  z.looseObject({ type: z.literal("tool-input-delta"), toolCallId: text, inputTextDelta: text }),
  z.looseObject({
    type: z.literal("tool-input-available"),
    toolCallId: text,
    toolName: text,
    input: z.unknown(),
    title: z.optional(text),
    dynamic: z.optional(z.boolean()),
  }),
  z.looseObject({ type: z.literal("tool-input-error"), toolCallId: text, toolName: text, errorText: text }),
  z.looseObject({ type: z.literal("tool-approval-request"), approvalId: text, toolCallId: text }),
  z.looseObject({ type: z.literal("tool-output-available"), toolCallId: text, output: z.unknown() }),
  z.looseObject({
    type: z.literal("tool-output-error"),
    toolCallId: text,
    errorText: text,
    code: z.optional(text),
    /** Access of the call's tool, if the tool is known. */
    access: z.optional(z.enum(["read", "write", "destructive"])),
  }),
  z.looseObject({ type: z.literal("tool-output-denied"), toolCallId: text }),
  z.looseObject({ type: z.literal("finish-step") }),
  z.looseObject({ type: z.literal("finish"), finishReason: z.optional(text) }),
  z.looseObject({
    type: z.literal("error"),
    errorText: text,
    code: z.optional(text),
    hint: z.optional(text),
    /**
     * AUTH_REQUIRED: `integrations` to connect. OUTPUT_INVALID: `problems`, and the `text` that has them. MODEL_FAILED:
     * `finish_reason` and the `text` of an answer that is not whole.
     */
    details: z.optional(z.record(text, z.unknown())),
  }),
  z.looseObject({ type: z.literal("abort"), reason: z.optional(text) }),
  createDataPart(
    "data-status",
    z.looseObject({ generation_id: text, session_id: z.optional(text), status: GenerationStatus }),
  ),
  createDataPart(
    "data-user-message",
    z.looseObject({
      text,
      source: z.enum(["typed", "late_answer", "action"]),
      /** Files that the user gave with it. */
      attachments: z.optional(z.array(Attachment)),
    }),
  ),
  /** A sentence for the user about the request, such as an attachment that the model does not read. */
  createDataPart("data-notice", z.looseObject({ text })),
  createDataPart("data-tool-log", z.looseObject({ tool_call_id: text, entries: z.array(LogEntry) })),
  createDataPart("data-interaction-request", InteractionRequest),
  createDataPart("data-interaction-response", InteractionResponse),
  createDataPart("data-interaction-extended", InteractionExtended),
  createDataPart("data-auth-needed", AuthNeeded),
  createDataPart("data-auth-progress", z.looseObject({ connected: text, remaining: names })),
  createDataPart(
    "data-auth-result",
    /** `client` is the name of the client that ended the request. */
    z.looseObject({ success: z.boolean(), integrations: names, reason: z.optional(text), client: z.optional(text) }),
  ),
  createDataPart("data-receipt", Receipt),
  createDataPart("data-output", z.looseObject({ value: z.unknown() })),
  createDataPart("data-planned", Planned),
  /** Tokens of the generation that ends. */
  createDataPart("data-usage", Usage),
  /** Clients that follow the conversation now; not part of the log. `total` is set if not all are listed. */
  z.looseObject({
    type: z.literal("data-presence"),
    data: z.looseObject({ clients: z.array(ClientPresence), total: z.optional(z.number()) }),
    transient: z.optional(z.boolean()),
  }),
]);
export type StreamPart = z.infer<typeof StreamPart>;

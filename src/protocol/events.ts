import * as z from "zod/mini";
import { PlannedCall, Receipt } from "./ask.ts";

/**
 * Parts of the event stream (protocol section 2): the AI SDK's UI message stream, and kay's own `data-*` parts in it. Loose as everywhere in
 * the contract: a part of a type that is not known is no error and is passed over.
 */

const text = z.string();
const names = z.array(text);

/** Where a generation stands. `paused` waits for its turn behind another one of the conversation. */
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

/** One field of a form (seed: client-interactive tools). */
export const InputField = z.looseObject({
  id: text,
  type: z.enum(["text", "textarea", "select", "checkbox", "radio"]),
  label: text,
  description: z.optional(text),
  required: z.optional(z.boolean()),
  defaultValue: z.optional(z.unknown()),
  options: z.optional(z.array(z.looseObject({ value: text, label: text }))),
});
export type InputField = z.infer<typeof InputField>;

/** How long an approval lasts, in the exact words of the grant: `always: slack.send_message to #general`. */
export const ApprovalScope = z.enum(["once", "session", "always"]);
export type ApprovalScope = z.infer<typeof ApprovalScope>;

/**
 * One line of what an approval would send. `origin` says where the value came from: words of the person, text of a service, or the model
 * itself; `service` is what an approval has to warn about.
 */
export const PreviewField = z.looseObject({
  name: text,
  value: z.unknown(),
  origin: z.optional(z.enum(["person", "service", "model"])),
});
export type PreviewField = z.infer<typeof PreviewField>;

/** What a call would do: in words, and field by field exactly as it would be sent. */
export const Preview = z.looseObject({
  summary: text,
  service: z.optional(text),
  access: z.optional(z.enum(["read", "write", "destructive"])),
  account: z.optional(text),
  fields: z.array(PreviewField),
  /** What a tool with `confirm_after_execution` did, for the person to look at. */
  result: z.optional(text),
});
export type Preview = z.infer<typeof Preview>;

/** A call that a dry run did not send, with everything that is needed to show it. */
const Planned = z.extend(PlannedCall, { tool_call_id: text, asks: z.boolean(), why: text, preview: Preview });
export type Planned = z.infer<typeof Planned>;

/** An approval or a form that waits for a person. Reprompts are requests of their own, with an id of their own. */
export const InteractionRequest = z.looseObject({
  interaction_id: text,
  generation_id: z.optional(text),
  tool_call_id: text,
  tool_name: text,
  interaction_type: z.enum(["approval", "input"]),
  prompt: z.optional(text),
  preview: z.optional(Preview),
  editable: z.optional(z.boolean()),
  approval_scopes: z.optional(z.array(z.looseObject({ scope: ApprovalScope, words: text }))),
  input_schema: z.optional(z.looseObject({ type: z.literal("form"), fields: z.array(InputField) })),
  /** An address that the person may open; it stands in the prompt too. */
  link: z.optional(text),
  error: z.optional(text),
  initial_values: z.optional(z.record(text, z.unknown())),
  presentation: z.optional(z.enum(["tool", "questionnaire"])),
  completed_view: z.optional(
    z.looseObject({ show_inputs: z.optional(z.boolean()), summary_template: z.optional(text) }),
  ),
  /** ISO 8601. */
  expires_at: text,
});
export type InteractionRequest = z.infer<typeof InteractionRequest>;

/** How an interaction ended, which is also what makes it read-only everywhere. */
export const InteractionResponse = z.looseObject({
  interaction_id: text,
  action: z.enum(["approve", "deny", "submit", "cancel", "expire"]),
  approval_scope: z.optional(ApprovalScope),
  input: z.optional(z.record(text, z.unknown())),
  edited_args: z.optional(z.record(text, z.unknown())),
  reason: z.optional(text),
  /** Name of the client that answered. */
  client: z.optional(text),
  /** ISO 8601. */
  answered_at: z.optional(text),
});
export type InteractionResponse = z.infer<typeof InteractionResponse>;

/** A generation waits until these services are connected. */
export const AuthNeeded = z.looseObject({
  generation_id: text,
  integrations: names,
  connected: names,
  reason: z.optional(text),
  expires_at: text,
});
export type AuthNeeded = z.infer<typeof AuthNeeded>;

/** A terminal or program that follows a conversation. */
export const ClientPresence = z.looseObject({
  client_id: text,
  name: z.optional(text),
  interaction: z.looseObject({ supported: z.boolean(), enabled: z.boolean() }),
});
export type ClientPresence = z.infer<typeof ClientPresence>;

/** Ids of the conversation and the generation, in `start`; times and the final status in `finish`. */
const MessageMetadata = z.looseObject({
  session_id: z.optional(text),
  generation_id: z.optional(text),
  /** The answer will be a value (`data-output`), and the texts are on the way to it. */
  structured: z.optional(z.boolean()),
  /** Nothing of it will be sent (`data-planned`). */
  dry_run: z.optional(z.boolean()),
});

const data = <N extends string, T extends z.core.$ZodType>(type: N, of: T) =>
  z.looseObject({ type: z.literal(type), id: z.optional(text), data: of });

/** One entry of a tool's log while it works. */
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
  z.looseObject({ type: z.literal("tool-output-error"), toolCallId: text, errorText: text, code: z.optional(text) }),
  z.looseObject({ type: z.literal("tool-output-denied"), toolCallId: text }),
  z.looseObject({ type: z.literal("finish-step") }),
  z.looseObject({ type: z.literal("finish"), finishReason: z.optional(text) }),
  z.looseObject({
    type: z.literal("error"),
    errorText: text,
    code: z.optional(text),
    hint: z.optional(text),
    /** With AUTH_REQUIRED: `integrations` that must be connected. With OUTPUT_INVALID: `problems` and the `text` that has them. */
    details: z.optional(z.record(text, z.unknown())),
  }),
  z.looseObject({ type: z.literal("abort"), reason: z.optional(text) }),
  data("data-status", z.looseObject({ generation_id: text, session_id: z.optional(text), status: GenerationStatus })),
  data("data-user-message", z.looseObject({ text, source: z.enum(["typed", "late_answer", "action"]) })),
  data("data-tool-log", z.looseObject({ tool_call_id: text, entries: z.array(LogEntry) })),
  data("data-interaction-request", InteractionRequest),
  data("data-interaction-response", InteractionResponse),
  data("data-auth-needed", AuthNeeded),
  data("data-auth-progress", z.looseObject({ connected: text, remaining: names })),
  data(
    "data-auth-result",
    /** `client` is the name of the one that ended it. */
    z.looseObject({ success: z.boolean(), integrations: names, reason: z.optional(text), client: z.optional(text) }),
  ),
  data("data-receipt", Receipt),
  data("data-output", z.looseObject({ value: z.unknown() })),
  data("data-planned", Planned),
  /** No event of the log: it says how things are now. `total` where they are too many to be named. */
  z.looseObject({
    type: z.literal("data-presence"),
    data: z.looseObject({ clients: z.array(ClientPresence), total: z.optional(z.number()) }),
    transient: z.optional(z.boolean()),
  }),
]);
export type StreamPart = z.infer<typeof StreamPart>;

/**
 * A part with its number in the conversation's log, as it travels: `id:` and `data:` of one Server-Sent Event. One that has none there gets a
 * number between that of the log's last part before it and the next ({@link BESIDE}).
 */
export type NumberedPart = { number: number; part: StreamPart };

/** Between two numbers of the log there is room for all parts that a stream can have. */
export const BESIDE = 2 ** -30;

/** Whether a generation is over with this part; a stream that ends without one was cut. */
export function isGenerationEnd(part: StreamPart): boolean {
  return part.type === "finish" || part.type === "abort" || part.type === "error";
}

/** The header that names the conversation of a stream. */
export const SESSION_HEADER = "kay-session-id";

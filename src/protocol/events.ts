import * as z from "zod/mini";
import { PlannedCall, Receipt } from "./ask.ts";
import { Attachment } from "./attachments.ts";
import { FieldLimits } from "./field-limits.ts";
import { PreviewField } from "./preview-field.ts";
import { Usage } from "./usage.ts";

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

/** One field of a form. */
export const InputField = z.looseObject({
  id: text,
  type: z.enum(["text", "textarea", "select", "checkbox", "radio"]),
  label: text,
  description: z.optional(text),
  required: z.optional(z.boolean()),
  defaultValue: z.optional(z.unknown()),
  options: z.optional(z.array(z.looseObject({ value: text, label: text }))),
  limits: z.optional(FieldLimits),
});
export type InputField = z.infer<typeof InputField>;

/** How long an approval lasts: for one call, until the conversation ends, or until it is revoked. */
export const ApprovalScope = z.enum(["once", "session", "always"]);
export type ApprovalScope = z.infer<typeof ApprovalScope>;

/** The effect that a call would have: a summary, and every field exactly as it would be sent. */
export const Preview = z.looseObject({
  summary: text,
  service: z.optional(text),
  access: z.optional(z.enum(["read", "write", "destructive"])),
  account: z.optional(text),
  /** What the call reaches, if the input names it by an ID: "“Release 1.4” from Sam Sample". */
  target: z.optional(text),
  /** Recipients, channels and services that kay has never written to before in this installation. */
  new_destinations: z.optional(z.array(z.string())),
  /** Opaque ID of that account. An approval counts only for the account that it showed. */
  account_id: z.optional(text),
  fields: z.array(PreviewField),
  /** Why the call asks although an approval, `--allow` or a policy covers it. */
  why: z.optional(text),
  /** The result of a tool with `confirm_after_execution`, for the user to review. */
  result: z.optional(text),
});
export type Preview = z.infer<typeof Preview>;

/** A call that a dry run did not send, with everything needed to show it. */
const Planned = z.extend(PlannedCall, { tool_call_id: text, asks: z.boolean(), why: text, preview: Preview });
export type Planned = z.infer<typeof Planned>;

/** An open approval or form. Asking again creates a new request with a new ID. */
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
  /** URL for the user to open. The prompt contains it too. */
  link: z.optional(text),
  /** The position of an approval among those of one step, which are asked together. */
  plan: z.optional(z.looseObject({ id: text, n: z.number(), of: z.number() })),
  error: z.optional(text),
  initial_values: z.optional(z.record(text, z.unknown())),
  presentation: z.optional(z.enum(["tool", "questionnaire"])),
  completed_view: z.optional(
    z.looseObject({ show_inputs: z.optional(z.boolean()), summary_template: z.optional(text) }),
  ),
  /** When the request expires, in ISO 8601. */
  expires_at: text,
});
export type InteractionRequest = z.infer<typeof InteractionRequest>;

/** How an interaction ended. Clients then show it as read-only. */
export const InteractionResponse = z.looseObject({
  interaction_id: text,
  action: z.enum(["approve", "deny", "submit", "cancel", "expire"]),
  approval_scope: z.optional(ApprovalScope),
  input: z.optional(z.record(text, z.unknown())),
  edited_args: z.optional(z.record(text, z.unknown())),
  reason: z.optional(text),
  /** Name of the client that answered. */
  client: z.optional(text),
  /** When it was answered, in ISO 8601. */
  answered_at: z.optional(text),
});
export type InteractionResponse = z.infer<typeof InteractionResponse>;

/** A later deadline of an open request, because the user is working on it. */
export const InteractionExtended = z.looseObject({ interaction_id: text, expires_at: text });
export type InteractionExtended = z.infer<typeof InteractionExtended>;

/** The services that a generation needs before it can continue. */
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

const dataPart = <N extends string, T extends z.core.$ZodType>(type: N, of: T) =>
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
    /** What the call would have done, if its tool is known. */
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
  dataPart(
    "data-status",
    z.looseObject({ generation_id: text, session_id: z.optional(text), status: GenerationStatus }),
  ),
  dataPart(
    "data-user-message",
    z.looseObject({
      text,
      source: z.enum(["typed", "late_answer", "action"]),
      /** Files that the user gave with it. */
      attachments: z.optional(z.array(Attachment)),
    }),
  ),
  /** A sentence for the user about the request, such as an attachment that the model does not read. */
  dataPart("data-notice", z.looseObject({ text })),
  dataPart("data-tool-log", z.looseObject({ tool_call_id: text, entries: z.array(LogEntry) })),
  dataPart("data-interaction-request", InteractionRequest),
  dataPart("data-interaction-response", InteractionResponse),
  dataPart("data-interaction-extended", InteractionExtended),
  dataPart("data-auth-needed", AuthNeeded),
  dataPart("data-auth-progress", z.looseObject({ connected: text, remaining: names })),
  dataPart(
    "data-auth-result",
    /** `client` is the name of the client that ended the request. */
    z.looseObject({ success: z.boolean(), integrations: names, reason: z.optional(text), client: z.optional(text) }),
  ),
  dataPart("data-receipt", Receipt),
  dataPart("data-output", z.looseObject({ value: z.unknown() })),
  dataPart("data-planned", Planned),
  /** Tokens of the generation that ends. */
  dataPart("data-usage", Usage),
  /** Clients that follow the conversation now; not part of the log. `total` is set if not all are listed. */
  z.looseObject({
    type: z.literal("data-presence"),
    data: z.looseObject({ clients: z.array(ClientPresence), total: z.optional(z.number()) }),
    transient: z.optional(z.boolean()),
  }),
]);
export type StreamPart = z.infer<typeof StreamPart>;

/**
 * A part with its event number in the conversation's log: `id:` and `data:` of one Server-Sent Event. A part outside
 * the log gets a number between those of its neighbors ({@link UNLOGGED_STEP}).
 */
export type NumberedPart = { number: number; part: StreamPart };

/** Distance between parts outside the log, small enough that all of them fit between two events. */
export const UNLOGGED_STEP = 2 ** -30;

/** Whether a part ends the generation. A stream without such a part broke off. */
export function isGenerationEnd(part: StreamPart): boolean {
  return part.type === "finish" || part.type === "abort" || part.type === "error";
}

/** Header that names the conversation of a stream. */
export const SESSION_HEADER = "kay-session-id";

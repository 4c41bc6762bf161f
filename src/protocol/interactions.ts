import * as z from "zod/mini";
import { PlannedCall, PreviewField } from "./ask.ts";

/** Requests to the user, and how they end (docs/protocol.md, "Interactions"). */

const text = z.string();
const names = z.array(text);

/** The values that a form field accepts. The client checks it when a field is left, the backend when the form is submitted. */
export const FieldLimits = z.looseObject({
  format: z.optional(text),
  minimum: z.optional(z.number()),
  maximum: z.optional(z.number()),
  minLength: z.optional(z.number()),
  maxLength: z.optional(z.number()),
  minItems: z.optional(z.number()),
  maxItems: z.optional(z.number()),
});
export type FieldLimits = z.infer<typeof FieldLimits>;

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
export const Planned = z.extend(PlannedCall, { tool_call_id: text, asks: z.boolean(), why: text, preview: Preview });
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

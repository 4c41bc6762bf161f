import * as z from "zod/mini";

/** Bodies of asking (guide, "Ask Endpoint"; protocol section 2). Loose objects, as everywhere in the contract. */

/** Body of `POST /ask`. `session_id` here is the conversation, `session_…`. */
export const AskRequest = z.looseObject({
  prompt: z.string(),
  interactive: z.optional(z.boolean()),
  confirm: z.optional(z.boolean()),
  context: z.optional(z.record(z.string(), z.unknown())),
  session_id: z.optional(z.nullable(z.string())),
  confirmation_token: z.optional(z.nullable(z.string())),
  /** kay's additions. A JSON Schema that the final answer is to match; what does not match is mended once. */
  output_schema: z.optional(z.record(z.string(), z.unknown())),
  /** Model calls after which it is ended. */
  max_steps: z.optional(z.int().check(z.minimum(1), z.maximum(20))),
  /** Reads run, writes are only told: nothing is changed anywhere. */
  dry_run: z.optional(z.boolean()),
  /** Calls that need no further yes in this turn: `slack.send_message`, or `slack.send_message:#ci` for one resource. */
  allow: z.optional(z.array(z.string().check(z.minLength(1), z.maxLength(200))).check(z.maxLength(50))),
  /** What becomes of a generation of this conversation that still runs or waits. Streams only: who asks. */
  when_busy: z.optional(z.enum(["interrupt", "queue"])),
  client: z.optional(
    z.looseObject({
      id: z.string().check(z.minLength(1), z.maxLength(100)),
      name: z.optional(z.string()),
      interaction: z.optional(z.looseObject({ supported: z.boolean(), enabled: z.boolean() })),
    }),
  ),
});
export type AskRequest = z.infer<typeof AskRequest>;

/** What a write did or may have done, or would do in a dry run (`planned`): which tool, where, and the link to look at it. */
export const Receipt = z.looseObject({
  tool_call_id: z.string(),
  tool: z.string(),
  effect: z.enum(["planned", "sent", "settled", "unknown"]),
  summary: z.string(),
  url: z.optional(z.string()),
  /** What of `allow` let it run, and in whose name it did. */
  allowed_by: z.optional(z.string()),
  account: z.optional(z.string()),
});
export type Receipt = z.infer<typeof Receipt>;

/** One thing that an approval would do, in words and in full. */
export const PlannedCall = z.looseObject({
  tool: z.string(),
  access: z.enum(["read", "write", "destructive"]),
  input: z.record(z.string(), z.unknown()),
  summary: z.string(),
  /** A dry run: which call it is, in whose name it would run, and whether it would ask first, and why. */
  tool_call_id: z.optional(z.string()),
  account: z.optional(z.string()),
  asks: z.optional(z.boolean()),
  why: z.optional(z.string()),
});
export type PlannedCall = z.infer<typeof PlannedCall>;

/** Answer of `POST /ask` and `POST /ask/confirm`. */
export const AskResponse = z.looseObject({
  status: z.enum(["pending", "confirmation_required", "interactive_response", "completed", "error"]),
  message: z.string(),
  session_id: z.optional(z.nullable(z.string())),
  data: z.optional(z.unknown()),
  confirmation_token: z.optional(z.nullable(z.string())),
  requires_confirmation: z.optional(z.boolean()),
  interactive: z.optional(z.boolean()),
  /** kay's additions. */
  generation_id: z.optional(z.string()),
  receipts: z.optional(z.array(Receipt)),
  expires_at: z.optional(z.string()),
  code: z.optional(z.string()),
  integrations: z.optional(z.array(z.string())),
});
export type AskResponse = z.infer<typeof AskResponse>;

/** Body of `POST /ask/confirm`. */
export const ConfirmRequest = z.looseObject({
  confirmation_token: z.string().check(z.minLength(1)),
  approved: z.boolean(),
});
export type ConfirmRequest = z.infer<typeof ConfirmRequest>;

/**
 * Answer of `GET /requests/:idempotency_key`: what became of a write whose answer was lost. `answer` is the body of the first answer
 * once there is one. kay's addition; an unknown key is 404 NOT_FOUND.
 */
export const OutcomeResponse = z.looseObject({
  state: z.enum(["running", "done", "interrupted"]),
  status: z.optional(z.number()),
  answer: z.optional(z.unknown()),
  /** Where a streamed ask that is under way can be followed: its conversation, and the event before its first. */
  session_id: z.optional(z.string()),
  after: z.optional(z.number()),
});
export type OutcomeResponse = z.infer<typeof OutcomeResponse>;

/** Answer of `GET /capabilities` and `GET /health`: what this backend is. */
export const CapabilitiesResponse = z.looseObject({
  name: z.string(),
  version: z.string(),
  sandbox: z.optional(z.boolean()),
  model: z.optional(z.string()),
  features: z.optional(z.array(z.string())),
});

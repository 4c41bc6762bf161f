import * as z from "zod/mini";
import { ApprovalTimeout } from "./approval-timeout.ts";
import { MAX_ATTACHMENTS } from "./attachment-text.ts";
import { NewAttachment } from "./attachments.ts";

// Bodies of the ask endpoints (docs/protocol.md, "Asking"). Objects are loose: unknown fields pass through.

/**
 * One field that the call would send. `origin` says who wrote the value: the user all of it, others perhaps, or the
 * model before it read anything of others. Clients warn about `service`.
 */
export const PreviewField = z.looseObject({
  name: z.string(),
  value: z.unknown(),
  origin: z.optional(z.enum(["person", "service", "model"])),
  /** The source that the model read and that holds the value or a part of it: `KAY-15`. */
  source: z.optional(z.string()),
  /** The user's words that differ from the value by a letter or two. */
  resembles: z.optional(z.string()),
});
export type PreviewField = z.infer<typeof PreviewField>;

const TokenCount = z.looseObject({
  input_tokens: z.number(),
  output_tokens: z.number(),
  /** Cost in US dollars, if the price of the model is known. */
  cost_usd: z.optional(z.number()),
});

/** Tokens that an answer used, as its provider counted them, and those of its conversation so far. */
export const Usage = z.extend(TokenCount, {
  /** Full name of the model, such as `openai:gpt-6-astra`. */
  model: z.string(),
  /** Tokens that the last model call read and wrote: how much of the context window the conversation takes. */
  context_tokens: z.optional(z.number()),
  conversation: z.optional(TokenCount),
});
export type Usage = z.infer<typeof Usage>;

/** Standing instructions of a request: whose they are, and where they are written. `text` has at most 20,000 characters. */
export const Instruction = z.looseObject({
  /** Name of the file, such as `KAY.md`. */
  source: z.string().check(z.minLength(1), z.maxLength(200)),
  /** `person`: the user's own file. `project`: a file of a project that the user trusted; others can have written it. */
  origin: z.enum(["person", "project"]),
  text: z.string().check(z.minLength(1), z.maxLength(20_000)),
});
export type Instruction = z.infer<typeof Instruction>;

/** Body of `POST /ask`. Here `session_id` is the conversation (`session_…`). */
export const AskRequest = z.looseObject({
  prompt: z.string(),
  interactive: z.optional(z.boolean()),
  confirm: z.optional(z.boolean()),
  /** Streams only, with `confirm`: reads run, and only other calls are asked. A backend without this asks every call. */
  plan: z.optional(z.boolean()),
  context: z.optional(z.record(z.string(), z.unknown())),
  session_id: z.optional(z.nullable(z.string())),
  confirmation_token: z.optional(z.nullable(z.string())),
  /** Files for the model and the tools of this conversation. */
  attachments: z.optional(z.array(NewAttachment).check(z.maxLength(MAX_ATTACHMENTS))),
  /** JSON Schema that the final answer must match. An answer that does not match is corrected once. */
  output_schema: z.optional(z.record(z.string(), z.unknown())),
  /** Maximum number of model calls. */
  max_steps: z.optional(z.int().check(z.minimum(1), z.maximum(20))),
  /** Run reads, and plan all other calls without sending them. */
  dry_run: z.optional(z.boolean()),
  /** Calls approved in advance for this turn: `slack.send_message`, or `slack.send_message:#ci` for one resource. */
  allow: z.optional(z.array(z.string().check(z.minLength(1), z.maxLength(200))).check(z.maxLength(50))),
  /** IANA name of the user's time zone, such as `Europe/Berlin`. "Today" and "3 pm" mean it. */
  time_zone: z.optional(z.string().check(z.maxLength(64))),
  /** Standing instructions. They approve nothing, and no value in them counts as the user's words. */
  instructions: z.optional(z.array(Instruction).check(z.maxLength(10))),
  /** Defaults of services: `jira.project`, `slack.channel`. */
  defaults: z.optional(z.record(z.string().check(z.maxLength(100)), z.string().check(z.maxLength(200)))),
  /** The part of the prompt that the user wrote, if not all of it. The rest can have been written by others. */
  typed: z.optional(z.string()),
  /** Full name of the model that answers this request, as in the `model` setting. */
  model: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
  /** How long its approvals and forms wait for an answer, in seconds. */
  approval_timeout: z.optional(ApprovalTimeout),
  /** Answer at once with `pending`, and let the generation run without a follower. */
  background: z.optional(z.boolean()),
  /** What to do with a generation of this conversation that is still running or waiting. */
  when_busy: z.optional(z.enum(["interrupt", "queue"])),
  /** Streams only: the client that asks, and whether it can answer requests. */
  client: z.optional(
    z.looseObject({
      id: z.string().check(z.minLength(1), z.maxLength(100)),
      name: z.optional(z.string()),
      interaction: z.optional(z.looseObject({ supported: z.boolean(), enabled: z.boolean() })),
    }),
  ),
});
export type AskRequest = z.infer<typeof AskRequest>;

/** Record of a write: the tool, how far the write came (`planned` in a dry run), and a link to the result. */
export const Receipt = z.looseObject({
  tool_call_id: z.string(),
  tool: z.string(),
  effect: z.enum(["planned", "sent", "settled", "unknown"]),
  summary: z.string(),
  url: z.optional(z.string()),
  /** Entry of `allow` that approved the call. */
  allowed_by: z.optional(z.string()),
  /** Account that an entry of `allow` let it use. */
  account: z.optional(z.string()),
});
export type Receipt = z.infer<typeof Receipt>;

/** One call that an approval would run. */
export const PlannedCall = z.looseObject({
  tool: z.string(),
  access: z.enum(["read", "write", "destructive"]),
  input: z.record(z.string(), z.unknown()),
  summary: z.string(),
  /** Confirmation only: every field that the call would send, and who wrote it. */
  fields: z.optional(z.array(PreviewField)),
  /** Confirmation only: what the call reaches, if the input names it by an ID. */
  target: z.optional(z.string()),
  /** Confirmation only: recipients, channels and services that kay has never written to before. */
  new_destinations: z.optional(z.array(z.string())),
  /** Dry run only: ID of the call. */
  tool_call_id: z.optional(z.string()),
  /** Dry run only: account that the call would use. */
  account: z.optional(z.string()),
  /** Dry run only: whether the call would need approval. */
  asks: z.optional(z.boolean()),
  /** Dry run only: sentence that explains `asks`. */
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
  /** ID of the generation that answered. */
  generation_id: z.optional(z.string()),
  /** Records of the writes. */
  receipts: z.optional(z.array(Receipt)),
  /** When the confirmation expires, in ISO 8601. */
  expires_at: z.optional(z.string()),
  /** Tokens of the answer, if the provider counts them. */
  usage: z.optional(Usage),
  /** Sentences for the user about this request, such as an attachment that the model does not read. */
  notices: z.optional(z.array(z.string())),
  /** Error code, if the request failed. */
  code: z.optional(z.string()),
  /** AUTH_REQUIRED only: services to connect. */
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
 * Answer of `GET /requests/:idempotency_key`: the outcome of a write whose answer was lost. `answer` is the body of the
 * first answer, once it exists. An unknown key is 404 NOT_FOUND.
 */
export const OutcomeResponse = z.looseObject({
  state: z.enum(["running", "done", "interrupted"]),
  status: z.optional(z.number()),
  answer: z.optional(z.unknown()),
  /** Conversation in which to follow a streamed ask that is running. */
  session_id: z.optional(z.string()),
  /** Number of the event before the first one of that ask. */
  after: z.optional(z.number()),
});
export type OutcomeResponse = z.infer<typeof OutcomeResponse>;

/** Answer of `GET /capabilities` and `GET /health`: the backend's version and features. */
export const CapabilitiesResponse = z.looseObject({
  name: z.string(),
  version: z.string(),
  sandbox: z.optional(z.boolean()),
  model: z.optional(z.string()),
  features: z.optional(z.array(z.string())),
});

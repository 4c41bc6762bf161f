import * as z from "zod/mini";
import { ApprovalTimeout } from "./approval-timeout.ts";
import { ClientPresence, GenerationStatus } from "./events.ts";
import { ApprovalScope, AuthNeeded, InteractionRequest, InteractionResponse } from "./interactions.ts";

/**
 * Bodies for conversations, open requests, policies and approvals (docs/protocol.md). Objects are loose: unknown fields
 * pass through.
 */

const text = z.string();
const record = z.record(text, z.unknown());

/** One conversation of `GET /sessions`. `id` is `session_…`. */
export const ConversationView = z.looseObject({
  id: text,
  title: z.nullable(text),
  created_at: text,
  updated_at: text,
  /** Status of the newest generation; absent before the first one. */
  status: z.optional(GenerationStatus),
  /** Number of the newest event in the log. */
  last_event: z.number(),
});
export type ConversationView = z.infer<typeof ConversationView>;

/** Answer of `GET /sessions?page=&limit=`. */
export const ConversationsResponse = z.looseObject({
  data: z.array(ConversationView),
  page: z.number(),
  limit: z.number(),
  total: z.number(),
  has_more: z.boolean(),
});
export type ConversationsResponse = z.infer<typeof ConversationsResponse>;

/** Answer of `DELETE /sessions/:id`. */
export const ConversationDeleted = z.looseObject({ id: text, deleted: z.boolean() });
export type ConversationDeleted = z.infer<typeof ConversationDeleted>;

/** Body of `PATCH /sessions/:id`. */
export const ConversationChange = z.looseObject({ title: z.string().check(z.minLength(1), z.maxLength(120)) });

/** Body of `POST /sessions/:id/interactions/:interaction_id`. */
export const InteractionAnswer = z.looseObject({
  action: z.enum(["approve", "deny", "submit", "cancel"]),
  approval_scope: z.optional(ApprovalScope),
  input: z.optional(record),
  /** Arguments to use instead of the ones shown. The tool's schema checks them, and they are sent exactly as given. */
  edited_args: z.optional(record),
  reason: z.optional(text),
  /** ID or name of the client that answers. */
  client: z.optional(text),
});
export type InteractionAnswer = z.infer<typeof InteractionAnswer>;

/** Answer of `POST /sessions/:id/interactions/:interaction_id`: the recorded answer. */
export const InteractionAnswered = z.extend(InteractionResponse, { session_id: text, generation_id: text });
export type InteractionAnswered = z.infer<typeof InteractionAnswered>;

/** Body of `PUT /sessions/:id/clients/:client_id`. */
export const ClientMode = z.looseObject({
  name: z.optional(text),
  interaction: z.looseObject({ supported: z.boolean(), enabled: z.boolean() }),
});
export type ClientMode = z.infer<typeof ClientMode>;

/**
 * Answer of `GET /sessions/:id/clients` and `PUT /sessions/:id/clients/:client_id`. `total` is set if not all clients
 * are listed.
 */
export const ClientsResponse = z.looseObject({ clients: z.array(ClientPresence), total: z.optional(z.number()) });
export type ClientsResponse = z.infer<typeof ClientsResponse>;

/** Body of `POST /generations/:id/auth`. */
export const AuthAnswer = z.looseObject({
  integration: text,
  success: z.boolean(),
  /**
   * With `success: false`, continue without the missing services instead of cancelling the generation.
   */
  go_on: z.optional(z.boolean()),
  /** ID or name of the client that answers. */
  client: z.optional(text),
});
export type AuthAnswer = z.infer<typeof AuthAnswer>;

/** Answer of the `/generations/:id` endpoints. */
export const GenerationView = z.looseObject({
  id: text,
  session_id: text,
  status: GenerationStatus,
  auth: z.optional(AuthNeeded),
});
export type GenerationView = z.infer<typeof GenerationView>;

/** One open request of `GET /pending`. `kay answer` takes its `id`. */
export const PendingRequest = z.looseObject({
  id: text,
  kind: z.enum(["approval", "input", "auth"]),
  session_id: text,
  generation_id: text,
  /** Title of the conversation. */
  title: z.optional(z.nullable(text)),
  created_at: text,
  expires_at: text,
  request: z.optional(InteractionRequest),
  auth: z.optional(AuthNeeded),
});
export type PendingRequest = z.infer<typeof PendingRequest>;

/** Answer of `GET /pending`. `GET /pending/:id` answers a single request. */
export const PendingResponse = z.looseObject({ pending: z.array(PendingRequest) });

/** One write of `GET /writes`: what was done or tried, where, as whom, who allowed it, and in whose words. */
export const WriteView = z.looseObject({
  id: text,
  service: text,
  tool: text,
  summary: text,
  /** `failed`: the service refused it. `not_sent`: nothing left. `unknown`: it may have been done. */
  state: z.enum(["done", "running", "failed", "not_sent", "unknown"]),
  /** Link to the result. */
  url: z.optional(text),
  /** The service's reason for refusing it. */
  error: z.optional(text),
  /** Account that it was sent as. */
  account: z.optional(text),
  created_at: text,
  updated_at: text,
  /** The conversation; absent for `kay tools call`. */
  session_id: z.optional(text),
  generation_id: z.optional(text),
  /** Title of the conversation. */
  title: z.optional(z.nullable(text)),
  /** The prompt that led to it. */
  prompt: z.optional(text),
  /** The answer to its approval: scope, client and time. */
  approved: z.optional(
    z.looseObject({ scope: z.optional(text), client: z.optional(text), edited: z.boolean(), at: text }),
  ),
  /** The entry of `allow` that approved it. */
  allowed_by: z.optional(text),
});
export type WriteView = z.infer<typeof WriteView>;

/** Answer of `GET /writes`: newest first. `cursor` asks for the next page; absent on the last one. */
export const WritesResponse = z.looseObject({ data: z.array(WriteView), cursor: z.optional(text) });
export type WritesResponse = z.infer<typeof WritesResponse>;

/** What kay may do without asking: `ask` asks every time, `reads` runs only reads, `everything` runs all calls. */
export const PolicyMode = z.enum(["ask", "reads", "everything"]);
export type PolicyMode = z.infer<typeof PolicyMode>;

/** Policy for a service (`slack`), a tool (`slack.send_message`) or everything (`*`). */
export const Policy = z.looseObject({ target: text, mode: PolicyMode });
export type Policy = z.infer<typeof Policy>;

/** Body of `POST /pending/link`. `id` is the request that the page shows first. */
export const AnswerLinkRequest = z.looseObject({ id: z.optional(text) });

/** Answer of `POST /pending/link`: a link that signs one device in, once, until it expires. */
export const AnswerLink = z.looseObject({ url: text, expires_at: text });
export type AnswerLink = z.infer<typeof AnswerLink>;

/** Answer of `GET /policies`. */
export const PoliciesResponse = z.looseObject({
  policies: z.array(Policy),
  /** How long approvals and forms wait, in seconds, if the user chose that. */
  approval_timeout: z.optional(ApprovalTimeout),
});
export type PoliciesResponse = z.infer<typeof PoliciesResponse>;

/** Body of `PUT /policies`. Mode `null` removes the policy. */
export const PoliciesChange = z.looseObject({
  policies: z.array(z.looseObject({ target: text, mode: z.nullable(PolicyMode) })),
  /** `null` forgets it. */
  approval_timeout: z.optional(z.nullable(ApprovalTimeout)),
});
export type PoliciesChange = z.infer<typeof PoliciesChange>;

/** A saved approval. `words` is exactly what the user approved. */
export const Grant = z.looseObject({
  id: text,
  scope: z.enum(["session", "always"]),
  tool: text,
  words: text,
  /** Account and site that the approval covers. */
  account: z.optional(text),
  session_id: z.optional(text),
  created_at: text,
  expires_at: z.nullable(text),
  last_used_at: z.optional(z.nullable(text)),
});
export type Grant = z.infer<typeof Grant>;

/** Answer of `GET /approvals`. */
export const GrantsResponse = z.looseObject({ approvals: z.array(Grant) });
export type GrantsResponse = z.infer<typeof GrantsResponse>;

/** Answer of `DELETE /approvals/:id` and `DELETE /approvals?target=`: the revoked approvals. */
export const GrantsRevoked = z.looseObject({ revoked: z.array(Grant) });
export type GrantsRevoked = z.infer<typeof GrantsRevoked>;

/** Body of `POST /approvals/test`, which checks whether a call would need approval. */
export const GrantTest = z.looseObject({ tool: text, input: z.optional(record), session_id: z.optional(text) });
export type GrantTest = z.infer<typeof GrantTest>;

/** Answer of `POST /approvals/test`. `why` is a sentence; `grant` is the saved approval that covers the call. */
export const GrantTestResponse = z.looseObject({ asks: z.boolean(), why: text, grant: z.optional(Grant) });
export type GrantTestResponse = z.infer<typeof GrantTestResponse>;

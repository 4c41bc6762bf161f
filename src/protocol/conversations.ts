import * as z from "zod/mini";
import {
  ApprovalScope,
  AuthNeeded,
  ClientPresence,
  GenerationStatus,
  InteractionRequest,
  InteractionResponse,
} from "./events.ts";

/** Bodies of conversations, open requests, policies and grants (protocol sections 3 and 5). Loose, as everywhere in the contract. */

const text = z.string();
const record = z.record(text, z.unknown());

/** One conversation of `GET /sessions`. `id` is `session_…`. */
export const ConversationView = z.looseObject({
  id: text,
  title: z.nullable(text),
  created_at: text,
  updated_at: text,
  /** Of the newest generation; absent before the first. */
  status: z.optional(GenerationStatus),
  /** Number of the newest event of the log. */
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
  /** Instead of the arguments that were shown; checked by the tool's schema and sent exactly as they are. */
  edited_args: z.optional(record),
  reason: z.optional(text),
  /** Id or name of the client that answers. */
  client: z.optional(text),
});
export type InteractionAnswer = z.infer<typeof InteractionAnswer>;

/** Answer of the same: what was recorded. */
export const InteractionAnswered = z.extend(InteractionResponse, { session_id: text, generation_id: text });
export type InteractionAnswered = z.infer<typeof InteractionAnswered>;

/** Body of `PUT /sessions/:id/clients/:client_id` (seed: hello and set_interaction_mode). */
export const ClientMode = z.looseObject({
  name: z.optional(text),
  interaction: z.looseObject({ supported: z.boolean(), enabled: z.boolean() }),
});
export type ClientMode = z.infer<typeof ClientMode>;

/** Answer of the same, and of `GET /sessions/:id/clients`: everybody who follows the conversation, and how many where not all are named. */
export const ClientsResponse = z.looseObject({ clients: z.array(ClientPresence), total: z.optional(z.number()) });
export type ClientsResponse = z.infer<typeof ClientsResponse>;

/** Body of `POST /generations/:id/auth` (seed: submitAuthResult). */
export const AuthAnswer = z.looseObject({
  integration: text,
  success: z.boolean(),
  /** With a no: the generation is not cancelled, but goes on without anything that is not connected. */
  go_on: z.optional(z.boolean()),
  /** Id or name of the client that answers. */
  client: z.optional(text),
});
export type AuthAnswer = z.infer<typeof AuthAnswer>;

/** A generation, as its own calls answer. */
export const GenerationView = z.looseObject({
  id: text,
  session_id: text,
  status: GenerationStatus,
  auth: z.optional(AuthNeeded),
});
export type GenerationView = z.infer<typeof GenerationView>;

/** One thing that waits for a person, wherever it was asked: `GET /pending`. `id` is what `kay answer` takes. */
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

/** Answer of `GET /pending`; `GET /pending/:id` answers one. */
export const PendingResponse = z.looseObject({ pending: z.array(PendingRequest) });

/** What a person lets kay do by itself with a service or tool: "ask every time", "run reads only", "run everything". */
export const PolicyMode = z.enum(["ask", "reads", "everything"]);
export type PolicyMode = z.infer<typeof PolicyMode>;

/** `target` is a service (`slack`), a tool (`slack.send_message`), or `*`. */
export const Policy = z.looseObject({ target: text, mode: PolicyMode });
export type Policy = z.infer<typeof Policy>;

/** Answer of `GET /policies`. */
export const PoliciesResponse = z.looseObject({ policies: z.array(Policy) });
export type PoliciesResponse = z.infer<typeof PoliciesResponse>;

/** Body of `PUT /policies`; a target with mode `null` is forgotten. */
export const PoliciesChange = z.looseObject({
  policies: z.array(z.looseObject({ target: text, mode: z.nullable(PolicyMode) })),
});

/** A remembered approval. `words` is exactly what the person said yes to. */
export const Grant = z.looseObject({
  id: text,
  scope: z.enum(["session", "always"]),
  tool: text,
  words: text,
  /** The account and site it holds for. */
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

/** Answer of `DELETE /approvals/:id` and of `DELETE /approvals?target=`: those that were taken back. */
export const GrantsRevoked = z.looseObject({ revoked: z.array(Grant) });
export type GrantsRevoked = z.infer<typeof GrantsRevoked>;

/** Body of `POST /approvals/test`: would this call run by itself? */
export const GrantTest = z.looseObject({ tool: text, input: z.optional(record), session_id: z.optional(text) });
export type GrantTest = z.infer<typeof GrantTest>;

/** Answer of the same. `why` is a sentence. */
export const GrantTestResponse = z.looseObject({ asks: z.boolean(), why: text, grant: z.optional(Grant) });
export type GrantTestResponse = z.infer<typeof GrantTestResponse>;

import type { ColumnType, Generated, GeneratedAlways } from "kysely";
import type { Json, MaybeJson, MaybeTime, Time } from "./column-types.ts";

/** Tables of agent servers, at the backend that asks one and at the agent server itself. See `schema.ts`. */

/** What an agent server reported of a generation. `key` is the same for a report that is delivered again. */
export type AgentReports = {
  number: GeneratedAlways<string>;
  generation_id: string;
  key: string;
  report: Json;
  created_at: Time;
};

/**
 * At an agent server: the session that a backend opened for a conversation. The token is stored as SHA-256 until it is
 * used; the webhook's URL is encrypted.
 */
export type AgentSessions = {
  conversation_id: string;
  token_hash: Buffer | null;
  token_expires_at: Time;
  sealed_webhook: Buffer;
  webhook_expires_at: Time;
  /** The generation that the webhook is for, if a backend on the same database named it. */
  generation_id: string | null;
};

/** A turn that an agent server runs for a backend. Its calls and effects are those of the generation. */
export type AgentTurns = {
  generation_id: string;
  conversation_id: string;
  installation_id: string;
  prompt: string;
  /** The generation was made here, for a backend that does not share the database. */
  own: boolean;
  /** Number of the node that works on it. */
  node: number | null;
  steps: Generated<number>;
  step: MaybeJson;
  /** The messages of the model and its tools in the turn. */
  messages: ColumnType<unknown[], string | undefined, string>;
  sealed_webhook: Buffer;
  /** When its webhook accepts no more reports and the turn is given up. */
  expires_at: Time;
  finished_at: MaybeTime;
  /**
   * Number of the node that delivers its reports, the time since when a report is due, and the number of failures in a
   * row.
   */
  courier: number | null;
  deliver_at: MaybeTime;
  tries: Generated<number>;
};

/** Reports for a webhook in order, kept until their turn is removed. */
export type AgentOutbox = {
  number: GeneratedAlways<string>;
  generation_id: string;
  /** Equal for parts that a repeated turn sends again. */
  key: string;
  report: Json;
  created_at: Time;
  delivered_at: MaybeTime;
};

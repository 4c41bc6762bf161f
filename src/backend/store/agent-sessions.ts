import { timingSafeEqual } from "node:crypto";
import type { Kysely, Selectable } from "kysely";
import { cleanText } from "./column-types.ts";
import type { Database, DbConnection } from "./schema.ts";
import type { AgentSessions } from "./schema-agents.ts";
import { hashSecret } from "./secrets.ts";

/** A session that a backend opened at this agent server for one turn of a conversation. */
export type StoredAgentSession = Selectable<AgentSessions>;

/**
 * Creates the session of a conversation, or gives the existing one a new token and webhook. The former token becomes
 * invalid.
 */
export async function putAgentSession(
  db: Kysely<Database>,
  { token, ...session }: Omit<StoredAgentSession, "token_hash"> & { token: string },
): Promise<void> {
  const { conversation_id: _, ...changed } = { ...session, token_hash: hashSecret(token) };
  await db
    .insertInto("agent_sessions")
    .values({ ...session, token_hash: hashSecret(token) })
    .onConflict((conflict) => conflict.column("conversation_id").doUpdateSet(changed))
    .execute();
}

/** Finds the session of a conversation and locks it until the transaction ends. */
export async function lockAgentSession(
  tx: DbConnection,
  conversationId: string,
): Promise<StoredAgentSession | undefined> {
  const query = tx.selectFrom("agent_sessions").selectAll().where("conversation_id", "=", cleanText(conversationId));
  return await query.forUpdate().executeTakeFirst();
}

/** Whether this is the token of the session, not spent and not too old. */
export function matchesToken(
  { token_hash, token_expires_at }: StoredAgentSession,
  token: string,
  now: number,
): boolean {
  return token_hash !== null && timingSafeEqual(token_hash, hashSecret(token)) && token_expires_at.getTime() > now;
}

/** The token is valid for one stream. */
export async function spendToken(tx: DbConnection, conversationId: string): Promise<void> {
  const query = tx.updateTable("agent_sessions").set({ token_hash: null });
  await query.where("conversation_id", "=", conversationId).execute();
}

/** Returns the owner of the conversation; undefined if it does not exist. */
export async function findOwner(db: DbConnection, conversationId: string): Promise<string | undefined> {
  const query = db.selectFrom("conversations").select("installation_id").where("id", "=", cleanText(conversationId));
  return (await query.executeTakeFirst())?.installation_id;
}

import { sql } from "kysely";
import type { DbConnection } from "./connection.ts";
import { LIVE_NODES_SQL } from "./node.ts";

/** Note that somebody at this node reads a conversation, or that nobody does any more. */
export async function recordFollowers(
  db: DbConnection,
  conversationId: string,
  node: number,
  some: boolean,
): Promise<void> {
  const row = { conversation_id: conversationId, node };
  if (some)
    await db
      .insertInto("followers")
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  else
    await db.deleteFrom("followers").where("conversation_id", "=", conversationId).where("node", "=", node).execute();
}

/** Whether somebody reads a conversation at another node that lives. */
export async function isFollowedElsewhere(db: DbConnection, conversationId: string, node: number): Promise<boolean> {
  const others = db.selectFrom("followers").select("node").where("conversation_id", "=", conversationId);
  const living = others.where("node", "!=", node).where(sql<boolean>`node in (${sql.raw(LIVE_NODES_SQL)})`);
  return (await living.executeTakeFirst()) !== undefined;
}

/** Forget those of nodes that are gone. */
export async function forgetLostFollowers(db: DbConnection): Promise<void> {
  await db
    .deleteFrom("followers")
    .where(sql<boolean>`node not in (${sql.raw(LIVE_NODES_SQL)})`)
    .execute();
}

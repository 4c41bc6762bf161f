import { sql } from "kysely";
import type { Connection } from "./connection.ts";
import { LIVE_NODES } from "./node.ts";

/** Note that somebody at this node reads a conversation, or that nobody does any more. */
export async function noteFollowers(
  db: Connection,
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
export async function followedElsewhere(db: Connection, conversationId: string, node: number): Promise<boolean> {
  const others = db.selectFrom("followers").select("node").where("conversation_id", "=", conversationId);
  const living = others.where("node", "!=", node).where(sql<boolean>`node in (${sql.raw(LIVE_NODES)})`);
  return (await living.executeTakeFirst()) !== undefined;
}

/** Forget those of nodes that are gone. */
export async function forgetLostFollowers(db: Connection): Promise<void> {
  await db
    .deleteFrom("followers")
    .where(sql<boolean>`node not in (${sql.raw(LIVE_NODES)})`)
    .execute();
}

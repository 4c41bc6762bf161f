import { sql } from "kysely";
import type { ClientMode } from "#protocol/conversations";
import type { ClientPresence } from "#protocol/events";
import type { Connection } from "./connection.ts";
import { cleanText } from "./json.ts";
import { LIVE_NODES } from "./node.ts";

/** A client of a conversation. */
export type ClientPlace = { conversationId: string; clientId: string };

/**
 * Note who follows a conversation and whether they can answer, or that this has changed.
 *
 * @param options `node` is the one its stream is connected to; without it the stream, if there is one, stays where it was
 */
export async function putClient(
  db: Connection,
  { conversationId, clientId }: ClientPlace,
  { name, interaction }: ClientMode,
  { node, now }: { node?: number; now: number },
): Promise<void> {
  const mode = {
    supported: interaction.supported,
    enabled: interaction.enabled,
    seen_at: new Date(now),
    ...(name === undefined ? {} : { name: cleanText(name) }),
    ...(node === undefined ? {} : { node }),
  };
  await db
    .insertInto("clients")
    .values({ conversation_id: conversationId, client_id: clientId, ...mode })
    .onConflict((conflict) => conflict.columns(["conversation_id", "client_id"]).doUpdateSet(mode))
    .execute();
}

/** Forget a client that has left; with a `node`, only if it has not connected to another one since. */
export async function removeClient(
  db: Connection,
  { conversationId, clientId }: ClientPlace,
  node?: number,
): Promise<void> {
  const clients = db.deleteFrom("clients").where("conversation_id", "=", conversationId);
  const client = clients.where("client_id", "=", clientId);
  await (node === undefined ? client : client.where("node", "=", node)).execute();
}

/** Everybody who follows a conversation, as `data-presence` tells it. */
export async function listClients(db: Connection, conversationId: string): Promise<ClientPresence[]> {
  const clients = db.selectFrom("clients").selectAll().where("conversation_id", "=", conversationId);
  const rows = await clients.orderBy("client_id").execute();
  return rows.map(({ client_id, name, supported, enabled }) => ({
    client_id,
    ...(name === null ? {} : { name }),
    interaction: { supported, enabled },
  }));
}

/** Whether anybody who follows a conversation can answer a request. */
export async function canAnswer(db: Connection, conversationId: string): Promise<boolean> {
  const clients = db.selectFrom("clients").select("client_id").where("conversation_id", "=", conversationId);
  const able = clients.where("supported", "=", true).where("enabled", "=", true);
  return (await able.limit(1).executeTakeFirst()) !== undefined;
}

/** Forget whoever was connected to a node that is gone. */
export async function forgetLostClients(db: Connection): Promise<void> {
  await db
    .deleteFrom("clients")
    .where(sql<boolean>`node is not null and node not in (${sql.raw(LIVE_NODES)})`)
    .execute();
}

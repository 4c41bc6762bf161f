import { type RawBuilder, sql } from "kysely";
import type { ClientMode } from "#protocol/conversations";
import type { ClientPresence } from "#protocol/events";
import { cleanText } from "./column-types.ts";
import { LIVE_NODES_SQL } from "./node.ts";
import type { DbConnection } from "./schema.ts";
import { wake } from "./wake-ups.ts";

/** A client of a conversation. */
export type ClientKey = { conversationId: string; clientId: string };

/** The parts of its mode that a client has reported. */
export type PartialMode = Partial<ClientMode>;

/** The followers of a conversation, as in `data-presence`. `total` is set if they are too many to list. */
export type PresentClients = { clients: ClientPresence[]; total?: number };

/** How long a client without a stream counts after it reported its abilities, in ms. */
const WITHOUT_STREAM = 60_000;

/** Node number of such clients; no node has it. */
const NOWHERE = 0;

/** Maximum number of clients that are listed. Those that can answer come first. */
const MOST_TOLD = 100;

/** Stores the abilities that a client reports. Without a stream, it counts for a minute. Every node is notified. */
export async function putClient(
  db: DbConnection,
  { conversationId, clientId }: ClientKey,
  { name, interaction }: ClientMode,
  now: number,
): Promise<void> {
  const { supported, enabled } = interaction;
  const cleanName = name === undefined ? null : cleanText(name);
  const date = new Date(now);
  await sql`with known as (
      update present_clients set name = coalesce(${cleanName}, name), supported = ${supported}, enabled = ${enabled}, seen_at = ${date}
      where conversation_id = ${conversationId} and client_id = ${clientId} returning node),
    added as (
      insert into present_clients (conversation_id, client_id, node, name, supported, enabled, seen_at)
      select ${conversationId}, ${clientId}, ${NOWHERE}, ${cleanName}, ${supported}::boolean, ${enabled}::boolean, ${date}::timestamptz
      where not exists (select from known)
      on conflict (conversation_id, client_id, node)
      do update set name = excluded.name, supported = excluded.supported, enabled = excluded.enabled, seen_at = excluded.seen_at)
    select`.execute(db);
  wakePresence(db, conversationId);
}

/**
 * Records that a client has a stream at a node. Parts of its mode that it does not state keep their values from any
 * node. A client that never stated anything can answer.
 */
export async function attachClient(
  db: DbConnection,
  { conversationId, clientId }: ClientKey,
  { name, interaction }: PartialMode,
  { node, now }: { node: number; now: number },
): Promise<void> {
  const cleanName = name === undefined ? null : cleanText(name);
  const { supported = null, enabled = null } = interaction ?? {};
  await sql`with before as (
      select name, supported, enabled from present_clients
      where conversation_id = ${conversationId} and client_id = ${clientId} order by seen_at desc limit 1),
    added as (
      insert into present_clients (conversation_id, client_id, node, name, supported, enabled, seen_at)
      select ${conversationId}, ${clientId}, ${node}, coalesce(${cleanName}, before.name), coalesce(${supported}::boolean, before.supported, true),
        coalesce(${enabled}::boolean, before.enabled, true), ${new Date(now)}::timestamptz
      from (values (1)) as one left join before on true
      on conflict (conversation_id, client_id, node)
      do update set name = excluded.name, supported = excluded.supported, enabled = excluded.enabled, seen_at = excluded.seen_at),
    taken as (
      delete from present_clients
      where conversation_id = ${conversationId} and client_id = ${clientId} and node = ${NOWHERE})
    select`.execute(db);
  wakePresence(db, conversationId);
}

/** Records that a client no longer has a stream at a node. */
export async function detachClient(
  db: DbConnection,
  { conversationId, clientId }: ClientKey,
  node: number,
): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom("present_clients")
    .where("conversation_id", "=", conversationId)
    .where("client_id", "=", clientId)
    .where("node", "=", node)
    .executeTakeFirst();
  if (numDeletedRows > 0n) wakePresence(db, conversationId);
}

/** Lists the current followers of a conversation. */
export async function listClients(db: DbConnection, conversationId: string, now: number): Promise<PresentClients> {
  const { rows } = await sql<Row & { total: number }>`
    select *, count(*) over ()::int as total from (${queryPresent(conversationId, now)}) as clients
    order by (supported and enabled) desc, client_id limit ${MOST_TOLD}`.execute(db);
  const [{ total = 0 } = {}] = rows;
  const clients = rows.map(toClientPresence).sort((a, b) => (a.client_id < b.client_id ? -1 : 1));
  return { clients, ...(total > clients.length ? { total } : {}) };
}

/**
 * Returns whether any follower of a conversation can answer a request, or undefined if no follower identified itself.
 */
export async function canAnswer(db: DbConnection, conversationId: string, now: number): Promise<boolean | undefined> {
  const { rows } = await queryAbility(conversationId, now).execute(db);
  return rows[0]?.able ?? undefined;
}

/** Builds the query for `readTogether`. */
export function queryAbility(conversationId: string, now: number): RawBuilder<{ able: boolean | null }> {
  return sql`select bool_or(supported and enabled) as able from (${queryPresent(conversationId, now)}) as clients`;
}

/** Finds the client with this ID; otherwise, the most capable one with this name. */
export async function findClient(
  db: DbConnection,
  conversationId: string,
  idOrName: string,
  now: number,
): Promise<ClientPresence | undefined> {
  const term = cleanText(idOrName);
  const { rows } = await sql<Row>`
    select * from (${queryPresent(conversationId, now)}) as clients where client_id = ${term} or name = ${term}
    order by client_id = ${term} desc, (supported and enabled) desc limit 1`.execute(db);
  return rows.map(toClientPresence)[0];
}

/** Removes clients of vanished nodes, or of this one, and modes that were stated long ago. Notifies every node. */
export async function forgetLostClients(db: DbConnection, now: number, node: number | null = null): Promise<void> {
  const { rows } = await sql<{ conversation_id: string }>`delete from present_clients
    where case node when ${NOWHERE} then seen_at <= ${new Date(now - WITHOUT_STREAM)}
      else node = ${node}::int or node not in (${sql.raw(LIVE_NODES_SQL)}) end
    returning conversation_id`.execute(db);
  for (const id of new Set(rows.map(({ conversation_id }) => conversation_id))) wakePresence(db, id);
}

type Row = { client_id: string; name: string | null; supported: boolean; enabled: boolean };

/** Lists each client once. If it has several streams, its last report counts. */
function queryPresent(conversationId: string, now: number): RawBuilder<Row> {
  return sql`select distinct on (client_id) client_id, name, supported, enabled from present_clients
    where conversation_id = ${conversationId}
      and case node when ${NOWHERE} then seen_at > ${new Date(now - WITHOUT_STREAM)} else node in (${sql.raw(LIVE_NODES_SQL)}) end
    order by client_id, seen_at desc`;
}

function toClientPresence({ client_id, name, supported, enabled }: Row): ClientPresence {
  return { client_id, ...(name === null ? {} : { name }), interaction: { supported, enabled } };
}

function wakePresence(db: DbConnection, id: string): void {
  wake(db, { topic: "presence", id });
}

/** Records which conversations have readers on this node, and which have lost their last one. Deleted ones are left out. */
export async function recordFollowers(
  db: DbConnection,
  node: number,
  { followed, left }: { followed: string[]; left: string[] },
): Promise<void> {
  await sql`with gone as (
      delete from followers where node = ${node} and conversation_id = any(${left}::text[]))
    insert into followers (conversation_id, node)
    select id, ${node}::int from conversations where id = any(${followed}::text[]) for key share
    on conflict do nothing`.execute(db);
}

/** Returns whether any living node has readers of a conversation. */
export async function isFollowed(db: DbConnection, conversationId: string): Promise<boolean> {
  const followers = db.selectFrom("followers").select("node").where("conversation_id", "=", conversationId);
  const living = followers.where(sql<boolean>`node in (${sql.raw(LIVE_NODES_SQL)})`);
  return (await living.executeTakeFirst()) !== undefined;
}

/** Returns whether another living node has readers of a conversation. */
export async function isFollowedElsewhere(db: DbConnection, conversationId: string, node: number): Promise<boolean> {
  const others = db.selectFrom("followers").select("node").where("conversation_id", "=", conversationId);
  const living = others.where("node", "!=", node).where(sql<boolean>`node in (${sql.raw(LIVE_NODES_SQL)})`);
  return (await living.executeTakeFirst()) !== undefined;
}

/** Deletes the clients of vanished nodes. */
export async function forgetLostFollowers(db: DbConnection): Promise<void> {
  await db
    .deleteFrom("followers")
    .where(sql<boolean>`node not in (${sql.raw(LIVE_NODES_SQL)})`)
    .execute();
}

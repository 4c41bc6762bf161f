import { type Kysely, sql } from "kysely";
import type { AuthNeeded, InteractionRequest } from "#protocol/interactions";
import { LIVE_NODES_SQL } from "./node.ts";
import type { Database } from "./schema.ts";

/** A request that waits while no client follows its conversation. */
export type UnseenRequest = {
  id: string;
  installation_id: string;
  conversation_id: string;
  /** Null for a connection request. */
  request: InteractionRequest | null;
  auth: AuthNeeded | null;
};

/** Requests that one look claims. */
const CLAIMED_AT_ONCE = 20;

/**
 * Claims requests that opened before a time and that no client sees, each once over all nodes.
 *
 * @param before requests that opened later may still find a follower
 */
export async function claimUnseenRequests(
  db: Kysely<Database>,
  { now, before }: { now: number; before: number },
): Promise<UnseenRequest[]> {
  const [at, opened] = [new Date(now), new Date(before)];
  const isUnseen = (conversation: string) => sql`not exists (select from followers
    where followers.conversation_id = ${sql.ref(conversation)} and node in (${sql.raw(LIVE_NODES_SQL)}))`;
  const { rows } = await sql<UnseenRequest>`
    with asked as (update interactions set notified_at = ${at} where id in (
        select id from interactions where status = 'open' and notified_at is null and expires_at > ${at}
          and created_at <= ${opened} and ${isUnseen("interactions.conversation_id")}
        limit ${CLAIMED_AT_ONCE} for update skip locked)
      returning id, installation_id, conversation_id, request, null::jsonb as auth),
    needed as (update generations set notified_at = ${at} where id in (
        select id from generations where status = 'awaiting_auth' and finished_at is null and auth is not null
          and paused_at <= ${opened} and (notified_at is null or notified_at < paused_at)
          and ${isUnseen("generations.conversation_id")}
        limit ${CLAIMED_AT_ONCE} for update skip locked)
      returning id, installation_id, conversation_id, null::jsonb as request, auth)
    select * from asked union all select * from needed`.execute(db);
  return rows;
}

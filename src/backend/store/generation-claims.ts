import { type Kysely, sql } from "kysely";
import type { GenerationRow } from "./generation-row.ts";
import { COLUMNS } from "./generations.ts";
import { LIVE_NODES_SQL } from "./node.ts";
import type { Database, DbConnection } from "./schema.ts";

/** Which generations a node runs: those for agent servers (`options.at`), all others, or all. */
export type DelegationScope = "agent" | "backend" | "all";

/**
 * Claims a generation that has not ended, unless a live node runs it or keeps one of its calls open. Exactly one node
 * gets it.
 *
 * @returns the row before the claim, so that its status says what it waited for
 */
export async function claimGeneration(
  db: Kysely<Database>,
  id: string,
  node: number,
  share: DelegationScope,
): Promise<GenerationRow | undefined> {
  return await db
    .with("before", (query) =>
      query
        .selectFrom("generations")
        .select(COLUMNS)
        .where("id", "=", id)
        .where("finished_at", "is", null)
        .where(isIdle)
        .where(isKeptBy(node))
        .where(isWithin(share))
        .forUpdate(),
    )
    .with("claimed", (query) =>
      query
        .updateTable("generations")
        .from("before")
        // Claimed from a node that ended while running it, perhaps because of it.
        .set({ node, failures: sql<number>`before.failures + (before.node is not null)::int` })
        .whereRef("generations.id", "=", "before.id"),
    )
    .selectFrom("before")
    .select(COLUMNS)
    .executeTakeFirst();
}

/** Releases a generation that this node claimed. */
export async function releaseGeneration(db: Kysely<Database>, id: string, node: number): Promise<void> {
  const query = db.updateTable("generations").set({ node: null }).where("id", "=", id);
  await query.where("node", "=", node).where("finished_at", "is", null).execute();
}

/** Returns whether this node still holds the generation, and locks it until the transaction ends. */
export async function isHolder(tx: DbConnection, id: string, node: number): Promise<boolean> {
  const query = tx.selectFrom("generations").select("node").where("id", "=", id).where("finished_at", "is", null);
  return (await query.forNoKeyUpdate().executeTakeFirst())?.node === node;
}

/** No live node runs it. */
export const isIdle = () => sql<boolean>`(node is null or node not in (${sql.raw(LIVE_NODES_SQL)}))`;

/** Any node may end a generation that must stop, even without a live agent server. */
export const isWithin = (share: DelegationScope) =>
  share === "agent"
    ? sql<boolean>`options ->> 'at' = 'agent'`
    : sql<boolean>`(${share === "all"} or cancel is not null or options ->> 'at' is distinct from 'agent')`;

/** A call that a live node keeps open continues only there. Another node could only repeat it. */
const isKeptBy = (node: number) =>
  sql<boolean>`(kept_by is null or kept_by = ${node} or kept_by not in (${sql.raw(LIVE_NODES_SQL)}))`;

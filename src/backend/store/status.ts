import { sql } from "kysely";
import type { GenerationStatus } from "#protocol/events";
import type { DbConnection } from "./connection.ts";
import { LIVE_NODES_SQL } from "./node.ts";

/** What all nodes of a database are at: how many live, and the generations that are not over. */
export type WorkStatus = { nodes: number; generations: Partial<Record<GenerationStatus, number>> };

export async function getWorkStatus(db: DbConnection): Promise<WorkStatus> {
  const nodes = await sql<{
    count: number;
  }>`select count(*)::int as count from (${sql.raw(LIVE_NODES_SQL)}) as living`.execute(db);
  const rows = await db
    .selectFrom("generations")
    .select(["status", sql<number>`count(*)::int`.as("count")])
    .where("finished_at", "is", null)
    .groupBy("status")
    .execute();
  return {
    nodes: nodes.rows[0]?.count ?? 0,
    generations: Object.fromEntries(rows.map(({ status, count }) => [status, count])),
  };
}

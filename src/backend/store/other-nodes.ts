import { sql } from "kysely";
import type { DbConnection } from "./connection.ts";
import { LIVE_NODES_SQL } from "./node.ts";

/** Whether any other node than this one lives, which could go on with its work. */
export async function hasOtherNodes(db: DbConnection, node: number): Promise<boolean> {
  const { rows } = await sql<{
    others: boolean;
  }>`select exists (select from (${sql.raw(LIVE_NODES_SQL)}) as living (node)
    where node <> ${node}) as others`.execute(db);
  return rows[0]?.others === true;
}

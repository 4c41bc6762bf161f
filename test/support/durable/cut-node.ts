import type pg from "pg";
import { ask as sqlAsk } from "../postgres-world.ts";

/**
 * Ends the connection that keeps the node of a conversation alive. Searches the lock only in this database, because
 * nodes of other tests have the same numbers in theirs.
 * @returns the number of ended connections
 */
export async function cutNode(config: pg.PoolConfig, session: string): Promise<number> {
  const cut = `select count(pg_terminate_backend(pid)) from pg_locks
    where locktype = 'advisory' and classid = ${0x6b6179} and granted
      and database = (select oid from pg_database where datname = current_database())
      and objid::int = (select node from generations where conversation_id = '${session}')`;
  return Number(await sqlAsk(config, cut));
}

import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { Policy } from "#protocol/conversations";
import type { Database, DbConnection } from "./schema.ts";

/** Lists the policies of an installation: everything (`*`) first, then by name. */
export async function listPolicies(db: Kysely<Database>, installationId: string): Promise<Policy[]> {
  return await queryPolicies(db, installationId).execute();
}

/** Builds the query for `readTogether`. */
export function queryPolicies(db: DbConnection, installationId: string) {
  const all = db.selectFrom("policies").select(["target", "mode"]).where("installation_id", "=", installationId);
  return all.orderBy(sql`target collate "C"`);
}

/**
 * Sets the policies of some targets, or removes them with mode `null`, all or nothing. Each target may appear only
 * once.
 */
export async function putPolicies(
  db: Kysely<Database>,
  installationId: string,
  changes: { target: string; mode: Policy["mode"] | null }[],
  now: number,
): Promise<void> {
  const forgotten = changes.filter(({ mode }) => mode === null).map(({ target }) => target);
  const rows = changes.flatMap(({ target, mode }) =>
    mode === null ? [] : [{ installation_id: installationId, target, mode, updated_at: new Date(now) }],
  );
  // In the same order for everyone, so that concurrent changes never deadlock.
  rows.sort((a, b) => (a.target < b.target ? -1 : 1));
  await db.transaction().execute(async (tx) => {
    if (forgotten.length > 0) {
      const policies = tx.deleteFrom("policies").where("installation_id", "=", installationId);
      await policies.where("target", "in", forgotten).execute();
    }
    if (rows.length === 0) return;
    await tx
      .insertInto("policies")
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(["installation_id", "target"]).doUpdateSet((row) => ({
          mode: row.ref("excluded.mode"),
          updated_at: row.ref("excluded.updated_at"),
        })),
      )
      .execute();
  });
}

import { setTimeout as sleep } from "node:timers/promises";
import { type Expression, sql } from "kysely";
import { isDatabaseAway } from "./database.ts";
import type { DbConnection } from "./schema.ts";

/** Columns that hold bytes; JSON has them as hexadecimal digits after `\x`. */
const BYTES = new Set(["sealed", "sealed_client", "authorization", "secret_hash"]);

/** The rows of each query by its name. */
export type Rows<Queries> = {
  [Name in keyof Queries]: Queries[Name] extends Expression<infer Row> | undefined ? Row[] : never;
};

/**
 * Runs several queries as one statement, on one snapshot. Each returns the rows that it would return alone; an undefined one returns none.
 *
 * @example const { grants, policies } = await readTogether(db, { grants: queryGrants(db, id), policies: queryPolicies(db, id) })
 */
export async function readTogether<Queries extends Record<string, Expression<unknown> | undefined>>(
  db: DbConnection,
  queries: Queries,
): Promise<Rows<Queries>> {
  const entries = Object.entries(queries).flatMap(([name, query]) => (query ? [{ name, query }] : []));
  const columns = entries.map(
    ({ name, query }) => sql`(select coalesce(json_agg(found), '[]') from (${query}) as found) as ${sql.id(name)}`,
  );
  const row =
    entries.length > 0 ? (await sql<Record<string, object[]>>`select ${sql.join(columns)}`.execute(db)).rows[0] : {};
  const all = Object.keys(queries).map((name) => [name, (row?.[name] ?? []).map(toRow)]);
  return Object.fromEntries(all) as Rows<Queries>;
}

/** Times and bytes come as text: columns of times are called `…_at`. */
function toRow(row: object): object {
  for (const [name, value] of Object.entries(row)) {
    if (typeof value !== "string") continue;
    if (name.endsWith("_at")) Object.assign(row, { [name]: new Date(value) });
    if (BYTES.has(name)) Object.assign(row, { [name]: Buffer.from(value.slice(2), "hex") });
  }
  return row;
}

/** Pauses between attempts, in ms: a restart of Postgres takes seconds. The last one repeats. */
const PAUSES_MS = [100, 250, 500, 1_000, 2_000];
const LIMIT_MS = 60_000;

/**
 * Retries work that fails because the database is away, for about a minute. The work must be safe to repeat.
 *
 * @throws the error of the last attempt; any other error at once
 */
export async function retryWhileAway<T>(work: () => Promise<T>): Promise<T> {
  let waited = 0;
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseAway(error) || waited >= LIMIT_MS) throw error;
    }
    const pause = PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)] ?? 0;
    waited += pause;
    await sleep(pause, undefined, { ref: false });
  }
}

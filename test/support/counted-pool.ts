import type { PostgresPool, PostgresPoolClient } from "kysely";

/** A pool that notes each statement that is sent to the database, in order. */
export function countedPool(pool: PostgresPool): { pool: PostgresPool; statements: string[] } {
  const statements: string[] = [];
  const count = (client: PostgresPoolClient) =>
    ({
      query: (text: string, values: unknown[]) => {
        statements.push(text.replace(/\s+/g, " ").trim());
        return client.query(text, values);
      },
      release: () => client.release(),
    }) as unknown as PostgresPoolClient;
  return {
    statements,
    pool: { options: pool.options, end: () => pool.end(), connect: async () => count(await pool.connect()) },
  };
}

import { Kysely, PostgresDialect, type PostgresPoolClient } from "kysely";
import pg from "pg";
import type { Database } from "#backend/store/schema";

/** A test's database that goes away at a chosen moment, as while Postgres restarts. */
export type AbsentDatabase = {
  db: Kysely<Database>;
  /** Goes away as soon as statements like these were run, one after the other. */
  leaveAfter(...statements: RegExp[]): void;
  comeBack(): void;
  isAway(): boolean;
  close(): Promise<void>;
};

/** Opens such a database by its connection data. */
export function openAbsentDatabase(config: pg.PoolConfig): AbsentDatabase {
  const pool = new pg.Pool(config);
  let awaited: RegExp[] = [];
  let away = false;
  const fail = (code: string) => Object.assign(new Error(`scripted: ${code}`), { code });
  const notice = (statement: string) => {
    if (!awaited[0]?.test(statement)) return;
    awaited.shift();
    away = awaited.length === 0;
  };
  const wrap = (client: pg.PoolClient): PostgresPoolClient =>
    ({
      query: async (statement: string, values: unknown[]) => {
        if (away) throw fail("ECONNRESET");
        const result = await client.query(statement, values);
        notice(statement);
        return result;
      },
      // Ends what was open, as a restart does.
      release: () => client.release(away),
    }) as unknown as PostgresPoolClient;
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({
      pool: {
        options: pool.options,
        connect: async () => {
          if (away) throw fail("ECONNREFUSED");
          return wrap(await pool.connect());
        },
        end: () => pool.end(),
      },
    }),
  });
  return {
    db,
    leaveAfter: (...statements) => {
      awaited = statements;
    },
    comeBack: () => {
      awaited = [];
      away = false;
    },
    isAway: () => away,
    close: () => db.destroy(),
  };
}

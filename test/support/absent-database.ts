import { Kysely, PostgresDialect, type PostgresPoolClient } from "kysely";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import type { BackendPorts } from "#backend/ports";
import { createNode, type Node } from "#backend/store/node";
import type { Database } from "#backend/store/schema";
import { createWorld, type World } from "./backend.ts";
import { useDatabase } from "./database.ts";

/** A test database that goes away at a chosen moment, like while Postgres restarts. */
type AbsentDatabase = {
  db: Kysely<Database>;
  /** Goes away once statements like these have run, in order. */
  leaveAfter(...statements: RegExp[]): void;
  comeBack(): void;
  isAway(): boolean;
  close(): Promise<void>;
};

/** Opens such a database by its connection data. */
function openAbsentDatabase(config: pg.PoolConfig): AbsentDatabase {
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

/** A world on a database that can go away. Each test gets another world, with other ports if needed. */
export function useAbsentWorld(more: () => Partial<BackendPorts> = () => ({})) {
  const database = useDatabase();
  let absent: AbsentDatabase;
  let node: Node;
  let world: World;
  beforeAll(() => {
    absent = openAbsentDatabase(database().config);
    node = createNode(database().config, () => {});
  });
  afterAll(async () => {
    await node.close();
    await absent.close();
  });
  beforeEach(() => {
    world = createWorld({ db: absent.db, node, ...more() });
  });
  afterEach(async () => {
    absent.comeBack();
    await world.backend.close();
    world.outside.settled();
  });
  return { absent: () => absent, world: () => world, database };
}

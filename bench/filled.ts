import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";
import { startPostgres } from "#host/postgres/start";
import { thisMachine } from "#test/machine";

/** Connects to the database of a running backend, like another kay process. */
export type Filled = {
  /**
   * Fills it up to a number of conversations: of the signed-in installation, or ten of each of many. One in `waiting`
   * waits for an approval.
   */
  fill(count: number, whose: "one" | "many", waiting?: number): Promise<void>;
  /** Bytes. */
  size(): Promise<number>;
  /** Returns the processor time that its server has used so far, in ms (Linux). */
  ticks(): Promise<number>;
  /** Makes Postgres count statements, if it was started with `pg_stat_statements`. */
  countStatements(): Promise<void>;
  /** Returns the statements of others since the last call, without those that ran less often than `least`. */
  statements(least?: number): Promise<number>;
  /** How to connect. */
  config: pg.PoolConfig;
  close(): Promise<void>;
};

/**
 * @param folder `--data-dir` of the backend
 * @param settings of Postgres, if it is started by this
 */
export async function joinDatabase(folder: string, settings?: Record<string, string>): Promise<Filled> {
  const machine = thisMachine("/var/lib/kay");
  const postgres = await startPostgres({ folder, machine, log: () => undefined, ...(settings ? { settings } : {}) });
  const client = new pg.Client(postgres.config);
  await client.connect();
  const one = async <T>(text: string, values: unknown[] = []) => (await client.query(text, values)).rows[0] as T;
  return {
    async fill(count, whose, waiting = 10) {
      const { id } = await one<{ id: string }>("select id from installations where id not like 'bench%' limit 1");
      const { known } = await one<{ known: number }>("select count(*)::int as known from conversations");
      if (whose === "many")
        await client.query(
          "insert into installations select 'bench' || i, now() from generate_series(0, $1 / 10) i on conflict do nothing",
          [count],
        );
      for (const statement of FILL) await client.query(statement, [known, count, id, whose, waiting]);
      await client.query("vacuum analyze");
    },
    size: async () => Number((await one<{ size: string }>("select pg_database_size(current_database()) as size")).size),
    ticks: async () => {
      const { data } = await one<{ data: string }>("select pg_read_file('postmaster.pid') as data");
      return sumCpu(data.split("\n")[0] ?? "");
    },
    countStatements: async () => void (await client.query("create extension if not exists pg_stat_statements")),
    async statements(least = 0) {
      const { calls } = await one<{ calls: number }>(
        `select coalesce(sum(calls), 0)::int as calls from pg_stat_statements
         where calls >= $1 and query not like '%pg_stat_statements%' and query not like '%pg_read_file%'`,
        [least],
      );
      await client.query("select pg_stat_statements_reset()");
      return calls;
    },
    config: postgres.config,
    async close() {
      await client.end();
      await postgres.stop();
    },
  };
}

/** Includes the server's children, even ended ones. In hundredths of a second, as the system counts. */
function sumCpu(pid: string): number {
  const all = readdirSync("/proc").flatMap((each) => (/^\d+$/.test(each) ? [readFields(each)] : []));
  const sum = (fields: string[], from: number, to: number) =>
    fields.slice(from, to).reduce((total, each) => total + Number(each), 0);
  const own = readFields(pid);
  return (
    10 * all.filter((fields) => fields[1] === pid).reduce((total, each) => total + sum(each, 11, 13), sum(own, 11, 15))
  );
}

/** Fields from the state on; empty if the process is gone. */
function readFields(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
  } catch {
    return [];
  }
}

/**
 * Inserts conversations $1 to $2 for installation $3, each with a question and its answer; every $5th waits for an
 * approval instead.
 */
const EACH = `from generate_series($1::int + 1, $2::int) i,
  lateral (select case when $4 = 'one' then $3::text else 'bench' || i / 10 end, $5::int) as owner (id, waiting)`;
const FILL = [
  `insert into conversations (id, installation_id, title, interactive, created_at, updated_at, last_event)
   select 'session_bench_' || i, owner.id, 'close KAY-' || i, true, now() - i * interval '1 second', now() - i * interval '1 second', 8 ${EACH}`,
  `insert into generations (id, conversation_id, installation_id, status, options, steps, created_at, finished_at, wake_at)
   select 'gen_bench_' || i, 'session_bench_' || i, owner.id, case when i % owner.waiting = 0 then 'awaiting_approval' else 'completed' end,
     '{"mode": "stream", "prompt": "hello", "context": {}, "interactive": true, "confirm": false, "source": "typed", "seen": 1}', 1, now(),
     case when i % owner.waiting = 0 then null else now() end, case when i % owner.waiting = 0 then now() + interval '1 hour' end ${EACH}`,
  `insert into messages (conversation_id, sequence, message, generation_id, created_at)
   select 'session_bench_' || i, n, jsonb_build_object('role', case n when 1 then 'user' else 'assistant' end, 'content', repeat('hello there ', 20)),
     'gen_bench_' || i, now() ${EACH}, generate_series(1, 2) n`,
  `insert into events (conversation_id, number, generation_id, part, created_at)
   select 'session_bench_' || i, n, 'gen_bench_' || i, jsonb_build_object('type', 'text-delta', 'id', 't', 'delta', repeat('hello there ', 10)),
     now() ${EACH}, generate_series(1, 8) n`,
  `insert into interactions (id, installation_id, conversation_id, generation_id, tool_call_id, ordinal, status, request, created_at, expires_at)
   select 'int_bench_' || i, owner.id, 'session_bench_' || i, 'gen_bench_' || i, 'c1', 0, 'open',
     jsonb_build_object('interaction_type', 'approval', 'tool_name', 'slack.send', 'prompt', 'Send it?'), now(), now() + interval '1 hour' ${EACH}
   where i % owner.waiting = 0`,
];

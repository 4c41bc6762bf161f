import { type Kysely, type RawBuilder, type Selectable, sql } from "kysely";
import { toJsonColumn } from "./column-types.ts";
import type { Database, DbConnection } from "./schema.ts";
import type { Calls } from "./schema-work.ts";

/** Listed, because a prepared `select *` fails once a newer node adds a column. */
const COLUMNS = ["generation_id", "step", "position", "tool_call_id", "tool", "input", "outcome"] as const;

type CallRow = Pick<Selectable<Calls>, (typeof COLUMNS)[number]>;

/** A call of a step, and how it ended, if it has. */
export type StoredCall = {
  step: number;
  position: number;
  toolCallId: string;
  tool: string;
  input: unknown;
  outcome: unknown;
};

/** Returns a change that inserts the calls of a step before any of them runs (`Condition`). */
export function insertCallsSql(
  step: number,
  calls: { toolCallId: string; toolName: string; input: unknown }[],
): RawBuilder<unknown> {
  const rows = calls.map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input: input ?? null }));
  return sql`insert into "calls" (generation_id, step, position, tool_call_id, tool, input)
    select held.id, ${step}::int, place - 1, given ->> 'toolCallId', given ->> 'toolName', given -> 'input'
    from held, jsonb_array_elements(${toJsonColumn(rows)}::jsonb) with ordinality as calls_of_step (given, place) on conflict do nothing`;
}

/**
 * Stores how a call ended, or (`ran`) its result before it is settled, as a change under a `Condition`. The first end
 * stays.
 */
export function settleCallSql(toolCallId: string, outcome: object): RawBuilder<unknown> {
  return sql`update "calls" set outcome = ${toJsonColumn(outcome)} from held
    where generation_id = held.id and tool_call_id = ${toolCallId} and (outcome is null or outcome ? 'ran')`;
}

/** Lists the calls of a generation in order. */
export async function listCalls(db: DbConnection, generationId: string): Promise<StoredCall[]> {
  return (await queryCalls(db, generationId).execute()).map(toStoredCall);
}

/** Builds the query for `readTogether`. */
export function queryCalls(db: DbConnection, generationId: string) {
  const all = db.selectFrom("calls").select(COLUMNS).where("generation_id", "=", generationId);
  return all.orderBy("step").orderBy("position");
}

export function toStoredCall({ tool_call_id: toolCallId, ...row }: CallRow): StoredCall {
  const { step, position, tool, input, outcome } = row;
  return { step, position, toolCallId, tool, input, outcome };
}

/** How long the handle of a task is kept, in ms: longer than any server keeps the task. */
const KEPT_MS = 7 * 24 * 60 * 60_000;

/** A call that its service runs as a task. `id` is that of the call's effect. */
type CallTask = { id: string; installation_id: string; handle: string };

/** Returns the handle of a call's task. */
export async function findTask(db: Kysely<Database>, id: string): Promise<string | undefined> {
  const row = await db.selectFrom("call_tasks").select("handle").where("id", "=", id).executeTakeFirst();
  return row?.handle;
}

/** Stores the handle of a call's task, before anything waits for it. The first one stays. Old ones are removed. */
export async function putTask(db: Kysely<Database>, task: CallTask, now: number): Promise<void> {
  await db
    .insertInto("call_tasks")
    .values({ ...task, created_at: new Date(now) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await db
    .deleteFrom("call_tasks")
    .where("installation_id", "=", task.installation_id)
    .where("created_at", "<", new Date(now - KEPT_MS))
    .execute();
}

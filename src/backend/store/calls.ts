import { type RawBuilder, type Selectable, sql } from "kysely";
import { toJsonColumn } from "./column-types.ts";
import type { DbConnection } from "./schema.ts";
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
  const given = calls.map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input: input ?? null }));
  return sql`insert into "calls" (generation_id, step, position, tool_call_id, tool, input)
    select held.id, ${step}::int, place - 1, given ->> 'toolCallId', given ->> 'toolName', given -> 'input'
    from held, jsonb_array_elements(${toJsonColumn(given)}::jsonb) with ordinality as calls_of_step (given, place) on conflict do nothing`;
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

/** The same as a query, to be read with others. */
export function queryCalls(db: DbConnection, generationId: string) {
  const all = db.selectFrom("calls").select(COLUMNS).where("generation_id", "=", generationId);
  return all.orderBy("step").orderBy("position");
}

export function toStoredCall({ tool_call_id: toolCallId, ...row }: CallRow): StoredCall {
  const { step, position, tool, input, outcome } = row;
  return { step, position, toolCallId, tool, input, outcome };
}

import { type RawBuilder, sql } from "kysely";
import type { Connection } from "./connection.ts";
import { jsonColumn } from "./json.ts";

/** One call of a step, and how it ended once it has. */
export type StoredCall = {
  step: number;
  position: number;
  toolCallId: string;
  tool: string;
  input: unknown;
  outcome: unknown;
};

/** The calls of a step, written down before any of them runs. */
export async function insertCalls(
  tx: Connection,
  generationId: string,
  step: number,
  calls: { toolCallId: string; toolName: string; input: unknown }[],
): Promise<void> {
  const rows = calls.map(({ toolCallId, toolName, input }, position) => ({
    generation_id: generationId,
    step,
    position,
    tool_call_id: toolCallId,
    tool: toolName,
    input: jsonColumn(input ?? null),
  }));
  if (rows.length > 0)
    await tx
      .insertInto("calls")
      .values(rows)
      .onConflict((c) => c.doNothing())
      .execute();
}

/** The same as a change that goes with parts (`Condition`). */
export function callsInserted(
  step: number,
  calls: { toolCallId: string; toolName: string; input: unknown }[],
): RawBuilder<unknown> {
  const given = calls.map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input: input ?? null }));
  return sql`insert into "calls" (generation_id, step, position, tool_call_id, tool, input)
    select held.id, ${step}::int, place - 1, given ->> 'toolCallId', given ->> 'toolName', given -> 'input'
    from held, jsonb_array_elements(${jsonColumn(given)}::jsonb) with ordinality as calls_of_step (given, place) on conflict do nothing`;
}

/** How a call ended. The first end stays. */
export async function settleCall(
  tx: Connection,
  generationId: string,
  toolCallId: string,
  outcome: object,
): Promise<void> {
  await tx
    .updateTable("calls")
    .set({ outcome: jsonColumn(outcome) })
    .where("generation_id", "=", generationId)
    .where("tool_call_id", "=", toolCallId)
    .where(sql<boolean>`(outcome is null or outcome ? 'ran')`)
    .execute();
}

/** How a call ended, or (`ran`) what it came to before it is over, as a change that goes with parts. The first end stays. */
export function callSettled(toolCallId: string, outcome: object): RawBuilder<unknown> {
  return sql`update "calls" set outcome = ${jsonColumn(outcome)} from held
    where generation_id = held.id and tool_call_id = ${toolCallId} and (outcome is null or outcome ? 'ran')`;
}

/** Every call of a generation in order. */
export async function callsOf(db: Connection, generationId: string): Promise<StoredCall[]> {
  const rows = await db
    .selectFrom("calls")
    .selectAll()
    .where("generation_id", "=", generationId)
    .orderBy("step")
    .orderBy("position")
    .execute();
  return rows.map(({ step, position, tool_call_id, tool, input, outcome }) => ({
    step,
    position,
    toolCallId: tool_call_id,
    tool,
    input,
    outcome,
  }));
}

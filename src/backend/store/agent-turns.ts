import type { ModelMessage } from "ai";
import { type Kysely, type Selectable, sql } from "kysely";
import { cleanText, toJsonColumn } from "./column-types.ts";
import { LIVE_NODES_SQL } from "./node.ts";
import type { Database, DbConnection } from "./schema.ts";
import type { AgentTurns } from "./schema-agents.ts";

/** A turn that this agent server runs for a backend. */
export type StoredTurn = Selectable<AgentTurns>;

export type NewTurn = Pick<
  StoredTurn,
  "generation_id" | "conversation_id" | "installation_id" | "prompt" | "own" | "node" | "sealed_webhook" | "expires_at"
>;

export async function insertTurn(tx: DbConnection, turn: NewTurn): Promise<void> {
  await tx
    .insertInto("agent_turns")
    .values({ ...turn, prompt: cleanText(turn.prompt) })
    .execute();
}

export async function findTurn(db: DbConnection, generationId: string): Promise<StoredTurn | undefined> {
  return await db.selectFrom("agent_turns").selectAll().where("generation_id", "=", generationId).executeTakeFirst();
}

/** Whether a turn of the conversation runs for an open generation; one that is being stopped does not count. */
export async function hasRunningTurn(tx: DbConnection, conversationId: string): Promise<boolean> {
  const query = tx
    .selectFrom("agent_turns")
    .innerJoin("generations", "generations.id", "agent_turns.generation_id")
    .select("generation_id")
    .where("agent_turns.conversation_id", "=", conversationId)
    .where("agent_turns.finished_at", "is", null)
    .where("generations.finished_at", "is", null)
    .where("generations.cancel", "is", null);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Claims a turn that has not ended and that no live node runs. */
export async function claimTurn(
  db: Kysely<Database>,
  generationId: string,
  node: number,
): Promise<StoredTurn | undefined> {
  return await db
    .updateTable("agent_turns")
    .set({ node })
    .where("generation_id", "=", generationId)
    .where("finished_at", "is", null)
    .where(isLeftTo(node))
    .returningAll()
    .executeTakeFirst();
}

/** Changes to a turn when a step begins or ends, and when the turn ends or moves to another node. */
export type TurnChange = {
  node?: null;
  steps?: number;
  step?: object | null;
  messages?: ModelMessage[];
  finished_at?: Date;
};

/** Changes a turn, with its reports, if this node still runs it. Returns false otherwise. */
export async function changeTurn(
  tx: DbConnection,
  generationId: string,
  node: number,
  { step, messages, ...plain }: TurnChange,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("agent_turns")
    .set({
      // Locks the row until the transaction ends.
      node,
      ...plain,
      ...(step === undefined ? {} : { step: step === null ? null : toJsonColumn(step) }),
      ...(messages === undefined ? {} : { messages: toJsonColumn(messages) }),
    })
    .where("generation_id", "=", generationId)
    .where("node", "=", node)
    .where("finished_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Lists the turns that no living node runs, including turns of this node that it has lost track of. */
export async function listTurnsToRun(db: Kysely<Database>, node: number): Promise<string[]> {
  const query = db.selectFrom("agent_turns").select("generation_id").where("finished_at", "is", null);
  const rows = await query.where(isLeftTo(node)).limit(AT_ONCE).execute();
  return rows.map(({ generation_id }) => generation_id);
}

/** Returns those of these turns that must stop: their generation has ended or must stop, or their time is over. */
export async function listTurnsToStop(db: Kysely<Database>, ids: string[], now: number): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom("agent_turns")
    .innerJoin("generations", "generations.id", "agent_turns.generation_id")
    .select("generation_id")
    .where("generation_id", "in", ids)
    .where((e) =>
      e.or([
        e("generations.finished_at", "is not", null),
        e("generations.cancel", "is not", null),
        e("expires_at", "<=", new Date(now)),
      ]),
    )
    .execute();
  const existing = await db
    .selectFrom("agent_turns")
    .select("generation_id")
    .where("generation_id", "in", ids)
    .execute();
  const existingIds = new Set(existing.map(({ generation_id }) => generation_id));
  return [...rows.map(({ generation_id }) => generation_id), ...ids.filter((id) => !existingIds.has(id))];
}

/** Lists the messages of a turn, step by step, for the conversation's history. Empty if another agent server ran it. */
export async function listTurnMessages(db: DbConnection, generationId: string): Promise<ModelMessage[]> {
  return ((await findTurn(db, generationId))?.messages ?? []) as ModelMessage[];
}

/** Returns whether a turn will report more. */
export async function isUnderWay(db: DbConnection, generationId: string): Promise<boolean> {
  const turn = await findTurn(db, generationId);
  return turn !== undefined && (turn.finished_at === null || turn.deliver_at !== null);
}

/** Deletes turns whose generation has ended and whose reports are delivered. */
export async function forgetTurns(db: Kysely<Database>): Promise<void> {
  await db
    .deleteFrom("agent_turns")
    .where("finished_at", "is not", null)
    .where("deliver_at", "is", null)
    .where("generation_id", "in", (e) => e.selectFrom("generations").select("id").where("finished_at", "is not", null))
    .execute();
}

/** Maximum number of turns that one tick takes up. */
const AT_ONCE = 100;

const isLeftTo = (node: number) =>
  sql<boolean>`(node is null or node = ${node} or node not in (${sql.raw(LIVE_NODES_SQL)}))`;

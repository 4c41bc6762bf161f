import { randomBytes } from "node:crypto";
import { type Kysely, type RawBuilder, sql } from "kysely";
import { toJsonColumn } from "./column-types.ts";
import { type GenerationRow, parseGeneration, type StoredGeneration, toProgressColumns } from "./generation-row.ts";
import {
  type GenerationProgress,
  type GenerationRequest,
  type GenerationState,
  INITIAL_PROGRESS,
} from "./generation-state.ts";
import type { Database, DbConnection } from "./schema.ts";

/** Listed, because a prepared `select *` fails once a newer node adds a column. */
export const COLUMNS = [
  "id",
  "conversation_id",
  "installation_id",
  "status",
  "node",
  "request",
  "progress",
  "options",
  "steps",
  "step",
  "kept_by",
  "auth",
  "wake_at",
  "paused_at",
  "failures",
  "retry_at",
  "cancel",
  "detached",
  "notified_at",
  "created_at",
  "finished_at",
] as const;

/** Creates an ID, `gen_…`. */
export function createGenerationId(): string {
  return `gen_${randomBytes(16).toString("hex")}`;
}

/** Creates a generation. Its time is after every other of its conversation, whatever the clocks of nodes say. */
export async function createGeneration(
  db: DbConnection,
  generation: {
    installationId: string;
    conversationId: string;
    status: "running" | "paused";
    request: GenerationRequest;
    progress?: GenerationProgress;
    detached?: boolean;
    now: number;
  },
): Promise<string> {
  const { request, progress = INITIAL_PROGRESS, detached = false } = generation;
  const id = createGenerationId();
  await db
    .insertInto("generations")
    .values({
      id,
      conversation_id: generation.conversationId,
      installation_id: generation.installationId,
      status: generation.status,
      detached,
      request: toJsonColumn(request),
      ...toProgressColumns({ request, progress }),
      created_at: sql`greatest(${new Date(generation.now)}::timestamptz, (select max(created_at) + interval '1 microsecond'
        from generations where conversation_id = ${generation.conversationId}))`,
    })
    .execute();
  return id;
}

/** @throws Problem STORE_UNREADABLE */
export async function findGeneration(db: DbConnection, id: string): Promise<StoredGeneration | undefined> {
  const row = await db.selectFrom("generations").select(COLUMNS).where("id", "=", id).executeTakeFirst();
  return row && parseGeneration(row);
}

/** Selects the generation that made a request, with the version of its row, which changes whenever something in it does. */
export function queryAsker(db: DbConnection, interactionId: string) {
  const asking = db.selectFrom("interactions").select("generation_id").where("id", "=", interactionId);
  const columns = db
    .selectFrom("generations")
    .select(COLUMNS)
    .select(sql<string>`generations.xmin::text`.as("version"));
  return columns.where("id", "=", asking);
}

/** Changes when a step ends, or when a generation waits or ends. */
export type GenerationChange = Partial<
  Pick<
    StoredGeneration,
    | "status"
    | "node"
    | "steps"
    | "kept_by"
    | "wake_at"
    | "paused_at"
    | "finished_at"
    | "cancel"
    | "failures"
    | "retry_at"
  >
> & { state?: GenerationState; step?: object | null; auth?: object | null };

export async function changeGeneration(tx: DbConnection, id: string, change: GenerationChange): Promise<void> {
  await tx.updateTable("generations").set(getColumns(change)).where("id", "=", id).execute();
}

/** Returns a change to a generation that is written with parts (`Condition`). */
export function changeGenerationSql(change: GenerationChange): RawBuilder<unknown> {
  const sets = Object.entries(getColumns(change)).map(([name, value]) => sql`${sql.id(name)} = ${value}`);
  return sql`update "generations" set ${sql.join(sets)} from held where generations.id = held.id`;
}

function getColumns({ state, step, auth, ...plain }: GenerationChange) {
  return {
    ...plain,
    ...(state === undefined ? {} : toProgressColumns(state)),
    ...(step === undefined ? {} : { step: step === null ? null : toJsonColumn(step) }),
    ...(auth === undefined ? {} : { auth: auth === null ? null : toJsonColumn(auth) }),
  };
}

/** Lets a generation run without a follower. Returns false if it has ended. */
export async function detachGeneration(db: DbConnection, id: string): Promise<boolean> {
  const query = db.updateTable("generations").set({ detached: true }).where("id", "=", id);
  return (await query.where("finished_at", "is", null).executeTakeFirst()).numUpdatedRows > 0n;
}

/**
 * Lists the generations of a conversation that have not ended, in order of request.
 * @throws Problem STORE_UNREADABLE
 */
export async function listOpenGenerations(db: DbConnection, conversationId: string): Promise<StoredGeneration[]> {
  const rows = await db
    .selectFrom("generations")
    .select(COLUMNS)
    .where("conversation_id", "=", conversationId)
    .where("finished_at", "is", null)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map(parseGeneration);
}

/** Asks whether a conversation has another generation that has not ended. */
export function hasOtherGenerationSql(conversationId: string, id: string): RawBuilder<boolean> {
  return sql`exists (select from generations as others
    where others.conversation_id = ${conversationId} and others.finished_at is null and others.id <> ${id})`;
}

/** Lists generations that wait for this service, or that run and may have needed it before it was connected. */
export async function listAwaitingService(
  db: Kysely<Database>,
  installationId: string,
  service: string,
): Promise<string[]> {
  const rows = await db
    .selectFrom("generations")
    .select("id")
    .where("installation_id", "=", installationId)
    .where("finished_at", "is", null)
    .where(sql<boolean>`(status = 'running' or auth -> 'integrations' ? ${service})`)
    .execute();
  return rows.map(({ id }) => id);
}

/** Lists the generations of an installation that wait for a connection. @throws Problem STORE_UNREADABLE */
export async function listAwaitingAuth(db: Kysely<Database>, installationId: string): Promise<StoredGeneration[]> {
  const rows = await db
    .selectFrom("generations")
    .select(COLUMNS)
    .where("installation_id", "=", installationId)
    .where("status", "=", "awaiting_auth")
    .where("finished_at", "is", null)
    .orderBy("created_at")
    .execute();
  return rows.map(parseGeneration);
}

/** Locks the row until the transaction ends; undefined if the generation has ended. */
export async function lockGeneration(tx: DbConnection, id: string): Promise<GenerationRow | undefined> {
  const query = tx.selectFrom("generations").select(COLUMNS).where("id", "=", id).where("finished_at", "is", null);
  return await query.forNoKeyUpdate().executeTakeFirst();
}

/** Counts the calls of a program of `/mcp` that have not ended. */
export async function countOpenCalls(db: DbConnection, installationId: string, programId: string): Promise<number> {
  const { count } = await db
    .selectFrom("generations")
    .select(({ fn }) => fn.countAll<string>().as("count"))
    .where("installation_id", "=", installationId)
    .where("finished_at", "is", null)
    .where(sql`request->'call'->>'program_id'`, "=", programId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

import { type Kysely, type RawBuilder, sql } from "kysely";
import { cleanText, toJsonColumn } from "./column-types.ts";
import { LIVE_NODES_SQL } from "./node.ts";
import type { Database } from "./schema.ts";

/** A write by its `Idempotency-Key`: running, answered, or interrupted by a stop of the backend. */
export type StoredRequest = {
  fingerprint: string;
  state: "running" | "done" | "interrupted";
  status: number | null;
  answer: unknown;
  /** The generation that answers, if any. It continues even if the process that accepted the request is gone. */
  generationId: string | null;
};

/**
 * Claims a key for a request.
 *
 * @returns `undefined` if it is claimed now; otherwise the outcome of the first request with this key
 */
export async function claimRequest(
  db: Kysely<Database>,
  installationId: string,
  key: string,
  { fingerprint, node }: { fingerprint: string; node: number },
  now: number,
): Promise<StoredRequest | undefined> {
  const claimed = await db
    .insertInto("requests")
    .values({ installation_id: installationId, key, fingerprint, state: "running", node, created_at: new Date(now) })
    .onConflict((conflict) => conflict.doNothing())
    .returning("key")
    .executeTakeFirst();
  return claimed ? undefined : await findRequest(db, installationId, key);
}

/** Stores the first answer of a request. */
export async function finishRequest(
  db: Kysely<Database>,
  installationId: string,
  key: string,
  { status, answer }: { status: number; answer: unknown },
): Promise<void> {
  await db
    .updateTable("requests")
    .set({ state: "done", status, answer: toJsonColumn(answer) })
    .where("installation_id", "=", installationId)
    .where("key", "=", key)
    .execute();
}

/** Finds the outcome of the request with this key. */
export async function findRequest(
  db: Kysely<Database>,
  installationId: string,
  key: string,
): Promise<StoredRequest | undefined> {
  const row = await db
    .selectFrom("requests")
    .selectAll()
    .where("installation_id", "=", installationId)
    .where("key", "=", cleanText(key))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { fingerprint, state, status, answer, generation_id: generationId } = row;
  return { fingerprint, state, status, answer, generationId };
}

/** Links the request to the generation that answers it, in the transaction that starts or approves it. */
export function linkRequestSql(installationId: string, key: string, generationId: string): RawBuilder<unknown> {
  return sql`update "requests" set generation_id = ${generationId}
    where installation_id = ${installationId} and key = ${key}`;
}

/** An answer that is stored with the work itself. */
type AnsweredRequest = { status: number; answer: unknown; generationId: string; fingerprint: string };

/** Stores the answer of a claimed request, as a change under a `Condition`: in the statement that does its work. */
export function updateAnsweredSql(
  installationId: string,
  key: string,
  { status, answer, generationId }: AnsweredRequest,
): RawBuilder<unknown> {
  return sql`update "requests" set state = 'done', status = ${status}, answer = ${toJsonColumn(answer)},
    generation_id = ${generationId} from held where installation_id = ${installationId} and key = ${key}`;
}

/** Stores the answer of a key that was not claimed: the statement fails if another request has it (`isKeyTaken`). */
export function insertAnsweredSql(
  installationId: string,
  key: string,
  { status, answer, generationId, fingerprint }: AnsweredRequest,
  now: number,
): RawBuilder<unknown> {
  return sql`insert into "requests" (installation_id, key, fingerprint, state, status, answer, generation_id, created_at)
    select ${installationId}, ${key}, ${fingerprint}, 'done', ${status}::int, ${toJsonColumn(answer)}::jsonb, ${generationId},
      ${new Date(now)}::timestamptz from held`;
}

/** Whether a statement failed because another request has the key. */
export function isKeyTaken(error: unknown): boolean {
  return (error as { constraint?: unknown } | null)?.constraint === "requests_pkey";
}

/** Marks a request as interrupted: its outcome is unknown, unless a generation answers it. */
export async function interruptRequest(db: Kysely<Database>, installationId: string, key: string): Promise<void> {
  await db
    .updateTable("requests")
    .set({ state: "interrupted" })
    .where("installation_id", "=", installationId)
    .where("key", "=", key)
    .where("state", "=", "running")
    .where("generation_id", "is", null)
    .execute();
}

/** Deletes a request that was not executed, so that its key is unknown again. */
export async function releaseRequest(db: Kysely<Database>, installationId: string, key: string): Promise<void> {
  await db
    .deleteFrom("requests")
    .where("installation_id", "=", installationId)
    .where("key", "=", key)
    .where("state", "=", "running")
    .where("generation_id", "is", null)
    .execute();
}

/** Marks the requests that vanished nodes were answering without a generation. Called at start-up. */
export async function interruptLostRequests(db: Kysely<Database>): Promise<void> {
  await db
    .updateTable("requests")
    .set({ state: "interrupted" })
    .where("state", "=", "running")
    .where("generation_id", "is", null)
    .where(sql<boolean>`(node is null or node not in (${sql.raw(LIVE_NODES_SQL)}))`)
    .execute();
}

/** Removes answers that are no longer looked up. Called at start-up. */
export async function forgetRequestsBefore(db: Kysely<Database>, time: Date): Promise<void> {
  await db.deleteFrom("requests").where("state", "!=", "running").where("created_at", "<", time).execute();
}

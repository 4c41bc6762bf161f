import type { Kysely } from "kysely";
import { cleanText, jsonColumn } from "./json.ts";
import type { Database } from "./schema.ts";

/** A write by its `Idempotency-Key`: under way, answered, or cut off by a stop of the backend. */
export type StoredRequest = {
  fingerprint: string;
  state: "running" | "done" | "interrupted";
  status: number | null;
  answer: unknown;
};

/**
 * Claim a key for a request.
 *
 * @returns `undefined` when it is now ours, otherwise what the first request with this key came to
 */
export async function claimRequest(
  db: Kysely<Database>,
  installationId: string,
  key: string,
  fingerprint: string,
  now: number,
): Promise<StoredRequest | undefined> {
  const claimed = await db
    .insertInto("requests")
    .values({ installation_id: installationId, key, fingerprint, state: "running", created_at: new Date(now) })
    .onConflict((conflict) => conflict.doNothing())
    .returning("key")
    .executeTakeFirst();
  return claimed ? undefined : await findRequest(db, installationId, key);
}

/** Keep the first answer. */
export async function finishRequest(
  db: Kysely<Database>,
  installationId: string,
  key: string,
  { status, answer }: { status: number; answer: unknown },
): Promise<void> {
  await db
    .updateTable("requests")
    .set({ state: "done", status, answer: jsonColumn(answer) })
    .where("installation_id", "=", installationId)
    .where("key", "=", key)
    .execute();
}

/** What became of the request with this key. */
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
  return row && { fingerprint: row.fingerprint, state: row.state, status: row.status, answer: row.answer };
}

/** At start-up: requests that a stopped process was answering. */
export async function interruptLostRequests(db: Kysely<Database>): Promise<void> {
  await db.updateTable("requests").set({ state: "interrupted" }).where("state", "=", "running").execute();
}

/** At start-up: answers that nobody looks up any more. */
export async function forgetRequestsBefore(db: Kysely<Database>, time: Date): Promise<void> {
  await db.deleteFrom("requests").where("state", "!=", "running").where("created_at", "<", time).execute();
}

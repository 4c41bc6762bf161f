import { type Kysely, sql } from "kysely";
import { type DelegationScope, isIdle, isWithin } from "./generation-claims.ts";
import type { StoredGeneration } from "./generation-row.ts";
import type { Database, DbConnection } from "./schema.ts";
import { wake } from "./wake-ups.ts";

/**
 * Lists generations that need a node and have none: left by a vanished node, past their deadline, answered without
 * notice, to be stopped, or next in their conversation. A failed one is skipped until its next attempt. The number is
 * limited, so several nodes share a large backlog.
 */
export async function listGenerationsToWake(
  db: Kysely<Database>,
  now: number,
  share: DelegationScope,
): Promise<string[]> {
  const rows = await db
    .selectFrom("generations")
    .select("id")
    .where("finished_at", "is", null)
    .where((e) =>
      e.or([
        e.and([e("status", "=", "running"), e("created_at", "<=", new Date(now - BEGINNING))]),
        e("wake_at", "<=", new Date(now)),
        e("cancel", "is not", null),
        e.and([e("status", "=", "paused"), isNext()]),
      ]),
    )
    .where((e) => e.or([e("retry_at", "is", null), e("retry_at", "<=", new Date(now))]))
    .where(isIdle)
    .where(isWithin(share))
    .limit(WOKEN_AT_ONCE)
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns those of some generations that must stop, or have events that were not handled. */
export async function listNews(
  db: Kysely<Database>,
  ids: string[],
): Promise<Pick<StoredGeneration, "id" | "wake_at">[]> {
  if (ids.length === 0) return [];
  const some = db
    .selectFrom("generations")
    .select(["id", "wake_at"])
    .where("id", "=", sql<string>`any(${ids}::text[])`);
  return await some.where((e) => e.or([e("cancel", "is not", null), e("wake_at", "is not", null)])).execute();
}

/**
 * Marks that an awaited event may have arrived. Any node's next check finds it, even if the node that marked it ends
 * before it notifies.
 */
export async function wakeGeneration(tx: DbConnection, id: string, now: number): Promise<void> {
  await tx
    .updateTable("generations")
    .set({ wake_at: new Date(now) })
    .where("id", "=", id)
    .where("finished_at", "is", null)
    .execute();
  notifyGeneration(tx, id);
}

/** Notifies every node about a generation, after the commit. */
export function notifyGeneration(db: DbConnection, id: string): void {
  wake(db, { topic: "generation", id });
}

/** Extends the deadline of a waiting generation. One that should continue now is unchanged. */
export async function delayWake(tx: DbConnection, id: string, until: Date, now: number): Promise<void> {
  await tx
    .updateTable("generations")
    .set({ wake_at: until })
    .where("id", "=", id)
    .where("wake_at", ">", new Date(now))
    .where("wake_at", "<", until)
    .execute();
}

/** Maximum number of generations that one tick takes up: about as many as run in the second until the next. */
const WOKEN_AT_ONCE = 100;

/** How long the creator of a generation has to begin with it before other nodes do, in ms. */
const BEGINNING = 1_000;

/** No earlier generation of its conversation is open, except one that is held for a confirmation. */
const isNext = () => sql<boolean>`not exists (select from generations before
  where before.conversation_id = generations.conversation_id and before.finished_at is null
  and (before.created_at, before.id) < (generations.created_at, generations.id)
  and not (before.status = 'awaiting_approval' and before.options ->> 'mode' = 'answer'))`;

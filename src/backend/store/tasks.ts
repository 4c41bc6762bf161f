import type { Kysely } from "kysely";
import type { Database } from "./schema.ts";

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

import { randomBytes } from "node:crypto";
import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { GenerationStatus } from "#protocol/events";
import { cleanText, toJsonColumn } from "./column-types.ts";
import type { GenerationRequest } from "./generation-state.ts";
import type { DbConnection } from "./schema.ts";
import type { Schedules } from "./schema-work.ts";

/** The part of a generation's request that a schedule stores. */
export type ScheduledRequest = Pick<
  GenerationRequest,
  "prompt" | "limits" | "approvalTimeout" | "model" | "instructions" | "defaults"
>;

/** A schedule, with what it runs. */
export type StoredSchedule = Omit<Selectable<Schedules>, "request"> & { request: ScheduledRequest };

/** Listed, because a prepared `select *` fails once a newer node adds a column. */
const COLUMNS = [
  "schedules.id",
  "schedules.installation_id",
  "timing",
  "time_zone",
  "schedules.request",
  "next_at",
  "last_at",
  "last_conversation_id",
  "last_generation_id",
  "missed",
  "missed_since",
  "missed_until",
  "missed_reason",
  "schedules.created_at",
] as const;

/** Adds a schedule, unless its owner has `most` of them. The owner must be locked. Returns its ID. */
export async function insertSchedule(
  tx: DbConnection,
  { request, ...values }: Omit<Insertable<Schedules>, "id" | "request"> & { request: ScheduledRequest },
  most: number,
): Promise<string | undefined> {
  const { count } = await tx
    .selectFrom("schedules")
    .select(sql<number>`count(*)::int`.as("count"))
    .where("installation_id", "=", values.installation_id)
    .executeTakeFirstOrThrow();
  if (count >= most) return undefined;
  const id = `schedule_${randomBytes(16).toString("hex")}`;
  await tx
    .insertInto("schedules")
    .values({ ...values, id, request: toJsonColumn(request) })
    .execute();
  return id;
}

/** Lists the schedules of an installation, oldest first, with the status of their latest runs. */
export async function listSchedules(
  db: DbConnection,
  installationId: string,
): Promise<(StoredSchedule & { status: GenerationStatus | null })[]> {
  const rows = await db
    .selectFrom("schedules")
    .leftJoin("generations", "generations.id", "last_generation_id")
    .select([...COLUMNS, "generations.status"])
    .where("schedules.installation_id", "=", installationId)
    .orderBy("schedules.created_at")
    .orderBy("schedules.id")
    .execute();
  return rows.map(({ request, ...row }) => ({ ...row, request: request as ScheduledRequest }));
}

/** Locks a schedule of an installation until the transaction ends. */
export async function lockSchedule(
  tx: DbConnection,
  installationId: string,
  id: string,
): Promise<StoredSchedule | undefined> {
  const query = tx.selectFrom("schedules").select(COLUMNS).where("id", "=", cleanText(id));
  const row = await query.where("installation_id", "=", installationId).forUpdate().executeTakeFirst();
  return row && { ...row, request: row.request as ScheduledRequest };
}

/** Locks a due schedule, unless another node has locked or run it. */
export async function lockDueSchedule(tx: DbConnection, id: string, now: Date): Promise<StoredSchedule | undefined> {
  const query = tx.selectFrom("schedules").select(COLUMNS).where("id", "=", id).where("next_at", "<=", now);
  const row = await query.forUpdate().skipLocked().executeTakeFirst();
  return row && { ...row, request: row.request as ScheduledRequest };
}

/** Lists the next times of schedules, the earliest first. */
export async function listNextTimes(db: DbConnection, limit: number): Promise<{ id: string; next_at: Date }[]> {
  return await db
    .selectFrom("schedules")
    .select(["id", "next_at"])
    .where("next_at", "is not", null)
    .orderBy("next_at")
    .limit(limit)
    .$narrowType<{ next_at: Date }>()
    .execute();
}

/** Lists the schedules that are not paused and were added, run or missed after a moment. */
export async function listSchedulesSince(db: DbConnection, since: Date) {
  return await db
    .selectFrom("schedules")
    .select(["id", "timing", "time_zone", "next_at", "last_at", "missed_until"])
    .where("next_at", "is not", null)
    .where(sql<Date>`greatest(created_at, last_at, missed_until)`, ">", since)
    .$narrowType<{ next_at: Date }>()
    .execute();
}

export async function changeSchedule(
  db: DbConnection,
  id: string,
  change: Omit<Updateable<Schedules>, "id" | "request">,
): Promise<void> {
  await db.updateTable("schedules").set(change).where("id", "=", id).execute();
}

/** Returns whether there was one. */
export async function deleteSchedule(db: DbConnection, installationId: string, id: string): Promise<boolean> {
  const query = db.deleteFrom("schedules").where("id", "=", cleanText(id));
  const { numDeletedRows } = await query.where("installation_id", "=", installationId).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Returns whether the latest run of a schedule has not ended. */
export async function isRunning(db: DbConnection, { last_generation_id: id }: StoredSchedule): Promise<boolean> {
  if (id === null) return false;
  const query = db.selectFrom("generations").select("id").where("id", "=", id).where("finished_at", "is", null);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Counts the schedules that are not paused and whose owner is signed in, as `hasLiveFamily` says. */
export async function countActiveSchedules(db: DbConnection, now: Date): Promise<number> {
  const { count } = await db
    .selectFrom("schedules")
    .select(sql<number>`count(*)::int`.as("count"))
    .where("next_at", "is not", null)
    .where((e) =>
      e.exists(
        e
          .selectFrom("families")
          .innerJoin("refresh_tokens", "refresh_tokens.family_id", "families.id")
          .select("families.id")
          .whereRef("families.installation_id", "=", "schedules.installation_id")
          .where("revoked_at", "is", null)
          .where("families.expires_at", ">", now)
          .where("spent_at", "is", null)
          .where("refresh_tokens.expires_at", ">", now),
      ),
    )
    .executeTakeFirstOrThrow();
  return count;
}

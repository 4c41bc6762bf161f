import { type Insertable, type Selectable, sql } from "kysely";
import type { DbConnection, ProgramRequests, Programs } from "./schema.ts";

/** A program that asks for access to `/mcp`. */
export type ProgramRequest = Selectable<ProgramRequests>;

/** A program that may use `/mcp`, and the installation that it acts for. */
export type Program = Selectable<Programs> & { installationId: string };

/** Most open requests. Beyond these, the oldest are deleted. */
const OPEN_LIMIT = 1_000;

const REQUEST = [
  "user_code",
  "client_id",
  "name",
  "redirect_uri",
  "state",
  "code_challenge",
  "requested_from",
  "created_at",
  "expires_at",
  "family_id",
  "code_hash",
  "program_id",
] as const;

/** Stores a request, and forgets those that have expired or are too many. */
export async function insertProgramRequest(
  db: DbConnection,
  request: Omit<ProgramRequest, "family_id" | "code_hash" | "program_id">,
): Promise<void> {
  await db.deleteFrom("program_requests").where("expires_at", "<=", request.created_at).execute();
  await db
    .insertInto("program_requests")
    .values({ ...request, family_id: null, code_hash: null, program_id: null })
    .execute();
  await sql`delete from program_requests where user_code in (
    select user_code from program_requests where family_id is null order by created_at desc offset ${OPEN_LIMIT})`.execute(
    db,
  );
}

/** Finds an open request. */
export async function findOpenRequest(
  db: DbConnection,
  userCode: string,
  now: Date,
): Promise<ProgramRequest | undefined> {
  return await db
    .selectFrom("program_requests")
    .select(REQUEST)
    .where("user_code", "=", userCode)
    .where("family_id", "is", null)
    .where("expires_at", ">", now)
    .executeTakeFirst();
}

/** Records the answer of a sign-in. The first one counts; returns whether this was it. */
export async function allowRequest(
  db: DbConnection,
  userCode: string,
  { familyId, codeHash }: { familyId: string; codeHash: Buffer },
  now: Date,
): Promise<boolean> {
  const row = await db
    .updateTable("program_requests")
    .set({ family_id: familyId, code_hash: codeHash })
    .where("user_code", "=", userCode)
    .where("family_id", "is", null)
    .where("expires_at", ">", now)
    .returning("user_code")
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes a request that is open, or whose code was misused. */
export async function deleteRequest(db: DbConnection, userCode: string): Promise<void> {
  await db.deleteFrom("program_requests").where("user_code", "=", userCode).execute();
}

/** Finds the request of an authorization code, used or not. In a transaction, `lock` keeps others from using it. */
export async function findRequestByCode(
  db: DbConnection,
  codeHash: Buffer,
  now: Date,
  { lock = false } = {},
): Promise<ProgramRequest | undefined> {
  const query = db.selectFrom("program_requests").select(REQUEST).where("code_hash", "=", codeHash);
  const valid = query.where("expires_at", ">", now);
  return await (lock ? valid.forUpdate() : valid).executeTakeFirst();
}

/** Stores the program that an authorization code was exchanged for. */
export async function insertProgram(db: DbConnection, userCode: string, program: Insertable<Programs>): Promise<void> {
  await db.insertInto("programs").values(program).execute();
  await db.updateTable("program_requests").set({ program_id: program.id }).where("user_code", "=", userCode).execute();
}

/** Finds a program whose sign-in lasts. In a transaction, `lock` lets its rotations run one after another. */
export async function findProgram(
  db: DbConnection,
  id: string,
  now: Date,
  { lock = false } = {},
): Promise<Program | undefined> {
  const query = selectPrograms(db, now).where("programs.id", "=", id);
  return await (lock ? query.forUpdate("programs") : query).executeTakeFirst();
}

/** Lists the programs that may act for an installation, oldest first. */
export async function listPrograms(db: DbConnection, installationId: string, now: Date): Promise<Program[]> {
  const query = selectPrograms(db, now).where("families.installation_id", "=", installationId);
  return await query.orderBy("programs.created_at").execute();
}

function selectPrograms(db: DbConnection, now: Date) {
  return db
    .selectFrom("programs")
    .innerJoin("families", "families.id", "programs.family_id")
    .select([
      "programs.id",
      "programs.family_id",
      "programs.client_id",
      "programs.name",
      "programs.redirect_uri",
      "programs.sequence",
      "programs.created_at",
      "programs.used_at",
      "families.installation_id as installationId",
    ])
    .where("families.revoked_at", "is", null)
    .where("families.expires_at", ">", now);
}

/** Records that a program got its next refresh token. */
export async function advanceProgram(db: DbConnection, id: string, sequence: number, now: Date): Promise<void> {
  await db.updateTable("programs").set({ sequence, used_at: now }).where("id", "=", id).execute();
}

/** Ends the access of a program. */
export async function deleteProgram(db: DbConnection, id: string): Promise<void> {
  await db.deleteFrom("programs").where("id", "=", id).execute();
}

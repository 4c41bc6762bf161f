import type { Kysely } from "kysely";
import type { Database } from "./schema.ts";

/** A link that signs a device in: its sign-in, and the request that it shows first. */
type Link = { hash: Buffer; familyId: string; interactionId: string | null; expiresAt: Date };

/** Stores a link, and forgets those of its sign-in that have expired. */
export async function insertAnswerLink(db: Kysely<Database>, link: Link, now: number): Promise<void> {
  const { hash, familyId: family_id, interactionId: interaction_id, expiresAt: expires_at } = link;
  const expired = db.deleteFrom("answer_links").where("family_id", "=", family_id);
  await expired.where("expires_at", "<=", new Date(now)).execute();
  await db.insertInto("answer_links").values({ hash, family_id, interaction_id, expires_at }).execute();
}

/** Whether a link could still be used. */
export async function isAnswerLink(db: Kysely<Database>, hash: Buffer, now: number): Promise<boolean> {
  const query = db.selectFrom("answer_links").select("hash").where("hash", "=", hash);
  return (await query.where("expires_at", ">", new Date(now)).executeTakeFirst()) !== undefined;
}

/**
 * Uses a link for a device. It works once, for the first device.
 *
 * @returns the request that the link shows first, or undefined if the link is gone
 */
export async function spendAnswerLink(
  db: Kysely<Database>,
  link: Buffer,
  device: { hash: Buffer; expiresAt: Date },
  now: number,
): Promise<{ interactionId: string | null } | undefined> {
  return await db.transaction().execute(async (tx) => {
    const links = tx.deleteFrom("answer_links").where("hash", "=", link).where("expires_at", ">", new Date(now));
    const spent = await links.returning(["family_id", "interaction_id"]).executeTakeFirst();
    if (!spent) return undefined;
    const { family_id, interaction_id: interactionId } = spent;
    const old = tx.deleteFrom("answer_devices").where("family_id", "=", family_id);
    await old.where("expires_at", "<=", new Date(now)).execute();
    await tx
      .insertInto("answer_devices")
      .values({ hash: device.hash, family_id, expires_at: device.expiresAt })
      .execute();
    return { interactionId };
  });
}

/** Returns the installation that a device may answer for, while its sign-in lasts. */
export async function findAnswerDevice(
  db: Kysely<Database>,
  hash: Buffer,
  now: number,
): Promise<{ installationId: string } | undefined> {
  const date = new Date(now);
  return await db
    .selectFrom("answer_devices")
    .innerJoin("families", "families.id", "answer_devices.family_id")
    .select("families.installation_id as installationId")
    .where("answer_devices.hash", "=", hash)
    .where("answer_devices.expires_at", ">", date)
    .where("families.expires_at", ">", date)
    .where("families.revoked_at", "is", null)
    .executeTakeFirst();
}

/** Forgets a device. */
export async function deleteAnswerDevice(db: Kysely<Database>, hash: Buffer): Promise<void> {
  await db.deleteFrom("answer_devices").where("hash", "=", hash).execute();
}

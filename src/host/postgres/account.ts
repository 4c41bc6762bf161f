import { readFile } from "node:fs/promises";
import { Problem } from "#protocol/errors";

/** The user that runs Postgres, if not the caller. */
export type Account = { uid: number; gid: number };

/**
 * User IDs that neither distributions nor systemd assign (https://systemd.io/UIDS-GIDS), within the 65,536 IDs of a
 * rootless container.
 */
const FIRST_UID = 60_706;
const LAST_UID = 61_183;

/**
 * Picks a user ID for root's Postgres that no user or group has. The user `nobody` would share the database with every
 * other program of that user.
 *
 * @throws Problem DATABASE_UNAVAILABLE if all IDs are taken
 */
export async function pickAccount(): Promise<Account> {
  const ids = new Set([...(await readIds("/etc/passwd")), ...(await readIds("/etc/group"))]);
  for (let id = FIRST_UID; id <= LAST_UID; id++) {
    if (!ids.has(id)) return { uid: id, gid: id };
  }
  throw new Problem(
    "DATABASE_UNAVAILABLE",
    `No user ID between ${FIRST_UID} and ${LAST_UID} is free for the embedded Postgres.`,
  );
}

async function readIds(file: string): Promise<number[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").map((line) => Number(line.split(":")[2]));
}

/** Major version of the binaries. Postgres cannot open data of another major version. */
export const MAJOR = "18";

/** Role and database of the embedded Postgres. */
export const ROLE = "kay";

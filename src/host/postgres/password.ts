import { createHmac, hash, pbkdf2Sync, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { getErrno } from "#files/folders";
import { replaceFile } from "#files/replace-file";
import type { PostgresArea } from "./area.ts";

/** Iterations of Postgres (`scram_iterations`). */
const ITERATIONS = 4096;

/**
 * Rules of `pg_hba.conf`: every user needs the password. Postgres cannot use `peer` for a user without an entry in
 * `/etc/passwd`, as in many containers.
 */
export const HBA = ["local all all scram-sha-256", "host all all 127.0.0.1/32 scram-sha-256", ""].join("\n");

/**
 * Creates the password of the database, in a file that only kay's user can read.
 *
 * @param apply called before the password is stored
 */
export async function createPassword(
  area: PostgresArea,
  apply: (password: string) => Promise<void> = async () => {},
): Promise<string> {
  const password = randomBytes(24).toString("base64url");
  await apply(password);
  await replaceFile(getPasswordFile(area), password, randomBytes(4).toString("hex"));
  return password;
}

/** Returns the path of the password's file. */
export function getPasswordFile(area: PostgresArea): string {
  return join(area.folder, "password");
}

/** Returns the password of the database; undefined if its data are older than passwords, or do not exist. */
export async function readPassword(area: PostgresArea): Promise<string | undefined> {
  return readFile(getPasswordFile(area), "utf8").catch((error: unknown) => {
    if (getErrno(error) === "ENOENT") return undefined;
    throw error;
  });
}

/** Returns what Postgres stores for a password (RFC 5803), so that the password itself is in no statement. */
export function computeScramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, "sha256");
  const sign = (text: string) => createHmac("sha256", salted).update(text).digest();
  const storedKey = hash("sha256", sign("Client Key"), "base64");
  const server = sign("Server Key").toString("base64");
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString("base64")}$${storedKey}:${server}`;
}

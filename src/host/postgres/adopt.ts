import { constants } from "node:fs";
import { lstat, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { Problem } from "#protocol/errors";
import type { Account } from "./account.ts";
import { ROLE } from "./account.ts";
import type { PostgresArea } from "./area.ts";
import { computeScramVerifier, createPassword, getPasswordFile, HBA } from "./password.ts";

/**
 * Prepares data of an older kay before Postgres starts: gives them to the current user of Postgres, and requires the
 * password.
 *
 * @throws Problem DATABASE_UNAVAILABLE if they contain something that Postgres did not create
 */
export async function adoptData(area: PostgresArea, password: string | undefined): Promise<void> {
  const { account, data } = area;
  const { uid } = await lstat(data);
  if (account !== undefined && uid !== account.uid) await giveTo(data, account, uid);
  const rules = join(data, "pg_hba.conf");
  if (password !== undefined && (await readFile(rules, "utf8").catch(() => "")) !== HBA) await writeFile(rules, HBA);
}

/**
 * Lets the next start of a stopped Postgres replace its password, whose file was lost or damaged. Until then anyone
 * who reaches the private socket may connect.
 */
export async function removePassword(area: PostgresArea): Promise<void> {
  await rm(getPasswordFile(area), { force: true });
  await writeFile(join(area.data, "pg_hba.conf"), HBA.replaceAll("scram-sha-256", "trust"));
}

/** Gives a running database of an older kay a password, which its next start requires. */
export async function addPassword(area: PostgresArea, config: pg.PoolConfig): Promise<pg.PoolConfig> {
  const password = await createPassword(area, (created) => storeVerifier(config, computeScramVerifier(created)));
  await writeFile(join(area.data, "pg_hba.conf"), HBA);
  await runStatement({ ...config, password }, "select pg_reload_conf()");
  return { ...config, password };
}

function storeVerifier(config: pg.PoolConfig, verifier: string): Promise<void> {
  return runStatement(config, `alter role ${ROLE} password '${verifier}'`);
}

async function runStatement(config: pg.PoolConfig, statement: string): Promise<void> {
  const client = new pg.Client(config);
  client.on("error", () => undefined);
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/**
 * Changes the owner of a folder and everything in it. Starts at the top, which locks the old owner out first. Changes
 * open files, so that no file can be replaced by a link.
 */
async function giveTo(path: string, account: Account, from: number): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  let isFolder = false;
  try {
    const info = await handle.stat();
    isFolder = info.isDirectory();
    const isPlain = isFolder || (info.isFile() && info.nlink === 1);
    if (!isPlain || (info.uid !== from && info.uid !== account.uid)) {
      throw new Problem("DATABASE_UNAVAILABLE", `Cannot use the database: ${path} belongs to another user.`);
    }
    await handle.chown(account.uid, account.gid);
  } finally {
    await handle.close();
  }
  if (!isFolder) return;
  for (const name of await readdir(path)) await giveTo(join(path, name), account, from);
}

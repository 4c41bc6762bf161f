import { once } from "node:events";
import { chown, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { Machine } from "#files/processes";
import { MAJOR, ROLE } from "./account.ts";
import type { PostgresArea } from "./area.ts";
import { failedProblem, runCommand, spawnCommand } from "./command.ts";
import { computeScramVerifier, HBA } from "./password.ts";

const START_LIMIT_MS = 30_000;
const STEP_MS = 20;
/** Port of the temporary server, which no client of kay uses. It names the socket file. */
const PORT = 5433;
const WAL_SEGMENT_BYTES = 16 * 1024 * 1024;

/** Folders that Postgres expects in its data. */
const FOLDERS = [
  ...["global", "base", "base/1", "pg_wal", "pg_wal/archive_status", "pg_wal/summaries", "pg_commit_ts"],
  ...["pg_dynshmem", "pg_notify", "pg_serial", "pg_snapshots", "pg_subtrans", "pg_twophase", "pg_multixact"],
  ...["pg_multixact/members", "pg_multixact/offsets", "pg_replslot", "pg_tblspc", "pg_stat", "pg_stat_tmp", "pg_xact"],
  ...["pg_logical", "pg_logical/snapshots", "pg_logical/mappings"],
];

/** Values of the variables in `postgres.bki`: a 64-bit machine, UTF-8, and the locale C of the C library. */
const VARIABLES: Record<string, string> = {
  NAMEDATALEN: "64",
  SIZEOF_POINTER: "8",
  ALIGNOF_POINTER: "d",
  FLOAT8PASSBYVAL: "true",
  ENCODING: "6",
  LC_COLLATE: "'C'",
  LC_CTYPE: "'C'",
  DATLOCALE: "_null_",
  ICU_RULES: "_null_",
  LOCALE_PROVIDER: "c",
};

/**
 * Creates the data like `initdb`, which refuses users without an entry in `/etc/passwd`, such as that of root's Postgres
 * or of a container with a random user ID. The server needs no entry.
 *
 * @param data empty folder that belongs to the user of Postgres
 * @throws Problem DATABASE_UNAVAILABLE
 */
export async function bootstrapData(
  area: PostgresArea,
  bin: string,
  data: string,
  { machine, password }: { machine: Machine; password: string },
): Promise<void> {
  requireSuccess(area, await runCommand(join(bin, "postgres"), ["--version"], area, machine));
  await writeLayout(area, data);
  const share = join(dirname(bin), "share", "postgresql");
  const bki = fillVariables(await readFile(join(share, "postgres.bki"), "utf8"), computeScramVerifier(password));
  const args = ["--boot", "-F", "-c", "log_checkpoints=false", "-D", data, "-X", String(WAL_SEGMENT_BYTES), "-k"];
  requireSuccess(area, await runCommand(join(bin, "postgres"), args, area, machine, bki));
  await runScripts(area, bin, data, { machine, password, share });
  requireSuccess(area, await runCommand(join(bin, "initdb"), ["--sync-only", "-D", data], area, machine));
}

async function writeLayout({ account }: PostgresArea, data: string): Promise<void> {
  const files = {
    PG_VERSION: `${MAJOR}\n`,
    "base/1/PG_VERSION": `${MAJOR}\n`,
    "postgresql.conf": "",
    "postgresql.auto.conf": "",
    "pg_hba.conf": HBA,
    "pg_ident.conf": "",
  };
  for (const name of FOLDERS) await mkdir(join(data, name), { mode: 0o700 });
  for (const [name, text] of Object.entries(files)) await writeFile(join(data, name), text, { mode: 0o600 });
  if (account === undefined) return;
  for (const name of [...FOLDERS, ...Object.keys(files)]) await chown(join(data, name), account.uid, account.gid);
}

/** Fills in the script of the first catalogs. The role gets its password here, so no server ever runs without one. */
function fillVariables(bki: string, verifier: string): string {
  const names = new RegExp(`\\b(${Object.keys(VARIABLES).join("|")})\\b`, "g");
  return bki
    .replace(names, (name) => VARIABLES[name] ?? name)
    .replace(
      /^(insert \( 10 )POSTGRES( .* )_null_ _null_ \)$/m,
      (_line, start, flags) => `${start}${ROLE}${flags}'${verifier}' _null_ )`,
    );
}

/** Runs the scripts of `initdb` on a server that only this process can find. */
async function runScripts(
  area: PostgresArea,
  bin: string,
  data: string,
  { machine, password, share }: { machine: Machine; password: string; share: string },
): Promise<void> {
  const settings = {
    listen_addresses: "",
    unix_socket_directories: area.socket,
    unix_socket_permissions: "0700",
    port: String(PORT),
    shared_buffers: "16MB",
    autovacuum: "off",
    search_path: "pg_catalog",
    allow_system_table_mods: "on",
    fsync: "off",
    io_method: "sync",
    dynamic_shared_memory_type: "mmap",
  };
  const args = ["-D", data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
  const server = spawnCommand(join(bin, "postgres"), args, area, machine);
  const exited = once(server.child, "close");
  try {
    const client = await connect(
      { host: area.socket, port: PORT, user: ROLE, database: "template1", password },
      exited,
    );
    for (const statement of await readScripts(share)) await client.query(statement);
    await client.end();
  } catch (cause) {
    const because = findErrorLine(server.output());
    const message = `Could not create a database in ${area.folder}${because && `: ${because}`}.`;
    throw failedProblem(message, { details: { log: server.output() }, cause });
  } finally {
    server.child.kill("SIGINT");
    await exited;
  }
}

async function readScripts(share: string): Promise<string[]> {
  const read = (name: string) => readFile(join(share, name), "utf8");
  return [
    "REVOKE ALL ON pg_authid FROM public",
    await read("system_constraints.sql"),
    await read("system_functions.sql"),
    await read("system_views.sql"),
    await read("snowball_create.sql"),
    "GRANT USAGE ON SCHEMA pg_catalog, public TO PUBLIC",
    "REVOKE ALL ON pg_largeobject FROM PUBLIC",
    await read("information_schema.sql"),
    "CREATE EXTENSION plpgsql",
    "VACUUM FREEZE",
    "CREATE DATABASE template0 IS_TEMPLATE = true ALLOW_CONNECTIONS = false OID = 4 STRATEGY = file_copy",
    "REVOKE CREATE, TEMPORARY ON DATABASE template1, template0 FROM public",
    "CREATE DATABASE postgres OID = 5 STRATEGY = file_copy",
    "CHECKPOINT",
  ];
}

async function connect(config: pg.ClientConfig, exited: Promise<unknown>): Promise<pg.Client> {
  const limit = AbortSignal.timeout(START_LIMIT_MS);
  let hasExited = false;
  void exited.then(() => {
    hasExited = true;
  });
  for (;;) {
    const client = new pg.Client(config);
    client.on("error", () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (hasExited || limit.aborted) throw error;
      await pause(STEP_MS);
    }
  }
}

/**
 * Checks the result of a program that creates data.
 *
 * @throws Problem DATABASE_UNAVAILABLE with its first line about an error
 */
export function requireSuccess(area: PostgresArea, { code, output }: { code: number | null; output: string }): void {
  if (code === 0) return;
  const because = findErrorLine(output) || (code === null ? "it timed out" : `exit code ${code}`);
  throw failedProblem(`Could not create a database in ${area.folder}: ${because}.`);
}

function findErrorLine(output: string): string {
  const line = output.split("\n").find((text) => /error|fatal|could not/i.test(text)) ?? "";
  return line.replace(/^.*?(FATAL|PANIC|ERROR): +/, "").trim();
}

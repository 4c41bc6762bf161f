import { createHash } from "node:crypto";
import { chmod, chown, lstat, mkdir, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { Machine } from "#files/machine";
import { Problem } from "#protocol/errors";

/** The user that Postgres runs as, where it is not the caller's own. */
type Account = { uid: number; gid: number };

/** Where everything of one embedded Postgres lies. */
export type PostgresArea = {
  /** Holds the rest; belongs to the caller. */
  folder: string;
  /** Postgres' own data folder; belongs to the user it runs as. */
  data: string;
  /** Folder of the unix socket, 0700; empty on Windows. */
  socket: string;
  /** Where a copy of the binaries goes when those in `node_modules` cannot be used. */
  binaries: string;
  /** Set when kay runs as root, which Postgres refuses. */
  account: Account | undefined;
};

/** Longest path that fits into `sun_path` everywhere (108 bytes on Linux, 104 on macOS, with the closing zero). */
const SOCKET_LIMIT = 103;
const NOBODY = 65534;

/**
 * Makes the folders for the database of a data folder: below it, or for root below `/var/lib/kay/<hash of the data folder>`. Other users of
 * the machine cannot reach the socket: its folder is 0700.
 */
export async function prepareArea(folder: string, machine: Machine): Promise<PostgresArea> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const name = createHash("sha256")
    .update(await realpath(folder))
    .digest("hex")
    .slice(0, 16);
  if (machine.uid === 0) return systemArea(machine, name);
  const area = join(folder, "postgres");
  await mkdir(area, { recursive: true, mode: 0o700 });
  await chmod(area, 0o700);
  const socket = machine.platform === "win32" ? "" : await socketFolder(area, machine, name);
  return { folder: area, data: join(area, "data"), socket, binaries: area, account: undefined };
}

/** The folder stays root's, so that `nobody` cannot put anything in the way of what root does there; data and socket are nobody's. */
async function systemArea(machine: Machine, name: string): Promise<PostgresArea> {
  const account = await nobody();
  const folder = join(machine.systemFolder, name);
  for (const step of [machine.systemFolder, folder]) {
    await mkdir(step, { recursive: true });
    await chmod(step, 0o711);
  }
  const socket = join(folder, "run");
  await mkdir(socket, { recursive: true, mode: 0o700 });
  await chown(socket, account.uid, account.gid);
  return { folder, data: join(folder, "data"), socket, binaries: machine.systemFolder, account };
}

async function nobody(): Promise<Account> {
  const passwd = await readFile("/etc/passwd", "utf8").catch(() => "");
  const [, , uid, gid] = /^nobody:.*$/m.exec(passwd)?.[0].split(":") ?? [];
  return { uid: Number(uid ?? NOBODY), gid: Number(gid ?? NOBODY) };
}

/** Beside the data where the path is short enough, else in the folder for temporary files, refusing one that somebody else made. */
async function socketFolder(area: string, machine: Machine, name: string): Promise<string> {
  const near = join(area, "run");
  const folder = fits(near)
    ? near
    : join(fits(join(machine.tmpdir, `kay-${name}`)) ? machine.tmpdir : "/tmp", `kay-${name}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await lstat(folder);
  if (!found.isDirectory() || found.uid !== machine.uid) {
    throw new Problem("DATABASE_UNAVAILABLE", `The folder ${folder} belongs to somebody else, so kay cannot use it.`);
  }
  await chmod(folder, 0o700);
  return folder;
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, ".s.PGSQL.5432")) <= SOCKET_LIMIT;
}

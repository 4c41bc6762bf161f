import { hash } from "node:crypto";
import { chmod, chown, lstat, mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { Machine } from "#files/processes";
import { Problem } from "#protocol/errors";
import { type Account, pickAccount } from "./account.ts";

/** Paths of one embedded Postgres. */
export type PostgresArea = {
  /** Parent of the other folders; belongs to the caller. */
  folder: string;
  /** Data folder of Postgres; belongs to the user that runs it. */
  data: string;
  /** Folder of the Unix socket, mode 0700; empty on Windows. */
  socket: string;
  /** Where the binaries are copied if those in `node_modules` cannot be used. */
  binaries: string;
  /** Set when kay runs as root, because Postgres refuses to. */
  account: Account | undefined;
};

/**
 * Longest socket path that fits into `sun_path` on every system: 108 bytes on Linux, 104 on macOS, including the
 * terminating zero.
 */
const SOCKET_LIMIT = 103;

/**
 * Creates the folders of the database: below the data folder, or for root below `/var/lib/kay/<hash of the data
 * folder>`. The folder of the socket has mode 0700, so other users cannot connect.
 */
export async function prepareArea(folder: string, machine: Machine): Promise<PostgresArea> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const name = hash("sha256", await realpath(folder), "hex").slice(0, 16);
  if (machine.uid === 0) return prepareSystemArea(machine, name);
  const area = join(folder, "postgres");
  await preparePrivateFolder(area, machine, 0o700);
  const socket = machine.platform === "win32" ? "" : await prepareSocketFolder(area, machine, name);
  return { folder: area, data: join(area, "data"), socket, binaries: area, account: undefined };
}

/**
 * Creates the folders for root. Root owns the parent with the password, so that no other user can plant files there.
 * The user of Postgres owns data and socket.
 */
async function prepareSystemArea(machine: Machine, name: string): Promise<PostgresArea> {
  const account = await pickAccount();
  const folder = join(machine.systemFolder, name);
  for (const step of [machine.systemFolder, folder]) await preparePrivateFolder(step, machine, 0o711);
  const socket = join(folder, "run");
  await mkdir(socket, { recursive: true, mode: 0o700 });
  await chown(socket, account.uid, account.gid);
  return { folder, data: join(folder, "data"), socket, binaries: machine.systemFolder, account };
}

/** Creates a folder, or reuses one that this user owns. @throws Problem DATABASE_UNAVAILABLE if another user owns it */
async function preparePrivateFolder(folder: string, machine: Machine, mode: number): Promise<void> {
  await mkdir(folder, { recursive: true, mode });
  const info = await lstat(folder);
  const isOwn = info.isDirectory() && (machine.uid === undefined || info.uid === machine.uid);
  if (!isOwn) throw new Problem("DATABASE_UNAVAILABLE", `Cannot use the folder ${folder}: it belongs to another user.`);
  await chmod(folder, mode);
}

/**
 * Returns the socket folder: next to the data if the path is short enough, otherwise in the temporary folder. Refuses a
 * folder that another user created.
 */
async function prepareSocketFolder(area: string, machine: Machine, name: string): Promise<string> {
  const near = join(area, "run");
  const folder = fitsSocketPath(near)
    ? near
    : join(fitsSocketPath(join(machine.tmpdir, `kay-${name}`)) ? machine.tmpdir : "/tmp", `kay-${name}`);
  await preparePrivateFolder(folder, machine, 0o700);
  return folder;
}

function fitsSocketPath(folder: string): boolean {
  return Buffer.byteLength(join(folder, ".s.PGSQL.5432")) <= SOCKET_LIMIT;
}

import { open, readdir, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { getErrno } from "./folders.ts";
import { replaceFile, resolveLinks, syncFolder, unwritableProblem } from "./replace-file.ts";

/**
 * Reserved disk space for a file that must be replaced later: once a one-time secret is spent, the write must not fail.
 */
export type Room = { target: string; file: string; spare: string };

/** Space for small files, such as a lock, that are created beside the file. */
const SPARE_BYTES = 8 * 1024;
/** Room of a process that was killed is removed after this time, in ms. A consent may take ten minutes. */
const STALE_MS = 3_600_000;

/**
 * Reserves space for a file of up to `bytes` bytes beside it.
 *
 * @throws Problem STORE_UNREADABLE if the disk has no room
 */
export async function takeRoom(
  path: string,
  bytes: number,
  { unique, now }: { unique: string; now: number },
): Promise<Room> {
  const target = await resolveLinks(path);
  const room = { target, file: `${target}.${unique}.room`, spare: `${target}.${unique}.spare.room` };
  try {
    await removeStaleRoom(target, now);
    await fill(room.file, bytes);
    await fill(room.spare, SPARE_BYTES);
    return room;
  } catch (error) {
    await leaveRoom(room);
    throw unwritableProblem(target, error);
  }
}

/** Frees the space for small files beside the file. */
export async function deleteSpare({ spare }: Room): Promise<void> {
  await unlink(spare).catch(() => {});
}

/** Replaces the file within its room, as `replaceFile` does. If someone removed the room, the file is replaced without it. */
export async function replaceInRoom(room: Room, text: string, unique: string): Promise<void> {
  const { target, file } = room;
  try {
    const handle = await open(file, "r+");
    try {
      // Overwrites the content before truncating, so that the blocks stay reserved.
      const { bytesWritten } = await handle.write(text, 0, "utf8");
      await handle.truncate(bytesWritten);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(file, target);
    await syncFolder(dirname(target));
  } catch (error) {
    await leaveRoom(room);
    if (getErrno(error) !== "ENOENT") throw unwritableProblem(target, error);
    await replaceFile(target, text, unique);
  }
}

/** Gives the room back. */
export async function leaveRoom({ file, spare }: Room): Promise<void> {
  await unlink(file).catch(() => {});
  await unlink(spare).catch(() => {});
}

/** Writes a file of random bytes, because some file systems do not store zeros. */
async function fill(path: string, bytes: number): Promise<void> {
  const handle = await open(path, "wx", 0o600);
  try {
    await handle.writeFile(crypto.getRandomValues(Buffer.alloc(bytes)));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function removeStaleRoom(target: string, now: number): Promise<void> {
  for (const name of await readdir(dirname(target))) {
    if (!name.startsWith(`${basename(target)}.`) || !name.endsWith(".room")) continue;
    const path = join(dirname(target), name);
    const stats = await stat(path).catch(() => null);
    if (stats && now - stats.mtimeMs > STALE_MS) await unlink(path).catch(() => {});
  }
}

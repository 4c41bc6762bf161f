import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Runs `work` while no other process on this machine runs it under the same lock file. The file contains the owner's process ID; a lock of a
 * dead owner is taken over. The wait ends when the other process ends.
 *
 * @template T
 * @param {string} path
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function runLocked(path, work) {
  mkdirSync(dirname(path), { recursive: true });
  while (!take(path)) await sleep(100);
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

/** @param {string} path */
function take(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (getErrorCode(error) !== "EEXIST") throw error;
  }
  const owner = read(path);
  if (owner && !alive(Number(owner))) setAside(path, owner);
  return false;
}

/**
 * Two processes may find the same dead owner. The rename decides which of them removes it; a lock that was taken in between is put back.
 *
 * @param {string} path
 * @param {string} owner
 */
function setAside(path, owner) {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  if (read(aside) === owner) rmSync(aside, { force: true });
  else renameSync(aside, path);
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** @param {number} pid */
function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return getErrorCode(error) === "EPERM";
  }
}

/** @param {unknown} error */
const getErrorCode = (error) => (error instanceof Error && "code" in error ? error.code : undefined);

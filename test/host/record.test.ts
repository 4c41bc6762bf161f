import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { removeRecord, writeRecord } from "#host/embedded";

const RECORD = { pid: 7, started: "then", url: "http://127.0.0.1:7", secret: "s", version: "1", fingerprint: "f" };

async function place(): Promise<{ folder: string; path: string }> {
  const folder = join(await mkdtemp(join(tmpdir(), "kay-record-")), "state");
  onTestFinished(() => rm(join(folder, ".."), { recursive: true, force: true }));
  return { folder, path: join(folder, "backend.json") };
}

test("the record is readable only by its user, and no other file is left", async () => {
  const { folder, path } = await place();
  await writeRecord(path, RECORD);
  await writeRecord(path, { ...RECORD, pid: 8 });
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual({ ...RECORD, pid: 8 });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect(await readdir(folder)).toEqual(["backend.json"]);
});

test("a backend removes only its own record, never that of its successor", async () => {
  const { folder, path } = await place();
  await removeRecord(path, 7);
  await writeRecord(path, { ...RECORD, pid: 8 });
  await removeRecord(path, 7);
  expect(await readdir(folder)).toEqual(["backend.json"]);
  await removeRecord(path, 8);
  expect(await readdir(folder)).toEqual([]);
});

test("an unreadable record is removed", async () => {
  const { folder, path } = await place();
  await writeRecord(path, RECORD);
  await writeFile(path, "{");
  await removeRecord(path, 7);
  expect(await readdir(folder)).toEqual([]);
});

import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadBackendKeys } from "#backend/store/keys";

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "kay-keys-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const bytes = (fill: number, length = 32) => Buffer.alloc(length, fill).toString("base64");
const document = {
  version: 1,
  signing: { id: "s1", key: bytes(1, 64) },
  sealing: [
    { id: "new", key: bytes(2) },
    { id: "old", key: bytes(3) },
  ],
};
const read = {
  signing: [{ id: "s1", key: new Uint8Array(64).fill(1) }],
  sealing: [
    { id: "new", key: new Uint8Array(32).fill(2) },
    { id: "old", key: new Uint8Array(32).fill(3) },
  ],
};

test("the first start creates keys.json, readable only by its owner, and later ones read the same keys", async () => {
  const folder = join(await temporaryFolder(), "data");
  const keys = await loadBackendKeys({ folder });
  expect([keys.signing, keys.sealing].map((keys) => keys.map(({ key }) => key.length))).toEqual([[32], [32]]);
  expect(Buffer.from(keys.signing[0].key).equals(keys.sealing[0]?.key ?? keys.signing[0].key)).toBe(false);
  expect((await stat(join(folder, "keys.json"))).mode & 0o777).toBe(0o600);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect(await loadBackendKeys({ folder })).toEqual(keys);
  expect(await readdir(folder)).toEqual(["keys.json"]);
});

test("concurrent first starts all get the same keys", async () => {
  const folder = join(await temporaryFolder(), "data");
  const all = await Promise.all(Array.from({ length: 40 }, () => loadBackendKeys({ folder })));
  expect(new Set(all.map((keys) => JSON.stringify(keys))).size).toBe(1);
  expect(await readdir(folder)).toEqual(["keys.json"]);
});

test("a keys.json that others could read is made private", async () => {
  const folder = await temporaryFolder();
  const keys = await loadBackendKeys({ folder });
  await chmod(join(folder, "keys.json"), 0o644);
  expect(await loadBackendKeys({ folder })).toEqual(keys);
  expect((await stat(join(folder, "keys.json"))).mode & 0o777).toBe(0o600);
});

test("KAY_KEYS holds the keys as JSON, or names a file with them", async () => {
  const file = join(await temporaryFolder(), "mounted.json");
  await writeFile(file, JSON.stringify(document));
  expect(await loadBackendKeys({ value: JSON.stringify(document) })).toEqual(read);
  expect(await loadBackendKeys({ value: file })).toEqual(read);
});

test("several keys may sign: the list is read in order", async () => {
  const signing = [{ id: "s2", key: bytes(5) }, document.signing];
  expect((await loadBackendKeys({ value: JSON.stringify({ ...document, signing }) })).signing).toEqual([
    { id: "s2", key: new Uint8Array(32).fill(5) },
    ...read.signing,
  ]);
});

test.for<[string, string]>([
  ["this is not JSON", ""],
  ["this is not JSON", "{"],
  ["this is not JSON", "\0\0\0\0"],
  ["the whole is missing or not of the right form", "[]"],
  ["version is missing or not of the right form", JSON.stringify({ ...document, version: 2 })],
  ["signing is missing or not of the right form", JSON.stringify({ ...document, signing: undefined })],
  ["sealing is missing or not of the right form", JSON.stringify({ ...document, sealing: [] })],
  [
    "sealing.0.key is missing or not of the right form",
    JSON.stringify({ ...document, sealing: [{ id: "new", key: "a b!" }] }),
  ],
  [
    "the sealing key new has not 32 bytes",
    JSON.stringify({ ...document, sealing: [{ id: "new", key: bytes(2, 31) }] }),
  ],
  [
    "the signing key s1 has less than 32 bytes",
    JSON.stringify({ ...document, signing: { id: "s1", key: bytes(2, 31) } }),
  ],
  ["two signing keys have one id", JSON.stringify({ ...document, signing: [document.signing, document.signing] })],
  ["signing is missing or not of the right form", JSON.stringify({ ...document, signing: [] })],
  [
    "two sealing keys have one id",
    JSON.stringify({ ...document, sealing: [document.sealing[0], document.sealing[0]] }),
  ],
])("a broken keys.json is never replaced: %s", async ([reason, text]) => {
  const folder = await temporaryFolder();
  const file = join(folder, "keys.json");
  await writeFile(file, text);
  const error = await loadBackendKeys({ folder }).catch((thrown) => thrown);
  expect([error.code, error.message, error.cause]).toEqual([
    "STORE_UNREADABLE",
    `The backend's keys in ${file} cannot be used: ${reason}.`,
    undefined,
  ]);
  expect(await readFile(file, "utf8")).toBe(text);
});

test("a keys.json that is a dangling link is not replaced", async () => {
  const folder = await temporaryFolder();
  await symlink(join(folder, "unmounted", "keys.json"), join(folder, "keys.json"));
  await expect(loadBackendKeys({ folder })).rejects.toMatchObject({
    message: `The backend's keys in ${join(folder, "keys.json")} cannot be used: the file does not exist.`,
  });
});

test("a bare key given as KAY_KEYS is not repeated in the error", async () => {
  const secret = bytes(9);
  const error = await loadBackendKeys({ value: secret }).catch((thrown) => thrown);
  expect([error.code, error.message, error.cause]).toEqual([
    "STORE_UNREADABLE",
    "The backend's keys in the file of KAY_KEYS cannot be used: the file does not exist.",
    undefined,
  ]);
});

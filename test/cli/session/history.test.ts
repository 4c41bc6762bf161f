import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createHistoryFile } from "#cli/session/history";
import { realClock } from "#test/client-clock";
import { temporaryFolder, thisProcess } from "#test/credentials";

function openHistory({ folder = temporaryFolder(), profile = "default" } = {}) {
  const state = join(folder, "state", "kay");
  const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
  const history = createHistoryFile({ folder: () => state, profile, clock: realClock, processes: thisProcess, random });
  return { history, folder, path: join(state, "history", `${profile}.jsonl`) };
}

test("sent prompts are available in the next session, for this user only", async () => {
  const { history, folder, path } = openHistory();
  expect(await history.read()).toEqual([]);
  await history.add("one\ntwo “three”");
  await history.add("four");
  expect(await openHistory({ folder }).history.read()).toEqual(["one\ntwo “three”", "four"]);
  expect(readFileSync(path, "utf8")).toBe('"one\\ntwo “three”"\n"four"\n');
  expect([statSync(path).mode & 0o777, statSync(join(path, "..")).mode & 0o777]).toEqual([0o600, 0o700]);
});

test("each profile has a separate history", async () => {
  const { history, folder } = openHistory();
  await history.add("one");
  expect(await openHistory({ folder, profile: "work" }).history.read()).toEqual([]);
});

test("a prompt that begins with a space is not stored", async () => {
  const { history, folder } = openHistory();
  await history.add(" secret");
  expect(readdirSync(folder)).toEqual([]);
});

test("concurrent sessions lose no entries, and leave no file behind", async () => {
  const { history, folder, path } = openHistory();
  const texts = Array.from({ length: 12 }, (_, n) => `text ${n}`);
  await Promise.all(texts.map((text) => openHistory({ folder }).history.add(text)));
  expect((await history.read()).toSorted()).toEqual(texts.toSorted());
  expect(readdirSync(join(path, ".."))).toEqual(["default.jsonl"]);
});

test("a damaged line is ignored, and only the newest thousand are kept", async () => {
  const { history, path } = openHistory();
  mkdirSync(join(path, ".."), { recursive: true });
  const lines = Array.from({ length: 1_200 }, (_, n) => `"entry ${n}"`);
  writeFileSync(path, `${lines.join("\n")}\n{"a":1}\n"ha\n\u0000\n`);
  expect((await history.read()).length).toBe(1_000);
  await history.add("new");
  const storedLines = readFileSync(path, "utf8").trimEnd().split("\n");
  expect([storedLines.length, storedLines[0], storedLines.at(-1)]).toEqual([1_000, '"entry 201"', '"new"']);
});

test("a folder that cannot be created is reported, with the variable that moves it", async () => {
  const { history, path } = openHistory();
  mkdirSync(dirname(dirname(path)), { recursive: true });
  writeFileSync(dirname(path), "a file in its place");
  await expect(history.add("one")).rejects.toMatchObject({
    code: "STORE_UNREADABLE",
    hint: expect.stringContaining("XDG_STATE_HOME"),
  });
});

test("a history that is not a file counts as empty, and is reported on the next write", async () => {
  const { history, path } = openHistory();
  mkdirSync(path, { recursive: true });
  expect(await history.read()).toEqual([]);
  await expect(history.add("one")).rejects.toMatchObject({
    code: "STORE_UNREADABLE",
    message: `Could not write ${path} (EISDIR).`,
    hint: "Set XDG_STATE_HOME to a writable directory.",
  });
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { collectMentions } from "#cli/session/candidates";
import { listMentionableFiles, readMentionedFiles } from "#cli/session/mentions";

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "kay-mentions-"));
  for (const name of ["notes/deep", ".git", "node_modules"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "a.md"), "Alpha");
  writeFileSync(join(folder, "my notes.md"), "Mine");
  writeFileSync(join(folder, "notes/deep/b.txt"), "Beta");
  writeFileSync(join(folder, "shot.png"), Buffer.from([0x89, 0x50, 0, 1]));
  for (const name of [".git/config", "node_modules/x.js", ".env"]) writeFileSync(join(folder, name), "x");
  return () => rmSync(folder, { recursive: true, force: true });
});

const kay = () => ({ cwd: folder, signal: new AbortController().signal });

test("files of the folder are offered, without hidden ones and dependencies", async () => {
  const files = await listMentionableFiles(folder);
  expect(files.map(({ text }) => text).sort()).toEqual(['@"my notes.md"', "@a.md", "@notes/deep/b.txt", "@shot.png"]);
  expect(await listMentionableFiles(join(folder, "absent"))).toEqual([]);
});

test("mentioned files join the request, other mentions are only text", async () => {
  const prompt = 'compare @a.md, (@notes/deep/b.txt) and @"my notes.md" with @KAY-1, @#general, @sam, @notes; ann@a.md';
  expect(await readMentionedFiles(kay(), `${prompt} and @a.md`)).toEqual({
    files: [
      { name: "a.md", text: "Alpha" },
      { name: "notes/deep/b.txt", text: "Beta" },
      { name: "my notes.md", text: "Mine" },
    ],
    attached: [],
    notes: [],
  });
});

test("a file that is not text is attached, and a text that is too long is named in a sentence and not sent", async () => {
  const large = join(folder, "large.txt");
  writeFileSync(large, "x".repeat(2 * 1024 * 1024));
  onTestFinished(() => rmSync(large));
  expect(await readMentionedFiles(kay(), "look at @shot.png and @large.txt")).toEqual({
    files: [],
    attached: [{ name: "shot.png", bytes: Buffer.from([0x89, 0x50, 0, 1]) }],
    notes: [expect.stringMatching(/^"large.txt" is too large: .* Only its name was sent\.$/)],
  });
});

test("a text file joins the request, and is attached too if the request sends it on", async () => {
  const files = [{ name: "a.md", text: "Alpha" }];
  for (const prompt of ["attach @a.md to KAY-1", "Email @a.md to sam@example.com", "share @a.md in #general"])
    expect(await readMentionedFiles(kay(), prompt)).toMatchObject({ files, attached: [{ name: "a.md" }] });
  expect(await readMentionedFiles(kay(), "summarize @a.md")).toMatchObject({ files, attached: [] });
});

test("issues, channels and people in printed text can be mentioned, newest first", () => {
  const candidates = [{ text: "@a.md", note: "file" }];
  const mentions = collectMentions("KAY-1 is open; ask @sam.lee. See #general and &#39; or x#1.", candidates);
  expect(mentions.map(({ text }) => text)).toEqual(["@#general", "@sam.lee", "@KAY-1", "@a.md"]);
  expect(collectMentions("nothing here, mail ann@example.test", mentions)).toBe(mentions);
});

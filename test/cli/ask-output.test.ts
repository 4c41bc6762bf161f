import { execFile, execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { type Machine, useKay } from "#test/kay";

const kay = useKay();
const inFolder = (ann: Machine, name: string) => join(ann.folder, name);
const read = (ann: Machine, name: string) => readFileSync(inFolder(ann, name), "utf8");
const ASK = ["ask", "show OPS-1"];

/** Names of temporary files that were not removed. */
const listLeftovers = (ann: Machine) => readdirSync(ann.folder).filter((name) => name.startsWith(".kay-answer"));

test("-o writes stdout's content into a file, and stdout stays empty", async () => {
  const ann = kay({ signedIn: true });
  const { stdout } = await ann(ASK);
  for (const setting of [{}, { terminal: true }]) {
    expect(await ann([...ASK, "-o", "answer.md"], setting)).toMatchObject({ exit: 0, stdout: "" });
    expect(read(ann, "answer.md")).toBe(stdout);
  }
  expect(await ann([...ASK, "--json", "--output", "answer.json"])).toEqual({ exit: 0, stdout: "", stderr: "" });
  expect(JSON.parse(read(ann, "answer.json"))).toMatchObject({ status: "completed" });
  expect(listLeftovers(ann)).toEqual([]);
});

test("an existing file keeps its mode, and a symbolic link stays one", async () => {
  const ann = kay({ signedIn: true });
  mkdirSync(inFolder(ann, "folder"));
  writeFileSync(inFolder(ann, "folder/real.md"), "old");
  chmodSync(inFolder(ann, "folder/real.md"), 0o640);
  symlinkSync("folder/real.md", inFolder(ann, "link.md"));
  symlinkSync("folder/new.md", inFolder(ann, "ahead.md"));
  await ann([...ASK, "-o", "link.md"]);
  await ann([...ASK, "-o", "ahead.md"]);
  expect(read(ann, "folder/real.md")).toContain("OPS-1");
  expect(read(ann, "folder/new.md")).toContain("OPS-1");
  expect(statSync(inFolder(ann, "folder/real.md")).mode & 0o777).toBe(0o640);
  expect([readlinkSync(inFolder(ann, "link.md")), readlinkSync(inFolder(ann, "ahead.md"))]).toEqual([
    "folder/real.md",
    "folder/new.md",
  ]);
});

test("a failed request leaves the file unchanged", async () => {
  const ann = kay({ signedIn: true });
  writeFileSync(inFolder(ann, "answer.md"), "old");
  const failed = await ann([...ASK, "--max-steps", "1", "--json", "-o", "answer.md"]);
  expect([failed.exit, JSON.parse(failed.stdout).code, read(ann, "answer.md")]).toEqual([1, "STEP_LIMIT", "old"]);
  expect(listLeftovers(ann)).toEqual([]);
});

test("an open request is not an answer: it is printed on stdout, and the file stays unchanged", async () => {
  const ann = kay({ signedIn: true });
  writeFileSync(inFolder(ann, "answer.json"), "old");
  const { exit, stdout } = await ann(["ask", "comment on KAY-3: hello", "--json", "-o", "answer.json"]);
  expect([exit, JSON.parse(stdout).status, read(ann, "answer.json")]).toEqual([8, "pending", "old"]);
});

test.each(["/dev/stdout", "-"])("-o %s is stdout", async (name) => {
  const ann = kay({ signedIn: true });
  const { stdout } = await ann(ASK);
  expect(await ann([...ASK, "-o", name])).toEqual({ exit: 0, stdout, stderr: "" });
});

test("-o /dev/null discards the answer", async () => {
  expect(await kay({ signedIn: true })([...ASK, "-o", "/dev/null"])).toEqual({ exit: 0, stdout: "", stderr: "" });
  expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
});

test("-o writes into an existing pipe", async () => {
  const ann = kay({ signedIn: true });
  execFileSync("mkfifo", [inFolder(ann, "pipe")]);
  // In another process, because opening a pipe waits for its other end.
  const reading = promisify(execFile)("cat", [inFolder(ann, "pipe")]);
  expect(await ann([...ASK, "-o", "pipe"])).toMatchObject({ exit: 0, stdout: "" });
  expect((await reading).stdout).toContain("OPS-1");
  expect(statSync(inFolder(ann, "pipe")).isFIFO()).toBe(true);
});

test.each([
  ["folder", '"folder" is a folder.', "Specify a file in it."],
  ["missing/answer.md", 'Could not write "missing/answer.md" (ENOENT).', "Choose another file."],
  ["file/answer.md", 'Could not write "file/answer.md" (ENOTDIR).', "Choose another file."],
  ["loop", 'Could not write "loop" (ELOOP).', "Choose another file."],
])("-o %s is a usage error before anything is sent", async (name, sentence, hint) => {
  const ann = kay({ signedIn: true });
  await ann("whoami");
  mkdirSync(inFolder(ann, "folder"));
  writeFileSync(inFolder(ann, "file"), "");
  symlinkSync("loop", inFolder(ann, "loop"));
  const callCount = ann.place.network.seen.length;
  expect(await ann([...ASK, "-o", name])).toEqual({ exit: 2, stdout: "", stderr: `✗ ${sentence}\n  ${hint}\n` });
  expect(ann.place.network.seen.length).toBe(callCount);
});

test("--stream and -o do not go together", async () => {
  expect(await kay()([...ASK, "--json", "--stream", "-o", "x"])).toMatchObject({ exit: 2 });
});

test.skipIf(process.platform !== "linux")(
  "-o into a full device prints the answer on stdout, because the request ran",
  async () => {
    const ann = kay({ signedIn: true });
    const { stdout } = await ann(ASK);
    expect(await ann([...ASK, "-o", "/dev/full"])).toEqual({
      exit: 1,
      stdout,
      stderr:
        '✗ Could not write "/dev/full" (ENOSPC).\n  The request was completed. Run `kay sessions show latest` to see the answer.\n',
    });
  },
);

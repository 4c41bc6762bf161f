import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdirSync, openSync, rmSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Machine, useKay } from "#test/kay";
import { useScriptedModel } from "#test/scripted-model";

const kay = useKay();
const model = useScriptedModel();
const ready = () => kay({ signedIn: true, ...model.machine });

/** Returns what joined the prompt, as the model read it. */
function readContext(): unknown {
  const last = model.prompts.at(-1)?.messages.at(-1)?.content as { text: string }[] | string;
  const text = typeof last === "string" ? last : (last[1]?.text ?? "");
  return JSON.parse(/<context>\n(.*)\n<\/context>/s.exec(text)?.[1] ?? "null");
}

function put(ann: Machine, name: string, bytes: string | Buffer): void {
  mkdirSync(join(ann.folder, name, ".."), { recursive: true });
  writeFileSync(join(ann.folder, name), bytes);
}

test("files join the prompt with their relative names, and stdin with them", async () => {
  const ann = ready();
  put(ann, "notes.txt", "one\ntwo\n");
  put(ann, "src/a.ts", "export {};\n");
  model.script({ text: "Read." });
  const { exit } = await ann(["ask", "--file", "notes.txt", "--file", "src/a.ts", "summarise"], { stdin: "piped" });
  expect([exit, readContext()]).toEqual([
    0,
    {
      stdin: "piped",
      files: [
        { name: "notes.txt", text: "one\ntwo\n" },
        { name: "src/a.ts", text: "export {};\n" },
      ],
    },
  ]);
});

test("a file from elsewhere has its base name, and one of the same name gets a number", async () => {
  const ann = ready();
  put(ann, "a.txt", "here");
  const outside = ready();
  put(outside, "a.txt", "there");
  put(ann, "é.txt", Buffer.from("\ufeffwide", "utf16le"));
  model.script({ text: "Read." });
  const files = ["a.txt", join(outside.folder, "a.txt"), "é.txt", "a.txt"];
  await ann(["ask", ...files.map((file) => `--file=${file}`), "summarise"]);
  expect(readContext()).toEqual({
    files: [
      { name: "a.txt", text: "here" },
      { name: "a.txt (2)", text: "there" },
      { name: "é.txt", text: "wide" },
    ],
  });
  expect(JSON.stringify(model.prompts.at(-1))).not.toContain(outside.folder);
});

test("a named pipe is read to its end, whether or not its writer is still there: --file <(git diff)", async () => {
  const ann = ready();
  const path = join(ann.folder, "diff");
  mkdirSync(ann.folder, { recursive: true });
  for (const isThere of [false, true]) {
    execFileSync("mkfifo", [path]);
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(path, constants.O_WRONLY);
    writeSync(writer, "+ a line\n");
    if (!isThere) closeSync(writer);
    model.script({ text: "Read." });
    const answer = ann(["ask", "--file", "diff", "review"]);
    if (isThere) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      writeSync(writer, "- another\n");
      closeSync(writer);
    }
    expect((await answer).exit).toBe(0);
    const text = isThere ? "+ a line\n- another\n" : "+ a line\n";
    expect(readContext()).toEqual({ files: [{ name: "diff", text }] });
    closeSync(descriptor);
    rmSync(path);
  }
});

test("- as a file is stdin, however long it is silent", async () => {
  const ann = ready();
  model.script({ text: "Read." });
  expect((await ann(["ask", "--file", "-", "summarise"], { stdin: "late" })).exit).toBe(0);
  expect(readContext()).toEqual({ stdin: "late" });
});

test.each([
  [["--file", "missing"], 'File not found: "missing".', ""],
  [["--file", "folder"], '"folder" is a folder.', "  Specify each file.\n"],
  [["--file", "/dev/zero"], '"/dev/zero" is not a regular file.', "  Specify a file or a pipe.\n"],
  [["--file", "pipe"], 'No program writes to the pipe "pipe".', "  Start the program that writes to it first.\n"],
  [["--file", ""], "A file name is empty.", "  Check that the variable it comes from is set.\n"],
  [["--file", "binary"], '"binary" is not text.', "  Attach it instead: `--attach FILE`.\n"],
  [["--file", "latin1"], '"latin1" is not text.', "  Attach it instead: `--attach FILE`.\n"],
  [["--file", "dangling"], 'File not found: "dangling".', ""],
  [["--file", "large"], '"large" is too large: there is room for 1 MiB.', "  Send fewer or smaller files.\n"],
  [
    ["--file", "half", "--file", "other-half"],
    "Input is too large: files and stdin together exceed 1 MiB.",
    "  Send fewer or smaller files.\n",
  ],
])("%j is refused before anything is sent", async (options, sentence, hint) => {
  const ann = ready();
  await ann("whoami");
  mkdirSync(join(ann.folder, "folder"));
  execFileSync("mkfifo", [join(ann.folder, "pipe")]);
  symlinkSync("nowhere", join(ann.folder, "dangling"));
  put(ann, "binary", Buffer.from([0x89, 0x50, 0, 0x0a]));
  put(ann, "latin1", Buffer.from([0x63, 0xe9]));
  put(ann, "large", "x".repeat(1024 * 1024 + 1));
  put(ann, "half", "x".repeat(600_000));
  put(ann, "other-half", "y".repeat(600_000));
  const callCount = ann.place.network.seen.length;
  expect(await ann(["ask", ...options, "summarise"])).toEqual({
    exit: 2,
    stdout: "",
    stderr: `✗ ${sentence}\n${hint}`,
  });
  expect(ann.place.network.seen.length).toBe(callCount);
});

test("stdin is the prompt or a file, not both, and files alone are not a question", async () => {
  const ann = ready();
  put(ann, "notes.txt", "one");
  expect(await ann(["ask", "--file", "-", "-"])).toEqual({
    exit: 2,
    stdout: "",
    stderr: "✗ stdin cannot be both the prompt and a file.\n  Pass the prompt as text.\n",
  });
  expect(await ann(["ask", "--file", "notes.txt"], { terminal: true, env: { NO_COLOR: "1" } })).toEqual({
    exit: 2,
    stdout: "",
    stderr: '✗ No prompt given.\n  Pass a question: kay ask "what is open in project KAY?"\n',
  });
});

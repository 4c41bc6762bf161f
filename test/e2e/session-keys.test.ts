import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { until } from "#test/built/processes";
import { type SessionShell, useSessions } from "#test/built/sessions";

const { model, home, open } = useSessions();

/** Presses Enter and returns the sent message. */
async function send(session: SessionShell): Promise<unknown> {
  const promptCount = model.prompts.length;
  model.script({ text: "Good." });
  session.type("\r");
  await until(
    () => model.prompts.length > promptCount,
    () => `Nothing was sent:\n${session.screen().join("\n")}`,
    10_000,
  );
  await session.sees((screen) => !/esc to stop|sending/.test(screen));
  return model.said().at(-1);
}

test("U06 the real cursor is where the next character will be, also behind wide ones", async () => {
  const session = await open();
  session.type("한글");
  await session.sees(/^> 한글/m);
  const row = session.screen().findIndex((line) => line.startsWith("> 한글"));
  await until(
    () => session.cursor().column === 6,
    () => `The cursor is at ${JSON.stringify(session.cursor())}.`,
    5_000,
  );
  expect([session.cursor(), session.isCursorVisible()]).toEqual([{ row, column: 6 }, true]);
});

test("U07 Backspace removes whole characters, and nothing of them is sent", async () => {
  const session = await open();
  session.type("hello 😀\x7f!");
  await session.sees(/> hello !/);
  session.type("\x7f");
  expect(await send(session)).toBe("hello");
  session.type("cafe\u0301\x7f");
  await session.sees(/> caf *$/m);
  expect(await send(session)).toBe("caf");
  const promptCount = model.prompts.length;
  session.type("👩‍👩‍👧‍👦");
  await session.sees(/> \S/);
  session.type("\x7f");
  await session.sees((screen) => /^> *$/m.test(screen.split("─".repeat(80)).at(-1) ?? ""));
  session.type("🇩🇪");
  await session.sees(/> 🇩🇪/);
  session.type("\x1b[D");
  await until(
    () => session.cursor().column === 2,
    () => `The cursor is at ${JSON.stringify(session.cursor())}.`,
    5_000,
  );
  session.type("x");
  expect(await send(session)).toBe("x🇩🇪");
  expect(model.prompts.length).toBe(promptCount + 1);
});

test("U08 several pasted lines are sent together, at Enter and not before", async () => {
  const session = await open();
  const promptCount = model.prompts.length;
  session.type("\x1b[200~line1\rline2\r\nline3\n\x1b[201~");
  await session.sees(/> line1 *\n {2}line2 *\n {2}line3/);
  await pause(300);
  expect(model.prompts.length).toBe(promptCount);
  expect(await send(session)).toBe("line1\nline2\nline3");
});

test("U11 several lines that arrive at once without marks are a paste, and a lone Enter is Enter", async () => {
  const session = await open();
  const promptCount = model.prompts.length;
  session.type("first line\rsecond line\rthird");
  await session.sees(/> first line *\n {2}second line *\n {2}third/);
  await pause(500);
  expect(model.prompts.length).toBe(promptCount);
  expect(await send(session)).toBe("first line\nsecond line\nthird");
});

test("U13 an arrow key split over two reads is an arrow key", async () => {
  const session = await open();
  session.type("before");
  await session.sees(/> before/);
  expect(await send(session)).toBe("before");
  session.type("hello");
  await session.sees(/> hello/);
  session.type("\x1b");
  await pause(30);
  session.type("[A");
  // Up goes to the previous line, which in a draft of one line is the last sent text.
  await session.sees(/> (before|hello)(?!\[A)/);
  await pause(100);
  expect(session.screen().join("\n")).not.toContain("[A");
});

test("U14 a terminal's report is not typed", async () => {
  const session = await open();
  const reports = [
    "\x1b[I",
    "\x1b[O",
    "\x1b[24;80R",
    "\x1b[<0;10;20M",
    "\x1b[?62;1;4c",
    "\x1b]11;rgb:0000/0000/0000\x1b\\",
  ];
  session.type(`a${reports.join("")}b`);
  await session.sees(/^> ab *$/m);
  session.type("\x15a");
  for (const report of reports) {
    await pause(20);
    session.type(report);
  }
  session.type("b");
  await session.sees(/^> ab *$/m);
  expect(await send(session)).toBe("ab");
});

test("U21 a long word in a narrow window wraps, and leaves nothing behind when it becomes shorter", async () => {
  const session = await open({ columns: 20, rows: 10 });
  session.type("x".repeat(200));
  await session.sees(/x{18}/);
  await pause(200);
  for (let count = 0; count < 60; count += 1) session.type("\x7f");
  const rows = () => session.screen().filter((row) => row !== "");
  // Eight rows of at most 18, which are just all that a live region may have.
  const full = "x".repeat(18);
  const expected = [`> ${full}`, ...Array.from({ length: 6 }, () => `  ${full}`), `  ${"x".repeat(14)}`];
  await session.sees(() => rows().slice(-8).join() === expected.join());
  expect(rows().slice(0, -8).join("\n")).not.toMatch(/xx/);
  expect(await send(session)).toBe("x".repeat(140));
});

test("U21 a window without a size counts as 80 columns", async () => {
  const session = await open({ before: "stty cols 0 rows 0" });
  session.type("hello");
  await session.sees(/─{80}\n> hello/);
  expect(await send(session)).toBe("hello");
});

test("G01 text typed while an answer arrives never answers the approval that opens under it", {
  timeout: 30_000,
}, async () => {
  const session = await open();
  let go = () => {};
  const released = new Promise<void>((resolve) => {
    go = resolve;
  });
  const calls: [string, string, object][] = [["c1", "jira.transition_issue", { issue: "KAY-3", status: "Done" }]];
  model.script({ text: ["I will close it.\n\n", "."], meanwhile: released, calls }, { text: "It is done." });
  session.type("close KAY-3");
  await session.sees(/> close KAY-3/);
  session.type("\r");
  await session.sees(/I will close it\./);
  session.type("y");
  go();
  for (const key of "es 1") {
    await pause(20);
    session.type(key);
  }
  await session.sees(/Approve/);
  session.type("\r");
  await session.sees(/> yes 1/);
  await pause(500);
  await session.sees(/1 once[\s\S]*> yes 1 *\n/);
  // A key that is pressed at the card, after a while, does answer it; the draft is kept.
  await pause(1_000);
  await session.press("1", /It is done\.[\s\S]*> yes 1 *\n/);
  expect(model.left()).toBe(0);
});

test("N24 Ctrl+G without EDITOR starts an installed editor, which alone gets the keys, in the usual mode of the terminal", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kay-editor-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const script = `#!/bin/sh
case $(stty -a </dev/tty) in *-icanon*|*-isig*) mode=raw ;; *) mode=usual ;; esac
echo "editing $(cat "$1")"
read -r line </dev/tty
printf '%s' "$line ($mode)" >"$1"
`;
  writeFileSync(join(folder, "editor"), script, { mode: 0o755 });
  const session = await open({ env: { PATH: `${folder}:${home().env.PATH}`, EDITOR: "", VISUAL: "" } });
  const promptCount = model.prompts.length;
  session.type("half");
  await session.sees(/> half/);
  session.type("\x07");
  await session.sees(/editing half/);
  session.type("written there\r");
  await session.sees(/^> written there \(usual\)/m);
  expect(model.prompts.length).toBe(promptCount);
  session.type("!");
  expect(await send(session)).toBe("written there (usual)!");
});

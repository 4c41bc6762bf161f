import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openEmulator } from "#test/emulator";
import { createScreen } from "#ui/screen/screen";

/** Behavior of the terminals in these tests. */
const XTERM = "not the cursor line";

const lines = (...texts: string[]) => ({ lines: texts, cursor: null });

/** Wraps these lines like a terminal. */
const wrapLines = (texts: string[], columns: number) =>
  texts.flatMap((text) => text.match(new RegExp(`.{1,${columns}}`, "g")) ?? [""]);

/** An input box as wide as the window, with this text in it, and the cursor behind the text. */
function box(columns: number, draft: string) {
  const inner = columns - 4;
  const rows = Array.from({ length: Math.floor(draft.length / inner) + 1 }, (_, row) =>
    draft.slice(row * inner, (row + 1) * inner).padEnd(inner),
  );
  const text = [`┌${"─".repeat(columns - 2)}┐`, ...rows.map((row) => `│ ${row} │`), `└${"─".repeat(columns - 2)}┘`];
  const cursor = { row: rows.length, column: 2 + (draft.length % inner) };
  return {
    lines: [...text, `${"offline · planner".padEnd(columns - 4)}KAY!`].map((line) => line.slice(0, columns)),
    cursor: cursor,
  };
}

test("a frame is drawn in one write, inside synchronized output, and an equal frame is not written", async () => {
  const { screen, writes, rows } = openEmulator(20, 6);
  screen.draw(lines("one", "two"));
  screen.draw(lines("one", "two"));
  expect(writes).toEqual(["\x1b[?2026h\x1b[K\x1b[C\x1b[J\r\x1b[?7lone\r\ntwo\x1b[?7h\r\x1b[?25l\x1b[?2026l"]);
  expect(await rows()).toEqual(["one", "two"]);
});

test("only the changed part of a line is written", async () => {
  const { screen, writes, rows } = openEmulator(30, 8);
  screen.draw(lines("│ > hello    │", "\x1b[1mbold\x1b[22m and more", "same", "会議 a"));
  screen.draw(lines("│ > hello!   │", "\x1b[1mbold\x1b[22m and less.", "same", "会議 b"));
  expect(writes[1]).toBe(
    "\x1b[?2026h\x1b7\x1b[?7l\r\x1b[3A\x1b[9C!\r\x1b[1B\x1b[9C\x1b[Kless.\r\x1b[2B\x1b[K会議 b\x1b[?7h\x1b8\x1b[?2026l",
  );
  expect(await rows()).toEqual(["│ > hello!   │", "bold and less.", "same", "会議 b"]);
});

test("a spinner is written alone", async () => {
  const { screen, writes, rows } = openEmulator(30, 8);
  screen.draw(lines("⠋ working… \x1b[2m(esc stops)\x1b[22m"));
  screen.draw(lines("⠙ working… \x1b[2m(esc stops)\x1b[22m"));
  expect(writes[1]).toBe("\x1b[?2026h\x1b7\x1b[?7l\r⠙\x1b[?7h\x1b8\x1b[?2026l");
  expect(await rows()).toEqual(["⠙ working… (esc stops)"]);
});

test.each(["all", XTERM] as const)(
  "a row inserted above others moves them down without rewriting them (reflow: %s)",
  async (reflows) => {
    const { screen, writes, rows } = openEmulator(30, 8, reflows);
    screen.commit("1\n2\n3\n4\n5\n6\n");
    screen.draw(lines("text", "─".repeat(30), "status"));
    screen.draw(lines("text that", "continues", "─".repeat(30), "status"));
    screen.draw(lines("text that", "goes on and", "on", "─".repeat(30), "status"));
    expect(writes.slice(1).join("")).not.toMatch(/─|status/);
    expect(await rows()).toEqual(["4", "5", "6", "text that", "goes on and", "on", "─".repeat(30), "status"]);
  },
);

describe("whatever frames follow each other", () => {
  const piece = fc.constantFrom(
    "a",
    "b",
    " ",
    "│",
    "─",
    "会",
    "é",
    "\u0301",
    "\x1b[1m",
    "\x1b[22m",
    "\x1b[31m",
    "\x1b[39m",
    "\x1b[0m",
    "😀",
  );
  const line = fc.array(piece, { maxLength: 14 }).map((pieces) => `${pieces.join("")}\x1b[0m`);
  const frame = fc.record({
    lines: fc.array(fc.oneof(fc.constantFrom("", "─".repeat(30)), line), { maxLength: 6 }),
    commit: fc.option(fc.constantFrom("done\n", "x".repeat(45), "y".repeat(30), "one\n\ntwo\n"), { freq: 3 }),
  });

  test.each(["all", XTERM] as const)(
    "the window shows the last, below all committed text (reflow: %s)",
    async (reflows) => {
      await fc.assert(
        fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 8 }), async (frames) => {
          const [drawn, fresh] = [openEmulator(30, 10, reflows), openEmulator(30, 10, reflows)];
          for (const { lines, commit } of frames) {
            if (commit) drawn.screen.commit(commit);
            drawn.screen.draw({ lines, cursor: null });
          }
          for (const { commit } of frames) if (commit) fresh.screen.commit(commit);
          fresh.screen.draw({ lines: frames.at(-1)?.lines ?? [], cursor: null });
          expect(await drawn.cells()).toEqual(await fresh.cells());
        }),
        { numRuns: 80 },
      );
    },
  );
});

test("finished text stays above the frame, however often it is drawn, and the terminal wraps long lines", async () => {
  const { screen, all, writes } = openEmulator(20, 8);
  for (let row = 1; row <= 30; row += 1) {
    screen.commit(`row-${row}\n`);
    screen.draw(lines("┌──┐", "│  │", "└──┘"));
  }
  screen.commit(`https://${"x".repeat(50)}\n`);
  screen.draw(lines("┌──┐", "│  │", "└──┘"));
  const rows = Array.from({ length: 30 }, (_, row) => `row-${row + 1}`);
  expect(await all()).toEqual([...wrapLines([...rows, `https://${"x".repeat(50)}`], 20), "┌──┐", "│  │", "└──┘"]);
  expect(["\x1b[2J", "\x1b[3J"].filter((erasing) => writes.join("").includes(erasing))).toEqual([]);
});

test("lines exactly as wide as the window, to its last row, do not scroll and are not doubled", async () => {
  const { screen, rows, print } = openEmulator(10, 6);
  print("before\r\n");
  const full = (c: string) => c.repeat(10);
  for (const c of "abc") screen.draw(lines(full(c), full(c), `${c}x`, full(c)));
  expect(await rows()).toEqual(["before", full("c"), full("c"), "cx", full("c")]);
});

test("the last cells of a full line stay: wide characters, and anything beyond ASCII", async () => {
  const { screen, rows } = openEmulator(10, 6);
  const full = ["> 会議作成", "a long li…", "12345678日", "last"];
  screen.draw(lines(...full));
  expect(await rows()).toEqual(full);
});

test("a line wider than the window is cut by the terminal, and the frame below stays in place", async () => {
  const { screen, rows } = openEmulator(10, 6);
  for (const end of ["1", "2"]) screen.draw(lines("x".repeat(30), end));
  expect(await rows()).toEqual(["xxxxxxxxxx", "2"]);
});

test("a frame higher than the window shows its end", async () => {
  const { screen, rows, cursor } = openEmulator(10, 6);
  screen.draw({ lines: ["1", "2", "3", "4", "5", "6"], cursor: { row: 5, column: 1 } });
  expect([await rows(), await cursor()]).toEqual([["3", "4", "5", "6"], { row: 3, column: 1 }]);
});

test("U06 the cursor is shown at its place after each frame, in cells", async () => {
  const { screen, cursor, writes } = openEmulator(40, 10);
  screen.draw({ lines: ["─".repeat(40), "> 한글", "─".repeat(40)], cursor: { row: 1, column: 6 } });
  expect(await cursor()).toEqual({ row: 1, column: 6 });
  screen.draw({ lines: ["─".repeat(40), "> 한글", "─".repeat(40)], cursor: { row: 1, column: 4 } });
  expect([await cursor(), writes[1]]).toEqual([{ row: 1, column: 4 }, "\x1b[?2026h\r\x1b[4C\x1b[?2026l"]);
});

test("clearing removes the frame, shows the cursor where it began, and the next frame begins there", async () => {
  const { screen, rows, cursor, print, writes } = openEmulator(20, 8);
  print("$ kay ask\r\n");
  screen.draw(lines("a", "b", "c"));
  screen.commit("done\n");
  screen.clear();
  expect([await rows(), await cursor(), writes.at(-1)?.includes("\x1b[?25h")]).toEqual([
    ["$ kay ask", "done"],
    { row: 2, column: 0 },
    true,
  ]);
  screen.draw(lines("d"));
  expect(await rows()).toEqual(["$ kay ask", "done", "d"]);
});

test("after foreign output, the next frame begins on a new line, and nothing is erased", async () => {
  const { screen, rows, print } = openEmulator(20, 8);
  screen.draw({ lines: ["a", "b"], cursor: { row: 1, column: 1 } });
  print("[1]+ Stopped");
  screen.forget();
  screen.draw(lines("a", "b"));
  expect(await rows()).toEqual(["a", "b[1]+ Stopped", "a", "b"]);
});

test("U19 a window made narrower and wider has one frame at the end and no line of the transcript twice", async () => {
  const { screen, rows, all, resize, print } = openEmulator(100, 30, XTERM);
  const draft = "d".repeat(150);
  const transcript = Array.from({ length: 20 }, (_, row) => `line ${row}${"t".repeat(row * 6)}`);
  print("$ kay ask\r\n");
  screen.commit(transcript.join("\n"));
  screen.draw(box(100, draft));
  for (let round = 0; round < 5; round += 1) {
    for (const columns of [60, 100, 40, 120, 100]) {
      await resize(columns);
      screen.draw(box(columns, draft));
    }
  }
  expect(await all()).toEqual(["$ kay ask", ...wrapLines(transcript, 100), ...box(100, draft).lines]);
  expect((await rows()).filter((row) => row.startsWith("┌"))).toHaveLength(1);
});

test("U19 for any sequence of sizes, drawn or skipped, no line of the transcript is lost or doubled", async () => {
  const step = fc.record({
    columns: fc.integer({ min: 12, max: 60 }),
    isDrawn: fc.boolean(),
    draft: fc.integer({ min: 0, max: 60 }),
    hasCursor: fc.boolean(),
  });
  const transcript = Array.from({ length: 8 }, (_, row) => `line ${row}${"t".repeat(row * 6)}`);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
      const { screen, all, resize } = openEmulator(50, 24, XTERM);
      screen.commit(transcript.join("\n"));
      screen.draw(box(50, "draft"));
      let last = box(50, "draft");
      for (const { columns, isDrawn, draft, hasCursor } of [
        ...steps,
        { columns: 50, isDrawn: true, draft: 9, hasCursor: true },
      ]) {
        await resize(columns);
        const { lines, cursor } = box(columns, "d".repeat(draft));
        if (isDrawn) screen.draw({ lines, cursor: hasCursor ? cursor : null });
        last = { lines, cursor };
      }
      expect(await all()).toEqual([...wrapLines(transcript, 50), ...last.lines]);
    }),
    { numRuns: 60 },
  );
});

test("U19 a frame for a window that has grown without notice costs no line above it", async () => {
  const emulator = openEmulator(60, 12);
  let columns = 40;
  const size = () => ({ columns, rows: 12 });
  const screen = createScreen({ write: emulator.print, size, reflows: "not the cursor line" });
  const frame = () => ({ lines: ["one", "─".repeat(columns), "three"], cursor: { row: 2, column: 5 } });
  screen.commit("first\nsecond");
  screen.draw(frame());
  screen.commit("third");
  screen.draw(frame());
  columns = 60;
  screen.markResized();
  screen.draw(frame());
  expect(await emulator.rows()).toEqual(["first", "second", "third", "one", "─".repeat(60), "three"]);
});

test.for([
  ["a", "short"],
  ["\x1b[33m", "a hint that is cut off at its end is ye…", "\x1b[39m"],
  ["", "会議の予定を確認してから返事をしますね。"],
  ["\x1b[1m", "会議の予定を確認してから返事をしますねよ", "\x1b[22m"],
  ["", "an address: \x1b]8;;https://kay.test\x1b\\it is as wide as the windo\x1b]8;;\x1b\\w"],
] as const)("U04 a row as wide as the window keeps its last character, above others (%#)", async (parts) => {
  const { screen, rows } = openEmulator(40, 8, XTERM);
  const line = parts.join("");
  screen.draw({ lines: [line, "below"], cursor: { row: 1, column: 0 } });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences
  expect(await rows()).toEqual([line.replace(/\x1b\[\d+m|\x1b\]8;;[^\x1b]*\x1b\\/g, ""), "below"]);
});

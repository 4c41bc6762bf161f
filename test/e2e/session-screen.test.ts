import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { type SessionShell, useSessions } from "#test/built/sessions";

const { model, open } = useSessions();

const MARKERS = `for i in $(seq 100 199); do echo marker-$i; done`;

/**
 * Checks that the session never cleared the window or the scrollback, and never moved above a live region of the
 * window's rows − 2.
 */
function expectTame(session: SessionShell, rows: number): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences
  expect(session.bytes().match(/\x1b\[[23]J|\x1b\[\?1049h|\x1bc/g)).toBe(null);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence
  const ups = Array.from(session.bytes().matchAll(/\x1b\[(\d+)A/g), ([, up]) => Number(up));
  expect(Math.max(0, ...ups)).toBeLessThan(rows - 2);
}

/** Counts how often each of these is in the scrollback, without those that occur once. */
function notOnce(session: SessionShell, words: string[]): [string, number][] {
  const all = session.all().join("\n");
  return words.map((word): [string, number] => [word, all.split(word).length - 1]).filter(([, count]) => count !== 1);
}

const numberWords = (word: string, count: number, digits: number, from = 1) =>
  Array.from({ length: count }, (_, index) => `${word}-${String(index + from).padStart(digits, "0")}`);

async function idle(session: SessionShell): Promise<void> {
  await session.sees((screen) => !/esc to stop|sending/.test(screen));
}

for (const [columns, rows] of [
  [80, 24],
  [40, 12],
  [200, 60],
] as const) {
  test(`U18 300 lines streamed at ${columns} × ${rows} are in the scrollback once, below the earlier content`, async () => {
    const session = await open({ columns, rows, before: MARKERS });
    const lines = numberWords("row", 300, 3);
    const text = ["```\n", ...lines.flatMap((line) => [line.slice(0, 3), `${line.slice(3)}\n`]), "```\n\nThe end."];
    model.script({ text });
    session.type("go\r");
    await session.sees(/The end\./);
    await idle(session);
    expect(notOnce(session, [...numberWords("marker", 100, 3, 100), ...lines])).toEqual([]);
    expectTame(session, rows);
  });
}

test("a long answer of 20,000 tokens is complete and in order in the scrollback, in all kinds of Markdown", {
  timeout: 60_000,
}, async () => {
  const session = await open({ before: MARKERS });
  const words = numberWords("w", 9_000, 4);
  const remaining = [...words];
  const take = (count: number) => remaining.splice(0, count);
  const parts: string[] = [];
  while (remaining.length > 0) {
    parts.push(`\n\n## ${take(1)[0]}\n\n`, ...take(60).map((word) => `${word} `), "\n\n");
    parts.push(
      ...take(8).map((word) => `- ${word} and more\n`),
      "\n\n```js\n",
      ...take(30).map((word) => `let ${word};\n`),
      "```\n\n",
    );
    const cells = take(24);
    if (cells.length === 24) {
      parts.push("| a | b | c |\n|---|---|---|\n");
      for (let row = 0; row < 24; row += 3)
        parts.push(`| ${cells[row]} `, `| ${cells[row + 1]} `, `| ${cells[row + 2]} |\n`);
    } else parts.push(...cells.map((word) => `${word} `));
    parts.push("\n\n");
  }
  model.script({ text: [...parts, "The end."] });
  session.type("go\r");
  await session.sees(/The end\./, 50_000);
  await idle(session);
  const all = session.all().join("\n");
  expect(all.match(/w-\d{4}/g)).toEqual(words);
  expect(notOnce(session, numberWords("marker", 100, 3, 100))).toEqual([]);
  expectTame(session, 24);
});

test("U19 a window that is resized repeatedly has one frame, and the draft is complete", async () => {
  const session = await open({ columns: 100, rows: 30 });
  model.script({ text: `An answer to keep.\n\n${"lorem ipsum ".repeat(30)}` });
  session.type("go\r");
  await session.sees(/An answer to keep\./);
  await idle(session);
  const draft = numberWords("d", 30, 3).join("");
  session.type(draft);
  // Every row of a draft but its first is indented under it.
  const unwrap = (text: string) => text.replaceAll("\n  ", "");
  await session.sees((text) => unwrap(text).includes(`> ${draft}`));
  for (let round = 0; round < 5; round += 1) {
    for (const columns of [60, 100, 40, 120]) {
      await session.resize(columns, 30);
      await pause(50);
    }
  }
  const rules = () => session.screen().filter((row) => /^─+ *$/.test(row));
  await session.sees(() => rules().at(-1)?.length === 120);
  await pause(300);
  expect(rules()).toEqual(["─".repeat(120)]);
  const screen = session.screen();
  expect(screen.filter((row) => row.startsWith("> d-001"))).toHaveLength(1);
  expect(unwrap(screen.join("\n")).split(`> ${draft}`)).toHaveLength(2);
  expect(screen.join("\n").split("An answer to keep.")).toHaveLength(2);
  expect(screen.filter((row) => row.includes("● jira"))).toHaveLength(1);
  expectTame(session, 30);
});

test("U19 a window that is resized while an answer streams shows each line of it once", async () => {
  const session = await open({ columns: 100, rows: 30, before: MARKERS });
  const lines = numberWords("row", 60, 3);
  let go = () => {};
  const released = new Promise<void>((resolve) => {
    go = resolve;
  });
  model.script({
    text: [`${lines.slice(0, 30).join("\n\n")}\n\n`, `${lines.slice(30).join("\n\n")}\n\nThe end.`],
    meanwhile: released,
  });
  session.type("go\r");
  await session.sees(/row-030/);
  session.type("a draft");
  await session.sees(/> a draft/);
  for (const [columns, rows] of [
    [60, 20],
    [100, 30],
    [40, 12],
    [120, 40],
    [80, 24],
  ] as const) {
    await session.resize(columns, rows);
    await pause(50);
  }
  go();
  await session.sees(/The end\./);
  await idle(session);
  expect(notOnce(session, [...lines, "> a draft", "● jira"])).toEqual([]);
  expect(session.all().filter((row) => /^─{20,} *$/.test(row))).toHaveLength(1);
});

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { detectReflow } from "#ui/screen/reflow";
import { createScreen } from "#ui/screen/screen";

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

/** A tmux window that shows what is written to its terminal. */
async function openTmux(columns: number, rows: number) {
  const folder = mkdtempSync(join(tmpdir(), "kay-tmux-"));
  const tmux = (...args: string[]) =>
    execFileSync("tmux", ["-S", join(folder, "s"), "-f", "/dev/null", ...args], { encoding: "utf8" });
  onTestFinished(() => {
    tmux("kill-server");
    rmSync(folder, { recursive: true });
  });
  tmux(
    "new-session",
    "-d",
    "-x",
    String(columns),
    "-y",
    String(rows),
    "stty raw -echo; echo; printf '\\033]2;ready\\007'; exec sleep 60",
  );
  // The shell's output must precede the test's.
  await expect.poll(() => tmux("display-message", "-p", "#{pane_title}").trim(), { timeout: 10_000 }).toBe("ready");
  return {
    tmux,
    tty: tmux("list-panes", "-F", "#{pane_tty}").trim(),
    /** All rows, including the scrollback, with wrapped ones separate. */
    all: () => toRows(tmux("capture-pane", "-p", "-S", "-")),
    /** The rows of the window. */
    visible: () => toRows(tmux("capture-pane", "-p")),
  };
}

const toRows = (captured: string) =>
  captured
    .replace(/\n+$/, "")
    .split("\n")
    .map((row) => row.trimEnd());

/** A screen on this tmux terminal, and a function that resizes it. */
function openScreen({ tmux, tty }: Awaited<ReturnType<typeof openTmux>>, columns: number, rows: number) {
  let size = { columns, rows };
  let output = "";
  const screen = createScreen({
    write: (text) => {
      output += text;
    },
    size: () => size,
    reflows: "all",
  });
  const settle = async () => {
    // tmux answers commands after its input, so a visible mark shows that it has read everything.
    writeFileSync(tty, `${output}\x1b]2;${++marks}\x07`);
    output = "";
    await expect.poll(() => tmux("display-message", "-p", "#{pane_title}").trim()).toBe(String(marks));
  };
  let marks = 0;
  return {
    screen,
    settle,
    resize(to: { columns: number; rows: number }) {
      size = to;
      tmux("resize-window", "-x", String(to.columns), "-y", String(to.rows));
      screen.markResized(Number(tmux("display-message", "-p", "#{cursor_y}")));
    },
  };
}

const createFrame = (columns: number, draft: string) => {
  const inner = columns - 4;
  const rows = draft.match(new RegExp(`.{1,${inner}}`, "g")) ?? [""];
  const edge = "─".repeat(columns - 2);
  const lines = [
    `┌${edge}┐`,
    ...rows.map((row) => `│ ${row.padEnd(inner)} │`),
    `└${edge}┘`,
    `${"offline".padEnd(columns - 4)}KAY!`,
  ];
  return { lines, cursor: { row: rows.length, column: 2 + (rows.at(-1)?.length ?? 0) } };
};

test.skipIf(!hasTmux)(
  "U19 in tmux a window made narrower and wider has one frame at the end, and no line twice or lost",
  async () => {
    const window = await openTmux(100, 30);
    const { screen, settle, resize } = openScreen(window, 100, 30);
    const transcript = Array.from({ length: 40 }, (_, row) => `line ${row}${"t".repeat(row * 3)}`);
    screen.commit(transcript.join("\n"));
    screen.draw(createFrame(100, "d".repeat(150)));
    await settle();
    for (const columns of [60, 100, 40, 120, 60, 59, 58, 41, 100, 40, 100]) {
      resize({ columns, rows: 30 });
      screen.draw(createFrame(columns, "d".repeat(150)));
      await settle();
    }
    const wrapped = transcript.flatMap((line) => line.match(/.{1,100}/g) ?? []);
    expect(window.all().filter((row) => row !== "")).toEqual([...wrapped, ...createFrame(100, "d".repeat(150)).lines]);
  },
);

test.for([
  [{ TERM: "screen-256color" }, "all"],
  [{ TERM: "tmux-256color", SSH_TTY: "/dev/pts/0" }, "all"],
  [{ TERM: "screen" }, "none"],
  [{ TERM: "screen.xterm-256color" }, "none"],
  [{ TERM: "screen-256color", STY: "1.pts-0" }, "none"],
  [{ TERM: "screen", TMUX: "/tmp/tmux-0/default,1,0" }, "all"],
] as const)("N52 a window of the multiplexer %o rewraps: %s", ([env, mode]) => {
  expect(detectReflow(env)).toBe(mode);
});

/** A card as tall as its text needs, an input, and a status line, cut to the window from above. */
function createCard({ columns, rows }: { columns: number; rows: number }) {
  const { lines, cursor } = createFrame(columns, "approve this ".repeat(60));
  const excess = Math.max(lines.length - (rows - 2), 0);
  return { lines: lines.slice(excess), cursor: { ...cursor, row: cursor.row - excess } };
}

describe.skipIf(!hasTmux)("N4 N52 a window that shrinks while a card is open", () => {
  const LARGE = { columns: 80, rows: 24 };
  const lines = Array.from({ length: 30 }, (_, row) => `line ${row}`);
  const shrinkAndGrow = async (smaller: { columns: number; rows: number }[]) => {
    const window = await openTmux(LARGE.columns, LARGE.rows);
    const { screen, settle, resize } = openScreen(window, LARGE.columns, LARGE.rows);
    screen.commit(lines.join("\n"));
    screen.draw(createCard(LARGE));
    await settle();
    for (const size of smaller) {
      resize(size);
      screen.draw(createCard(size));
      await settle();
      const visible = window.visible().filter((row) => row !== "");
      expect(visible, JSON.stringify(size)).toEqual([...lines, ...createCard(size).lines].slice(-visible.length));
    }
    return { ...window, screen, settle };
  };

  test.each([
    [[{ columns: 40, rows: 12 }, LARGE]],
    [[{ columns: 80, rows: 12 }, LARGE]],
    [[{ columns: 41, rows: 24 }, LARGE]],
    [[{ columns: 40, rows: 12 }, LARGE, { columns: 60, rows: 20 }, LARGE]],
    [[{ columns: 61, rows: 14 }, { columns: 33, rows: 9 }, { columns: 70, rows: 18 }, LARGE]],
  ])("shows the card once, and every line once (%j)", async (sizes) => {
    const { all } = await shrinkAndGrow(sizes);
    expect(all().filter((row) => row.startsWith("line "))).toEqual(lines);
  });

  test("Ctrl+L leaves only the card in the window, and every line in the scrollback", async () => {
    const { visible, all, screen, settle } = await shrinkAndGrow([{ columns: 40, rows: 12 }]);
    const card = createCard({ columns: 40, rows: 12 });
    screen.clearWindow();
    screen.draw(card);
    await settle();
    expect(visible()).toEqual(card.lines);
    expect(all().filter((row) => row.startsWith("line "))).toEqual(lines);
  });
});

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createScreen } from "#ui/screen/screen";

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

/** A window of tmux that shows what is written to its terminal. */
function openTmux(columns: number, rows: number) {
  const folder = mkdtempSync(join(tmpdir(), "kay-tmux-"));
  const tmux = (...args: string[]) =>
    execFileSync("tmux", ["-S", join(folder, "s"), "-f", "/dev/null", ...args], { encoding: "utf8" });
  onTestFinished(() => {
    tmux("kill-server");
    rmSync(folder, { recursive: true });
  });
  tmux("new-session", "-d", "-x", String(columns), "-y", String(rows), "stty raw -echo; echo; exec sleep 60");
  return {
    tmux,
    tty: tmux("list-panes", "-F", "#{pane_tty}").trim(),
    /** All rows, of the scrollback too, wrapped ones by themselves. */
    all: () =>
      tmux("capture-pane", "-p", "-S", "-")
        .replace(/\n+$/, "")
        .split("\n")
        .map((row) => row.trimEnd()),
  };
}

const frameOf = (columns: number, draft: string) => {
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
    const { tmux, tty, all } = openTmux(100, 30);
    let columns = 100;
    let written = "";
    const screen = createScreen({
      write: (text) => {
        written += text;
      },
      size: () => ({ columns, rows: 30 }),
      reflows: "all",
    });
    const settle = async () => {
      writeFileSync(tty, written);
      written = "";
      // tmux reads at once what it is sent, and tells nobody when it has.
      await new Promise((resolve) => setTimeout(resolve, 60));
    };
    const transcript = Array.from({ length: 40 }, (_, row) => `line ${row}${"t".repeat(row * 3)}`);
    screen.commit(transcript.join("\n"));
    screen.draw(frameOf(columns, "d".repeat(150)));
    await settle();
    for (const to of [60, 100, 40, 120, 60, 59, 58, 41, 100, 40, 100]) {
      columns = to;
      tmux("resize-window", "-x", String(to), "-y", "30");
      screen.markResized();
      screen.draw(frameOf(columns, "d".repeat(150)));
      await settle();
    }
    const wrapped = transcript.flatMap((line) => line.match(/.{1,100}/g) ?? []);
    expect(all().filter((row) => row !== "")).toEqual([...wrapped, ...frameOf(100, "d".repeat(150)).lines]);
  },
);

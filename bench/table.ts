/** One figure. Without a goal it is only for comparison. */
export type Row = { what: string; measured: string; goal?: string; ok?: boolean };

/** A ratio against a goal that it must not exceed. */
export function ratio(what: string, mine: number, theirs: number, goal?: number): Row {
  const value = mine / theirs;
  const measured = `${value.toFixed(2)} (${mine.toFixed(0)} ms / ${theirs.toFixed(0)} ms)`;
  return goal === undefined ? { what, measured } : { what, measured, goal: `≤ ${goal}`, ok: value <= goal };
}

/** A time against a goal that it must not exceed, both in milliseconds. */
export function time(what: string, ms: number, goal: number): Row {
  return { what, measured: `${ms.toFixed(0)} ms`, goal: `≤ ${goal} ms`, ok: ms <= goal };
}

/** A number against a goal that it must not exceed. */
export function limit(what: string, value: number, unit: string, goal: number): Row {
  const measured = `${value.toFixed(value < 10 ? 2 : 1)} ${unit}`.trim();
  return { what, measured, goal: `≤ ${goal} ${unit}`.trim(), ok: value <= goal };
}

/**
 * In kB as the system counts a process, which shrinks late. If it shrank more than it grew, the goal counts as unknown.
 */
export function kilobytes(what: string, bytes: number, goal: number): Row {
  if (bytes <= 0) return { what, measured: "not to be seen", goal: `≤ ${goal} kB` };
  const measured = bytes / 1024;
  return { what, measured: `${measured.toFixed(1)} kB`, goal: `≤ ${goal} kB`, ok: measured <= goal };
}

/** Formats rows for a terminal. */
export function table(rows: Row[]): string {
  return layOut(rows)
    .map((cells) => `${cells.join("  ").trimEnd()}\n`)
    .join("");
}

/** Formats rows as a table in Markdown. */
export function markdown(rows: Row[]): string {
  const [head = [], ...rest] = layOut(rows).map((cells) => cells.map((cell) => cell.replaceAll("|", "\\|")));
  const rule = head.map((cell) => "-".repeat(cell.length));
  return [head, rule, ...rest].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

/** Returns the cells of each line, with those of the head first, all of a column equally wide. */
function layOut(rows: Row[]): string[][] {
  const cells = rows.map(({ what, measured, goal, ok }) => [
    what,
    measured,
    goal ?? "",
    ok === undefined ? "" : ok ? "ok" : "OVER",
  ]);
  const all = [["what", "measured", "goal", ""], ...cells];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
}

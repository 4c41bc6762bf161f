/** One line of an edited text: as it was (`-`), as it is (`+`), or unchanged. */
export type ChangedLine = { mark: " " | "-" | "+"; text: string };

/** Texts with more lines than this are compared as a whole. */
const MOST_LINES = 400;

/** Compares two texts line by line. Removed lines precede their replacements. */
export function listChangedLines(before: string, after: string): ChangedLine[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  if (old.length > MOST_LINES || now.length > MOST_LINES)
    return [...old.map((text) => ({ mark: "-" as const, text })), ...now.map((text) => ({ mark: "+" as const, text }))];
  const shared = countShared(old, now);
  const lines: ChangedLine[] = [];
  let [from, to] = [0, 0];
  while (from < old.length || to < now.length) {
    const [removed, come] = [old[from], now[to]];
    if (removed !== undefined && removed === come) {
      lines.push({ mark: " ", text: removed });
      from += 1;
      to += 1;
    } else if (removed !== undefined && getCount(shared, from + 1, to) >= getCount(shared, from, to + 1)) {
      lines.push({ mark: "-", text: removed });
      from += 1;
    } else {
      lines.push({ mark: "+", text: come ?? "" });
      to += 1;
    }
  }
  return lines;
}

/** Replaces runs of unchanged lines by one line with their number, after the first line of the text. */
export function foldUnchanged(lines: ChangedLine[]): ChangedLine[] {
  const folded: ChangedLine[] = [];
  for (let at = 0; at < lines.length; ) {
    const next = lines.findIndex(({ mark }, index) => index >= at && mark !== " ");
    const end = next < 0 ? lines.length : next;
    const [first, ...more] = lines.slice(at, Math.max(end, at + 1));
    const count = at === 0 ? more.length : more.length + 1;
    if (first && count >= LEAST_FOLDED)
      folded.push({ mark: " ", text: `${at === 0 ? first.text : " "} … ${count} unchanged lines` });
    else folded.push(...lines.slice(at, Math.max(end, at + 1)));
    at = Math.max(end, at + 1);
  }
  return folded;
}

/** Shorter runs of unchanged lines are shown. */
const LEAST_FOLDED = 3;

/** Counts, for each pair of positions, how many lines the rest of both texts share in order. */
function countShared(old: string[], now: string[]): number[][] {
  const counts = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0));
  for (let from = old.length - 1; from >= 0; from -= 1)
    for (let to = now.length - 1; to >= 0; to -= 1) {
      const row = counts[from] ?? [];
      row[to] =
        old[from] === now[to]
          ? getCount(counts, from + 1, to + 1) + 1
          : Math.max(getCount(counts, from + 1, to), getCount(counts, from, to + 1));
    }
  return counts;
}

/** Returns the count; -1 beyond the end, so that it is never preferred. */
function getCount(counts: number[][], from: number, to: number): number {
  return counts[from]?.[to] ?? -1;
}

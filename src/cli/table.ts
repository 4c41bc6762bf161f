import stringWidth from "string-width";

const GAP = 2;
const NARROWEST = 6;

/**
 * Lay rows out in columns for a terminal of `width` cells. Widths are counted in cells (CJK and emoji are two); when the rows are too
 * wide, the widest column gives way first and what it loses is marked with `…`.
 *
 * @returns the header line and one line per row
 */
export function layOut(columns: string[], rows: string[][], width: number): string[] {
  const all = [columns, ...rows];
  const widths = columns.map((_, column) => Math.max(...all.map((row) => stringWidth(row[column] ?? ""))));
  let excess = widths.reduce((sum, w) => sum + w, GAP * (columns.length - 1)) - width;
  while (excess > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    const now = widths[widest] ?? 0;
    if (now <= NARROWEST) break;
    widths[widest] = now - 1;
    excess -= 1;
  }
  return all.map((row) =>
    columns
      .map((_, i) => pad(row[i] ?? "", widths[i] ?? 0))
      .join(" ".repeat(GAP))
      .trimEnd(),
  );
}

function pad(text: string, width: number): string {
  if (stringWidth(text) <= width) return text + " ".repeat(width - stringWidth(text));
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept}…${" ".repeat(Math.max(0, width - 1 - stringWidth(kept)))}`;
}

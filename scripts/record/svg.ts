import type { Cell, Shot } from "./window.ts";

/** A shot and its duration in ms. */
export type Take = Shot & { ms: number };

/** Cells and the margin, in px. */
const [WIDE, HIGH, SIZE, MARGIN] = [8.4, 17, 14, 16];

/**
 * Renders takes as one animated SVG without scripts. Each run of cells is a separate text with the width of its cells
 * in any font, written once while it stays in place. A still viewer sees the poster, which is one of the takes; with
 * `prefers-reduced-motion`, it is the last one.
 */
export function renderTakes(takes: Take[], about: { title: string; description: string; poster: number }): string {
  const { title, description, poster } = about;
  const [width, height] = computeSize(takes);
  const spans = findSpans(takes);
  const times = [...new Set(spans.map(({ from, to }) => `${from}-${to}`))].map((time) => time.split("-").map(Number));
  const starts = listStarts(takes);
  const total = starts.at(-1) ?? 1;
  const seen = times.map(([from = 0, to = 0]) => ({ from, to, keyframes: formatKeyframes(starts, from, to, total) }));
  const groups = seen.map(({ from, to }, index) => {
    const inside = spans.filter((span) => span.from === from && span.to === to).map(({ drawn }) => drawn);
    const still = [from <= poster && poster < to && "poster", to === takes.length && "last"]
      .filter(Boolean)
      .map((each) => ` ${each}`);
    return `<g class="t${still.join("")}" style="animation-name:k${index}">\n${inside.join("\n")}\n</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description" xml:space="preserve">
<title id="title">${escapeText(title)}</title>
<desc id="description">${escapeText(description)}</desc>
<style>
${STYLE}
.t{visibility:hidden;animation:${total}ms step-end infinite}
.poster{visibility:visible}
@media (prefers-reduced-motion:reduce){.t{animation:none}.poster{visibility:hidden}.last{visibility:visible}}
${seen.map(({ keyframes }, index) => `@keyframes k${index}{${keyframes}}`).join("\n")}
</style>
<rect class="window" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>
${groups.join("\n")}
</svg>
`;
}

const STYLE = `text{font:${SIZE}px ui-monospace,SFMono-Regular,Menlo,"DejaVu Sans Mono",Consolas,"Liberation Mono",monospace;white-space:pre;fill:#d6d9e0}
.window{fill:#15181f;stroke:#5b6272}
.cursor{fill:#d6d9e0;fill-opacity:.55}
.bold{font-weight:bold}
.dim{fill:#98a0b0}
.underline{text-decoration:underline}
.red{fill:#ff8077}
.green{fill:#7fd88f}
.yellow{fill:#f2cc6b}
.cyan{fill:#73d0e6}
.inverse{fill:#15181f}
.behind{fill:#d6d9e0}`;

function computeSize([take]: Take[]): [number, number] {
  const columns = take?.rows[0]?.length ?? 0;
  return [round(columns * WIDE + 2 * MARGIN), (take?.rows.length ?? 0) * HIGH + 2 * MARGIN];
}

/** A drawn run, and the takes in which it is visible: from the first to the one after the last. */
type Span = { drawn: string; from: number; to: number };

function findSpans(takes: Take[]): Span[] {
  const spans: Span[] = [];
  let open = new Map<string, Span>();
  for (const [index, take] of takes.entries()) {
    const now = new Map<string, Span>();
    for (const drawn of drawTake(take)) {
      const known = open.get(drawn);
      const span = known ?? { drawn, from: index, to: index };
      span.to = index + 1;
      if (!known) spans.push(span);
      now.set(drawn, span);
    }
    open = now;
  }
  return spans;
}

function drawTake({ rows, cursor }: Take): string[] {
  const texts = rows.flatMap((cells, row) => joinCells(cells).map((run) => drawRun(run, row)));
  if (!cursor) return texts;
  const [x, y] = [round(MARGIN + cursor.column * WIDE), MARGIN + cursor.row * HIGH];
  return [...texts, `<rect class="cursor" x="${x}" y="${y}" width="${WIDE}" height="${HIGH}"/>`];
}

type Run = { text: string; look: string; column: number; columns: number };

/** Joins neighbors with the same style, without blanks at both ends. */
function joinCells(cells: Cell[]): Run[] {
  const runs: Run[] = [];
  for (const [column, { char, look }] of cells.entries()) {
    const last = runs.at(-1);
    if (last && (last.look === look || char === "")) {
      last.text += char;
      last.columns += 1;
    } else runs.push({ text: char, look, column, columns: 1 });
  }
  return runs.flatMap((run) => (run.look.includes("inverse") ? [run] : trimRun(run)));
}

function trimRun({ text, look, column, columns }: Run): Run[] {
  const before = text.length - text.trimStart().length;
  const after = text.length - text.trimEnd().length;
  return text.trim() === ""
    ? []
    : [{ text: text.trim(), look, column: column + before, columns: columns - before - after }];
}

function drawRun({ text, look, column, columns }: Run, row: number): string {
  const [x, y, width] = [round(MARGIN + column * WIDE), MARGIN + row * HIGH, round(columns * WIDE)];
  const behind = look.includes("inverse")
    ? `<rect class="behind" x="${x}" y="${y}" width="${width}" height="${HIGH}"/>`
    : "";
  const style = look === "" ? "" : ` class="${look}"`;
  return `${behind}<text${style} x="${x}" y="${y + SIZE - 1}" textLength="${width}">${escapeText(text)}</text>`;
}

/** Start of each take, and end of the last, in ms. */
function listStarts(takes: Take[]): number[] {
  const starts = [0];
  for (const { ms } of takes) starts.push((starts.at(-1) ?? 0) + ms);
  return starts;
}

function formatKeyframes(starts: number[], from: number, to: number, total: number): string {
  const at = (take: number) => `${round(((starts[take] ?? 0) / total) * 100)}%`;
  const before = from === 0 ? "" : "0%{visibility:hidden}";
  const after = to === starts.length - 1 ? "100%{visibility:visible}" : `${at(to)},100%{visibility:hidden}`;
  return `${before}${at(from)}{visibility:visible}${after}`;
}

function round(number: number): number {
  return Math.round(number * 1000) / 1000;
}

/** Few fonts have the mark of a call; most have the plain circle. */
function escapeText(text: string): string {
  return text
    .replaceAll("⏺", "●")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

import type { Cell, Shot } from "./window.ts";

/**
 * Replaces everything that varies between runs (ports, IDs, clocks, sign-in states) by fixed text of the same width.
 * Replaced text may continue in the next row, or have begun in a row that has scrolled away.
 */
export function replaceVarying<S extends Shot>(shots: S[]): S[] {
  const states: string[] = [];
  return shots.map((shot) => {
    const cells = shot.rows.flat();
    const text = cells.map(({ char }) => (char.length === 1 ? char : "\0")).join("");
    const same = [...RULES, rest(states)].reduce((now, [what, by]) => now.replace(what, by), text);
    for (const [, state = ""] of text.matchAll(/state=([0-9a-f]{64})/g)) states.push(state);
    return { ...shot, rows: inRows(cells, same, shot.rows[0]?.length ?? 1) };
  });
}

type Rule = readonly [RegExp, (...found: string[]) => string];

const HEX = "5d3f9c07a1e84b26".repeat(4);

const RULES: Rule[] = [
  [/(?<=127\.0\.0\.1(?::|%3A))\d{1,5}/g, (port) => "41414".slice(0, port.length)],
  [/(?<=state=)[0-9a-f]{1,64}/g, (state) => HEX.slice(0, state.length)],
  [/(?<=session_)\d{13}_[0-9a-f]{32}/g, () => `1700000000000_${HEX.slice(0, 32)}`],
  [/(?<=\/p)\d{16}\b/g, () => "1700000000000000"],
  [/(?<=approved by you, )\d\d:\d\d/g, () => "09:30"],
  [/(?<=--resume )[0-9a-f]{6}/g, () => HEX.slice(0, 6)],
  [/\b20\d\d-\d\d-\d\d \d\d:\d\d\b/g, () => "2026-01-15 09:30"],
  [/\b([49]):\d\d(?= left)/g, (_, minutes = "") => `${minutes}:58`],
  [/\b\d\.\ds(?=[ ✓])/g, () => "0.2s"],
  [/[⠁-⣿]/g, () => "⠋"],
];

/** The rest of a state whose beginning has scrolled away. */
function rest(states: string[]): Rule {
  return [
    /^[0-9a-f]{4,63}(?= )/,
    (end) => (states.some((state) => state.endsWith(end)) ? HEX.slice(-end.length) : end),
  ];
}

function inRows(cells: Cell[], text: string, columns: number): Cell[][] {
  if (text.length !== cells.length) throw new Error("What is fixed has another length than what was shown.");
  const rows = Array.from({ length: cells.length / columns }, (_, row) => row * columns);
  return rows.map((start) =>
    cells.slice(start, start + columns).map(({ char, look }, column) => ({
      char: char.length === 1 ? (text[start + column] ?? "") : char,
      look,
    })),
  );
}

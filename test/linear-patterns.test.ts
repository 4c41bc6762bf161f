import { globSync, readFileSync } from "node:fs";
import ts from "typescript";
import { expect, test } from "vitest";
import { ENDS, findGrowth, KINDS, measure, repeatTo } from "#test/work";

type Found = { at: string; pattern: RegExp };

/** Every pattern that may read foreign text. The stand-ins of the sandbox read only what kay sends. */
const patterns = globSync("src/**/*.{ts,tsx}")
  .filter((file) => !file.startsWith("src/sandbox/"))
  .flatMap(listPatterns);

function listPatterns(file: string): Found[] {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const faults: Found[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const [, body = "", flags = ""] = /^\/(.*)\/(\w*)$/s.exec(node.text) ?? [];
      faults.push({ at: `${file} ${node.text}`, pattern: new RegExp(body, flags) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return faults;
}

function apply(pattern: RegExp, text: string): void {
  pattern.lastIndex = 0;
  if (pattern.global) text.replace(pattern, "");
  else pattern.exec(text);
}

/** What a pattern itself looks for. */
function listOwnPieces({ source }: RegExp): string[] {
  const words = source.replace(/\\[bBdDsSwWpP]/g, " ").match(/[a-zA-Z_-]{2,}/g) ?? [];
  return [...new Set(words)].slice(0, 8).flatMap((word) => [word, `${word} `]);
}

const texts = KINDS.flatMap((piece) => ENDS.map((end) => ({ piece, end, text: repeatTo(piece, 4_000, end) })));

test("every pattern takes time in proportion to its text", { timeout: 240_000 }, () => {
  const slow = patterns.flatMap(({ at, pattern }) => {
    const pieces = listOwnPieces(pattern).map((piece) => ({ piece, end: "¶", text: repeatTo(piece, 4_000, "¶") }));
    const all = [...texts, ...pieces];
    // All texts at once first; only a slow pattern is then tried with each.
    const applyAll = () => {
      for (const { text } of all) apply(pattern, text);
    };
    if (measure(applyAll, "") < 15) return [];
    const worst = all.find(
      ({ piece, end, text }) =>
        measure((input) => apply(pattern, input), text) > 1 &&
        findGrowth(
          (input) => apply(pattern, input),
          (length) => repeatTo(piece, length, end),
        ) !== undefined,
    );
    return worst ? [`${at} for ${JSON.stringify(worst.piece)} … ${JSON.stringify(worst.end)}`] : [];
  });
  expect(patterns.length).toBeGreaterThan(1_000);
  expect(slow).toEqual([]);
});

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createMarkdownWriter, createTextWriter, renderMarkdown } from "#ui/markdown/progressive";

const LOOK = { width: 40, paint: (_: string, text: string) => text };

const ANSWER = `4 issues are open:

| Key | Summary |
|---|---|
| KAY-1 | Login loops |
| KAY-2 | Slow |

1. First
1. Second, which is
   longer
   - nested
1. Third

\`\`\`sh
git push

git pull
\`\`\`

# The end
Bye.`;

/** Returns the output after each piece, and in total. */
function writeParts(
  make: (write: (text: string) => void) => { push(delta: string): void; end(): void },
  pieces: string[],
) {
  const lines: string[] = [];
  const progressive = make((text) => lines.push(text));
  const after = pieces.map((piece) => {
    progressive.push(piece);
    return lines.length;
  });
  progressive.end();
  return { text: lines.join("\n"), lines, after };
}

const onTerminal = (write: (text: string) => void) => createMarkdownWriter(() => LOOK, write);

test("each block is written as soon as it is final, and nothing is written twice", () => {
  const lines = ANSWER.split("\n").map((line) => `${line}\n`);
  const { lines: blocks, after } = writeParts(onTerminal, lines);
  expect(blocks).toEqual([
    "4 issues are open:",
    "",
    "KEY    SUMMARY\nKAY-1  Login loops\nKAY-2  Slow",
    "",
    "1. First",
    "2. Second, which is\n   longer\n   - nested",
    "3. Third",
    "",
    "    git push\n\n    git pull".replace("\n\n", "\n    \n"),
    "",
    "The end",
    "",
    "Bye.",
  ]);
  const rowAt = (line: string) => after[lines.indexOf(`${line}\n`)];
  expect([rowAt("4 issues are open:"), rowAt("1. First"), rowAt("1. Third"), rowAt("```"), rowAt("# The end")]).toEqual(
    [0, 3, 6, 9, 11],
  );
});

const word = fc.stringMatching(/^[a-z]{1,9}$/);
const sentence = fc.array(word, { minLength: 1, maxLength: 9 }).map((words) => words.join(" "));
const items = fc.array(sentence, { minLength: 1, maxLength: 4 });
const block = fc.oneof(
  sentence,
  sentence.map((text) => `## ${text}`),
  items.map((all) => all.map((item) => `- ${item}`).join("\n")),
  items.map((all) => all.map((item) => `* ${item}\n\n  more of it`).join("\n\n")),
  items.map((all) => all.map((item) => `1. ${item}\n   - nested\n     lazy`).join("\n")),
  items.map((all) => `|a|b|\n|---|---|\n${all.map((item) => `| ${item} | x |`).join("\n")}`),
  items.map((all) => `\`\`\`\n${all.join("\n\n")}\n\`\`\``),
  items.map((all) => all.map((item) => `> ${item}`).join("\n")),
  fc.constant("---"),
);

test("an answer in any pieces looks like the whole", () => {
  const pieces = fc.array(block, { minLength: 1, maxLength: 6 }).chain((blocks) => {
    const text = blocks.join("\n\n");
    return fc.array(fc.nat(text.length), { maxLength: 12 }).map((cuts) => {
      const ends = [...cuts, text.length].sort((a, b) => a - b);
      return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
    });
  });
  fc.assert(
    fc.property(pieces, (chunks) => {
      expect(writeParts(onTerminal, chunks).text).toBe(renderMarkdown(chunks.join(""), LOOK));
      expect(writeParts(createTextWriter, chunks).text).toBe(chunks.join(""));
    }),
    { numRuns: 300 },
  );
});

test("in a pipe the Markdown is unchanged, a line as soon as it is complete", () => {
  const { lines, after } = writeParts(createTextWriter, ["One ", "line\n\n\n", "Ano", "ther\n\n"]);
  expect([lines, after]).toEqual([
    ["One line", "\n\nAnother"],
    [0, 1, 1, 2],
  ]);
});

test("U17 split control sequences never reach the terminal", () => {
  const pieces = ["a\u001b", "[2K b\u001b]0;title", "\u0007 c\r", "d\n\n"];
  expect(writeParts(onTerminal, pieces).text).toBe("a b c\nd");
  expect(writeParts(createTextWriter, pieces).text).toBe("a b c\nd");
});

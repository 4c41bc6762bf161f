import * as fc from "fast-check";
import { marked } from "marked";
import { expect, test } from "vitest";
import { renderBlocks } from "#ui/markdown/block";
import { renderMarkdown } from "#ui/markdown/progressive";

const LOOK = { width: 40, paint: (_: string, text: string) => text };

const word = fc.stringMatching(/^[a-z]{1,9}$/);
const sentence = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(" "));
const lines = fc.array(sentence, { minLength: 1, maxLength: 12 });
const byPiece = (show: (text: string) => string, by = "\n") => lines.map((all) => all.map(show).join(by));

const block = fc.oneof(
  sentence,
  byPiece((text) => text),
  sentence.map((text) => `## ${text}`),
  sentence.map((text) => `${text}\n===`),
  byPiece((text) => `- ${text}\n  - [ ] ${text}`),
  byPiece((text) => `- ${text}\n${text}`),
  byPiece((text) => `3. ${text}\n\n   more\n\n       code`, "\n\n"),
  byPiece((text) => `* ${text}\n\n  \`\`\`\n  - x\n\n  y\n  \`\`\``),
  byPiece((text) => `| ${text} | x |`).map((rows) => `|a|b|\n|---|---|\n${rows}`),
  byPiece((text) => text, "\n\n").map((code) => `\`\`\`ts\n${code}\n\`\`\``),
  byPiece((text) => `> ${text}`),
  byPiece((text) => `> - ${text}\n> \n> x`),
  byPiece((text) => `    ${text}`),
  fc.constantFrom("---", "* * *", "<details>\nx\n</details>", "1) a\n2) b"),
);

test("read line by line, a text has the same blocks as when parsed whole", () => {
  fc.assert(
    fc.property(fc.array(block, { minLength: 1, maxLength: 6 }), (blocks) => {
      const text = blocks.join("\n\n");
      expect(renderMarkdown(text, LOOK)).toBe(renderBlocks(marked.lexer(text), LOOK).join("\n\n"));
    }),
    { numRuns: 300 },
  );
});

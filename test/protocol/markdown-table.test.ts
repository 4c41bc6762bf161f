import { lexer, type Tokens } from "marked";
import { expect, test } from "vitest";
import { toMarkdown } from "#connectors/atlassian/adf/read";
import { toAdf } from "#connectors/atlassian/adf/write";
import { markdownToHtml } from "#connectors/markup/html";
import { markdownToMrkdwn } from "#connectors/slack/mrkdwn-write";
import { hasExtraCells } from "#protocol/markdown";
import { renderMarkdown } from "#ui/markdown/progressive";

const parseTable = (rows: string) => lexer(`| a | b |\n| --- | --- |\n${rows}`)[0] as Tokens.Table;

test("a table loses cells when a row has more of them than its header, escaped pipes aside", () => {
  expect(["| 1 | 2 |", "1 | 2", "| 1 |", "| 1 \\| x | 2 |"].map((row) => hasExtraCells(parseTable(row)))).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect(["| 1 | 2 | 3 |", "1 | 2 | 3", "| 1 | 2 \\\\| 3 |"].map((row) => hasExtraCells(parseTable(row)))).toEqual([
    true,
    true,
    true,
  ]);
});

test("wherever Markdown is sent, the words of such a table arrive", () => {
  const source = "| a |\n| --- |\n| one | twotwo |";
  const look = { width: 80, paint: (_: unknown, text: string) => text };
  const written = [
    toMarkdown(toAdf(source, "description")),
    markdownToHtml(source),
    markdownToMrkdwn(source),
    renderMarkdown(source, look),
  ];
  expect(written.map((text) => text.includes("twotwo"))).toEqual([true, true, true, true]);
});

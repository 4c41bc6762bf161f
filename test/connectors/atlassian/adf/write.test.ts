import fc from "fast-check";
import { expect, test } from "vitest";
import type { AdfNode } from "#connectors/atlassian/adf/inline";
import { toMarkdown } from "#connectors/atlassian/adf/read";
import { toAdf } from "#connectors/atlassian/adf/write";
import { Problem } from "#protocol/errors";

const paragraph = (...content: AdfNode[]): AdfNode => ({ type: "paragraph", content });
const text = (words: string, ...marks: string[]): AdfNode =>
  marks.length > 0
    ? { type: "text", text: words, marks: marks.map((type) => ({ type })) }
    : { type: "text", text: words };

/**
 * What Jira refuses: empty text, line breaks in text outside code, empty containers, and children in the wrong place.
 */
function faults(node: AdfNode, parent: string): string[] {
  const parents: string[] = [];
  if (node.type === "text") {
    if (!node.text) parents.push("empty text");
    if (/[\r\n]/.test(node.text ?? "") && parent !== "codeBlock")
      parents.push(`line break in ${JSON.stringify(node.text)}`);
  }
  const children = CHILDREN[parent];
  if (children && !children.includes(node.type)) parents.push(`${node.type} in ${parent}`);
  if (
    ["bulletList", "orderedList", "listItem", "table", "tableRow", "blockquote"].includes(node.type) &&
    !node.content?.length
  ) {
    parents.push(`empty ${node.type}`);
  }
  if (node.type === "listItem" && !["paragraph", "codeBlock"].includes(node.content?.[0]?.type ?? ""))
    parents.push("listItem start");
  return [...parents, ...(node.content ?? []).flatMap((child) => faults(child, node.type))];
}

const INLINE = ["text", "hardBreak"];
const CHILDREN: Record<string, string[]> = {
  doc: ["paragraph", "heading", "bulletList", "orderedList", "codeBlock", "blockquote", "rule", "table"],
  paragraph: INLINE,
  heading: INLINE,
  codeBlock: ["text"],
  bulletList: ["listItem"],
  orderedList: ["listItem"],
  listItem: ["paragraph", "bulletList", "orderedList", "codeBlock"],
  blockquote: ["paragraph", "bulletList", "orderedList", "codeBlock"],
  table: ["tableRow"],
  tableRow: ["tableHeader", "tableCell"],
  tableHeader: ["paragraph"],
  tableCell: ["paragraph"],
};

test("V01 lines, paragraphs and lists become nodes, and characters stay as typed", () => {
  expect(toAdf("Line 1\nLine 2\n\n- item & <b>\n", "description")).toEqual({
    type: "doc",
    version: 1,
    content: [
      paragraph(text("Line 1"), { type: "hardBreak" }, text("Line 2")),
      { type: "bulletList", content: [{ type: "listItem", content: [paragraph(text("item & <b>"))] }] },
    ],
  });
});

test.each(["", " ", "\n\n \t", undefined])("V01 the empty description %j is left out", (empty) => {
  expect(toAdf(empty, "description")).toBe(undefined);
});

test("V01 a text longer than Jira accepts is refused before it is sent, and the limit is named", () => {
  expect(() => toAdf("x".repeat(40_000), "description")).toThrow(
    new Problem("INVALID_REQUEST", "The description has 40,000 characters; Jira accepts at most 32,767.", {
      hint: "Shorten it, or split it into several comments.",
      details: { field: "description" },
    }),
  );
  expect(toAdf("x".repeat(32_767), "description")?.content.length).toBe(1);
});

test("Markdown keeps its form: headings, marks, links, code, quotes, numbered and nested lists, tables, rules", () => {
  const markdown = [
    "# Title",
    "**bold** _thin_ ~~gone~~ `a*b` [site](https://x.test/a) <https://y.test>",
    "> quoted\n> # heading",
    "3. three\n   - below\n4. four",
    "```sh\nls\npwd\n```",
    "| a | b |\n|---|---|\n| 1 | **2** |",
    "---",
  ].join("\n\n");
  const link = (href: string) => ({ type: "link", attrs: { href } });
  const createCell = (type: string, ...content: AdfNode[]) => ({ type, content: [paragraph(...content)] });
  expect(toAdf(markdown, "description")?.content).toEqual([
    { type: "heading", attrs: { level: 1 }, content: [text("Title")] },
    paragraph(
      text("bold", "strong"),
      text(" "),
      text("thin", "em"),
      text(" "),
      text("gone", "strike"),
      text(" "),
      text("a*b", "code"),
      text(" "),
      { type: "text", text: "site", marks: [link("https://x.test/a")] },
      text(" "),
      { type: "text", text: "https://y.test", marks: [link("https://y.test")] },
    ),
    { type: "blockquote", content: [paragraph(text("quoted")), paragraph(text("heading"))] },
    {
      type: "orderedList",
      attrs: { order: 3 },
      content: [
        {
          type: "listItem",
          content: [
            paragraph(text("three")),
            { type: "bulletList", content: [{ type: "listItem", content: [paragraph(text("below"))] }] },
          ],
        },
        { type: "listItem", content: [paragraph(text("four"))] },
      ],
    },
    { type: "codeBlock", attrs: { language: "sh" }, content: [text("ls\npwd")] },
    {
      type: "table",
      content: [
        { type: "tableRow", content: [createCell("tableHeader", text("a")), createCell("tableHeader", text("b"))] },
        {
          type: "tableRow",
          content: [createCell("tableCell", text("1")), createCell("tableCell", text("2", "strong"))],
        },
      ],
    },
    { type: "rule" },
  ]);
});

test("an address that Jira would refuse stays visible as text", () => {
  const source = "[a](javascript:alert(1)) ![b](data:text/html,x)";
  expect(toAdf(source, "comment")?.content).toEqual([paragraph(text(source))]);
});

test("any text becomes a document that Jira accepts, without losing a word", () => {
  const word = fc.stringMatching(/^[a-z]{1,6}$/);
  const pieces = fc.constantFrom(
    "\n",
    "\n\n",
    " ",
    "- ",
    "* ",
    "1. ",
    "> ",
    "# ",
    "```\n",
    "`",
    "**",
    "_",
    "<b>",
    "&amp;",
    "|",
    "| a |\n|--|\n",
    "[x]: y\n",
    "---\n",
    "- [ ] ",
    "\t",
    "\r\n",
    "\\",
    "![",
    "](http://a.b)",
    "    ",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(word, pieces), { maxLength: 40 }), (parts) => {
      const source = parts.join("");
      const document = toAdf(source, "description");
      expect(document ? faults(document, "") : []).toEqual([]);
      const markdown = toMarkdown(document);
      for (const node of source.replace(/^ *(```|~~~).*$/gm, " ").match(/[a-z]{4,}/g) ?? [])
        expect(markdown).toContain(node);
    }),
    { numRuns: 500 },
  );
});

test("Markdown nested too deeply stays plain text", () => {
  const source = ">".repeat(8_000);
  expect(toAdf(source, "comment")?.content).toEqual([paragraph(text(source))]);
});

test("any string at all becomes a document that Jira accepts", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (source) => {
      const document = toAdf(source, "description");
      expect(document ? faults(document, "") : []).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test("a table whose rows have more cells than its header loses none of them: it stays as typed", () => {
  const source = "| a |\n| --- |\n| one | two |";
  expect(toAdf(source, "description")?.content).toEqual([
    paragraph(text("| a |"), { type: "hardBreak" }, text("| --- |"), { type: "hardBreak" }, text("| one | two |")),
  ]);
});

test("an image or a link without words is shown by its address", () => {
  const mark = { type: "link", attrs: { href: "http://a.b" } };
  for (const source of ["![\n](http://a.b)", "[ ](http://a.b)"]) {
    const textNode = { type: "text", text: "http://a.b", marks: [mark] };
    expect(toAdf(source, "description")?.content).toEqual([{ type: "paragraph", content: [textNode] }]);
  }
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { toMarkdown } from "#connectors/atlassian/adf/read";

const doc = (...content: unknown[]) => ({ type: "doc", version: 1, content });
const p = (...content: unknown[]) => ({ type: "paragraph", content });
const t = (text: string, ...marks: unknown[]) => ({ type: "text", text, marks });

test.each([null, undefined, "", 7, [], {}, { type: "doc" }, { type: 3 }, { type: "doc", content: "x" }])(
  "V02 a description that is %j reads as nothing",
  (value) => {
    expect(toMarkdown(value)).toBe("");
  },
);

test("V02 a plain string stays as it is", () => {
  expect(toMarkdown(" As it\nwas. ")).toBe("As it\nwas.");
});

test("V02 people, emoji, code, tables and unknown nodes read as text", () => {
  const value = doc(
    p(
      t("Ask "),
      { type: "mention", attrs: { id: "557058:x", text: "@Ana Díaz" } },
      t(" "),
      { type: "emoji", attrs: { shortName: ":tada:", text: "🎉" } },
      { type: "emoji", attrs: { shortName: ":custom:" } },
      { type: "hardBreak" },
      { type: "date", attrs: { timestamp: "1764201600000" } },
      t(" "),
      { type: "status", attrs: { text: "BLOCKED", color: "red" } },
      t(" "),
      { type: "inlineCard", attrs: { url: "https://x.test" } },
    ),
    { type: "codeBlock", attrs: { language: "sh" }, content: [t("ls\npwd")] },
    {
      type: "table",
      content: [
        {
          type: "tableRow",
          content: [
            { type: "tableHeader", content: [p(t("a|b"))] },
            { type: "tableHeader", content: [p(t("c"))] },
          ],
        },
        {
          type: "tableRow",
          content: [
            { type: "tableCell", content: [p(t("1")), p(t("2"))] },
            { type: "tableCell", content: [] },
          ],
        },
      ],
    },
    { type: "foo", content: [p(t("inside")), { type: "bar", text: "an unknown one" }] },
    { type: "extension", attrs: { text: "a macro" } },
  );
  expect(toMarkdown(value)).toBe(
    [
      "Ask @Ana Díaz 🎉:custom:\n2025-11-27 [BLOCKED] https://x.test",
      "```sh\nls\npwd\n```",
      "| a\\|b | c |\n| --- | --- |\n| 1 2 |  |",
      "inside",
      "an unknown one",
      "a macro",
    ].join("\n\n"),
  );
});

test("V02 headings, marks, lists, tasks, panels, expands and files keep their form", () => {
  const item = (...content: unknown[]) => ({ type: "listItem", content });
  const value = doc(
    { type: "heading", attrs: { level: 2 }, content: [t("Head")] },
    p(t("bold ", { type: "strong" }), t("both", { type: "strong" }, { type: "em" }), t(" x", { type: "code" })),
    p(
      t("here", { type: "link", attrs: { href: "https://x.test" } }),
      t(" old", { type: "strike" }),
      t("u", { type: "underline" }),
    ),
    {
      type: "orderedList",
      attrs: { order: 2 },
      content: [item(p(t("two")), { type: "bulletList", content: [item(p(t("deep")))] }), item(p(t("three")))],
    },
    {
      type: "taskList",
      content: [
        { type: "taskItem", attrs: { state: "DONE" }, content: [t("did")] },
        { type: "taskItem", attrs: { state: "TODO" }, content: [t("do")] },
      ],
    },
    { type: "panel", attrs: { panelType: "info" }, content: [p(t("note")), p(t("more"))] },
    { type: "expand", attrs: { title: "More" }, content: [p(t("hidden"))] },
    { type: "mediaSingle", content: [{ type: "media", attrs: { id: "1", alt: "shot.png" } }] },
    { type: "rule" },
  );
  expect(toMarkdown(value)).toBe(
    [
      "## Head",
      "**bold** _**both**_ `x`",
      "[here](https://x.test) ~~old~~u",
      "2. two\n   - deep\n3. three",
      "- [x] did\n- [ ] do",
      "> note\n>\n> more",
      "**More**",
      "hidden",
      "[shot.png]",
      "---",
    ].join("\n\n"),
  );
});

test("code with a fence gets a longer one", () => {
  expect(toMarkdown(doc({ type: "codeBlock", content: [t("```\nx\n```")] }))).toBe("````\n```\nx\n```\n````");
});

test("a document nested without end is cut, and an invalid document does no harm", () => {
  let node: unknown = p(t("deep"));
  for (let depth = 0; depth < 5_000; depth++) node = { type: depth % 2 ? "blockquote" : "foo", content: [node] };
  expect(toMarkdown(doc(p(t("top")), node))).toMatch(/^top\n\n[> ]*…$/);
  fc.assert(
    fc.property(
      fc.jsonValue(),
      (value) => typeof toMarkdown(value) === "string" && typeof toMarkdown(doc(value)) === "string",
    ),
  );
});

// https://go.atlassian.com/adf-json-schema
test.each([
  [
    p(
      t("10"),
      t("2", { type: "subsup", attrs: { type: "sup" } }),
      t(" H"),
      t("ij", { type: "subsup", attrs: { type: "sub" } }),
    ),
    "10^2 H_(ij)",
  ],
  [
    p(t("See "), { type: "inlineCard", attrs: { data: { "@type": "Document", url: "https://x.test/p" } } }),
    "See https://x.test/p",
  ],
  [
    p(t("a "), { type: "inlineExtension", attrs: { extensionType: "x", extensionKey: "math" } }, t(" b")),
    "a (inline extension: math) b",
  ],
  [p(t("a "), { type: "mediaInline", attrs: { id: "1", collection: "c" } }), "a [attachment]"],
  [p(t("here", { type: "link", attrs: { href: "https://x.test/(a" } })), "[here](https://x.test/%28a)"],
  [{ type: "extension", attrs: { extensionType: "x", extensionKey: "toc", parameters: {} } }, "(extension: toc)"],
  [{ type: "syncBlock", attrs: { resourceId: "r" } }, "(sync block)"],
  [{ type: "blockCard", attrs: { datasource: { id: "1" } } }, "(block card)"],
  [
    { type: "mediaSingle", content: [{ type: "media", attrs: { type: "external", url: "https://x.test/i.png" } }] },
    "[image](https://x.test/i.png)",
  ],
  [{ type: "futureNode" }, "(future node)"],
  [{ type: "heading", attrs: { level: 2 } }, ""],
  [{ type: "layoutSection", content: [{ type: "layoutColumn", content: [p()] }] }, ""],
])("B247 what a node says is read, or it is named: %j", (node, text) => {
  expect(toMarkdown(doc(node))).toBe(text);
});

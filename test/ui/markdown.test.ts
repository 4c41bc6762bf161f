import { styleText } from "node:util";
import { expect, test } from "vitest";
import { loadHighlighting } from "#ui/markdown/highlight";
import { renderMarkdown } from "#ui/markdown/progressive";

const plain = (_: string, text: string) => text;
const LOOK = { width: 40, paint: plain };
const LINKS = { ...LOOK, width: 200, links: true };

/** Links as `⟦target|text⟧`. */
function renderLinks(markdown: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what marks a link for a terminal
  return renderMarkdown(markdown, LINKS).replace(/\x1b\]8;;([^\x07\x1b]+)\x1b\\(.*?)\x1b\]8;;\x1b\\/g, "⟦$1|$2⟧");
}

test.for([
  ["that shows its address is a link", "<https://a.test/x>", "⟦https://a.test/x|https://a.test/x⟧"],
  ["without a scheme too", "www.a.test", "⟦http://www.a.test/|www.a.test⟧"],
  ["with a text of its own shows its host", "[the docs](https://a.test/x)", "⟦https://a.test/x|the docs (a.test)⟧"],
  ["cannot pretend", "[https://bank.test](https://evil.test)", "⟦https://evil.test/|https://bank.test (evil.test)⟧"],
  [
    "cannot hide its host behind a name",
    "<https://bank.test@evil.test/>",
    "⟦https://bank.test@evil.test/|https://bank.test@evil.test/ (evil.test)⟧",
  ],
  [
    "in letters that look alike shows which",
    "<https://аpple.com/>",
    "⟦https://xn--pple-43d.com/|https://аpple.com/ (xn--pple-43d.com)⟧",
  ],
  ["to somebody's mail shows the address", "[ann](mailto:ann@a.test)", "⟦mailto:ann@a.test|ann (ann@a.test)⟧"],
  [
    "that runs something is text",
    "[x](javascript:alert) [y](file:///etc) [z](data:a)",
    "x (javascript:alert) y (file:///etc) z (data:a)",
  ],
  ["is encoded", '[x](<https://a.test/é b?q=">)', "⟦https://a.test/%C3%A9%20b?q=%22|x (a.test)⟧"],
] as const)("a link %s", ([, markdown, expected]) => {
  expect(renderLinks(markdown)).toBe(expected);
});

test("if a terminal does not open links, their addresses are written out", () => {
  expect(renderMarkdown("[docs](https://a.test/x) https://a.test", LOOK)).toBe(
    "docs (https://a.test/x) https://a.test",
  );
});

test("U17 no sequence in a link's address reaches the terminal", () => {
  const output = renderMarkdown("[x](<https://a.test/\u001b]8;;https://evil.test\u0007\u009b31m>)", LINKS);
  expect(output.split("\u001b").length).toBe(5);
  expect([output.includes("\u0007"), output.includes("\u009b")]).toEqual([false, false]);
});

test("the columns of a table adapt to the width; no word is broken or omitted", () => {
  const table = "|Key|Summary|Who|\n|-|-|-|\n|KAY-1|Login loops on SSO when the cookie is old|Ann|\n|KAY-2|會議|Bob|";
  expect(renderMarkdown(table, { ...LOOK, width: 80 })).toBe(`KEY    SUMMARY                                    WHO
KAY-1  Login loops on SSO when the cookie is old  Ann
KAY-2  會議                                       Bob`);
  expect(renderMarkdown(table, LOOK)).toBe(`KEY    SUMMARY                       WHO
KAY-1  Login loops on SSO when the   Ann
       cookie is old
KAY-2  會議                          Bob`);
  expect(renderMarkdown(table, { ...LOOK, width: 18 })).toBe(`KAY-1
  SUMMARY  Login
           loops on
           SSO when
           the cookie
           is old
  WHO      Ann
KAY-2
  SUMMARY  會議
  WHO      Bob`);
});

test("<br> breaks a line, in cells of tables too; other HTML stays text", () => {
  expect(renderMarkdown("|Key|Steps|\n|-|-|\n|KAY-1|open it<br>read<br/>close|", LOOK)).toBe(`KEY    STEPS
KAY-1  open it
       read
       close`);
  expect(renderMarkdown("one<br>two<BR />\nthree <b>four</b>", LOOK)).toBe("one\ntwo\nthree <b>four</b>");
});

test("a table of more than 30 rows keeps the columns of the first 30, without losing a word", () => {
  const rows = Array.from({ length: 40 }, (_, index) => `|KAY-${index + 1}|${"long ".repeat(index)}|`);
  const output = renderMarkdown(["|Key|Text|", "|-|-|", ...rows].join("\n"), LOOK);
  expect(output.match(/^KAY-\d+/gm)?.length).toBe(40);
  expect(output.match(/long/g)?.length).toBe((39 * 40) / 2);
  expect(Math.max(...output.split("\n").map((line) => line.length))).toBeLessThanOrEqual(40);
});

test("lists are nested and have checkboxes, and strike-through is marked", () => {
  const list = "- [x] done\n- [ ] open\n  1. one\n     - deep\n  2. two ~~three~~\n\n3. third\n4. fourth";
  expect(renderMarkdown(list, LOOK)).toBe(
    "- [x] done\n- [ ] open\n  1. one\n     - deep\n  2. two ~~three~~\n\n3. third\n4. fourth",
  );
});

test.each([
  ["2*3*4 = 24, edit __init__.py and a_b_c", "2*3*4 = 24, edit __init__.py and a_b_c"],
  ["src/*.ts and lib/*.ts, **bold** _x_", "src/*.ts and lib/*.ts, bold x"],
  ["这是**重点**内容", "这是重点内容"],
])("marks inside words and paths stay text: %s", (source, text) => {
  expect(renderMarkdown(source, LOOK).trim()).toBe(text);
});

test("a long word or URL stays whole; scripts without spaces break anywhere", () => {
  const url = `https://a.test/${"x".repeat(60)}`;
  expect(renderMarkdown(`See ${url} now.\n\n- ${"會議".repeat(12)}`, LOOK)).toBe(
    `See\n${url}\nnow.\n\n- ${"會議".repeat(9)}會\n  ${"議會".repeat(2)}議`,
  );
});

test("code has colors if the language is known, line by line as in the whole", async () => {
  await loadHighlighting();
  const look = {
    width: 80,
    paint: (style: Parameters<typeof styleText>[0], text: string) => styleText(style, text, { validateStream: false }),
  };
  const paint = look.paint;
  const lines = Array.from({ length: 12 }, () => "let a = 1;");
  const code = ["```js", ...lines, "/* one", "let", "*/ let b;", "```", "", "```unknown", "let a;", "```"].join("\n");
  const expected = `    ${paint("magenta", "let")} a = 1;`;
  expect(renderMarkdown(code, look).split("\n")).toEqual([
    ...lines.map(() => expected),
    `    ${paint("dim", "/* one")}`,
    `    ${paint("dim", "let")}`,
    `    ${paint("dim", "*/")} ${paint("magenta", "let")} b;`,
    "",
    "    let a;",
  ]);
  expect(renderMarkdown("```js\nlet a = 1;\n```", LOOK)).toBe("    let a = 1;");
});

test("a very long line is a paragraph in parts, without loss", () => {
  const text = Array.from({ length: 3_000 }, (_, index) => `word${index}${index % 10 === 9 ? "." : ""}`).join(" ");
  expect(renderMarkdown(text, LOOK).split(/\s+/)).toEqual(text.split(" "));
  const blob = "x".repeat(10_000);
  expect(renderMarkdown(blob, LOOK)).toBe(blob);
});

test("a very long item is an item in parts, including its code", () => {
  const lines = Array.from({ length: 600 }, (_, index) => `line ${index} of it`);
  const item = ["7. first", "", "   ```", ...lines.map((line) => `   ${line}`), "   ```", "8. second"].join("\n");
  expect(renderMarkdown(item, LOOK)).toBe(
    ["7. first", ...lines.map((line) => `       ${line}`), "8. second"].join("\n"),
  );
});

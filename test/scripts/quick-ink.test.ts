import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Lexer as MarkedLexer } from "marked";
import stringWidth from "string-width";
import { expect, test } from "vitest";
import { applyChanges, CHANGES } from "../../scripts/quick-ink.ts";

const modules = fileURLToPath(new URL("../../node_modules/", import.meta.url));
const files = [
  "ink/build/line-update.js",
  "@alcalzone/ansi-tokenize/build/tokenize.js",
  "slice-ansi/tokenize-ansi.js",
  "wrap-ansi/index.js",
  "string-width/index.js",
  "yoga-layout/dist/binaries/yoga-wasm-base64-esm.js",
  "marked/lib/marked.esm.js",
];

test("every change of the build fits the installed package", () => {
  const paths = files.map((file) => modules + file);
  expect(CHANGES.filter(({ file }) => !paths.some((path) => file.test(path)))).toEqual([]);
  for (const path of paths) expect(applyChanges(path)).not.toBe("");
});

test("a changed package fails the build", () => {
  expect(() => applyChanges(`${modules}wrap-ansi/index.js`, "const segmenter = 1;")).toThrow(/does not fit/);
});

test("the fast width of a text is its width", async () => {
  const { default: quick } = await importBundled("string-width/index.js");
  const texts = [
    "",
    "abc",
    "─── ● jira · ✓",
    "\x1b[2m──\x1b[22m",
    "é",
    "e\u0301",
    "👍🏽",
    "漢字",
    "한글",
    "a\u00adb",
    "⠋ x",
    "\x1b[31mé👍\x1b[39m",
  ];
  for (const options of [undefined, { countAnsiEscapeCodes: true }, { ambiguousIsNarrow: false }])
    expect(texts.map((text) => quick(text, options))).toEqual(texts.map((text) => stringWidth(text, options)));
});

test("text without emoji never loads emoji data, however its width is requested", () => {
  const quick = applyChanges(`${modules}string-width/index.js`).replaceAll(/^import .*$/gm, "");
  const create =
    new Function(`${quick.replace("export default ", "").replace("function make() {", "function make() { throw new Error('made'); ")}
    return [stringWidth("abc — ●"), stringWidth("\x1b[1mabc\x1b[22m"), stringWidth("done.", { countAnsiEscapeCodes: true })];`);
  expect(create()).toEqual([7, 3, 5]);
});

test("Yoga lays out after its bytes were read without a request", async () => {
  const { default: load } = await importBundled("yoga-layout/dist/binaries/yoga-wasm-base64-esm.js");
  expect(await load()).toHaveProperty("Config");
});

test("Markdown is parsed as by the package, and its patterns wait for the first text", async () => {
  const { Lexer, lexer } = await importBundled("marked/lib/marked.esm.js");
  const text = "# A *title*\n\n- [x] done\n- `code`\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n> quote https://example.com";
  expect(Lexer.lex(text)).toEqual(MarkedLexer.lex(text));
  expect(lexer(text)).toEqual(MarkedLexer.lex(text));
  expect(Lexer.lexInline("**a** _b_")).toEqual(MarkedLexer.lexInline("**a** _b_"));
  const [beforeFirstText = ""] = applyChanges(`${modules}marked/lib/marked.esm.js`).split("function make() {");
  expect(beforeFirstText).not.toContain("RegExp");
});

/** The module as it is bundled. */
function importBundled(file: string) {
  const { resolve } = createRequire(modules + file);
  const text = applyChanges(modules + file).replaceAll(
    /(?<=from ')[^'.]+(?=')/g,
    (name) => pathToFileURL(resolve(name)).href,
  );
  return import(/* @vite-ignore */ `data:text/javascript;base64,${Buffer.from(text).toString("base64")}`);
}

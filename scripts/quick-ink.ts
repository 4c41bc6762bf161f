import { readFileSync } from "node:fs";
import type { Options } from "tsup";

type EsbuildPlugin = NonNullable<Options["esbuildPlugins"]>[number];

/** One change in a package's file: a text that occurs once, and its replacement. */
type Change = { file: RegExp; from: string | RegExp; to: string };

/** Characters that are one cell wide everywhere: ASCII, Latin, Greek, Cyrillic, and those that kay draws with. */
const NARROW =
  "\\x20-\\x7e\\xa1-\\xac\\xae-\\u02ff\\u0370-\\u0482\\u048a-\\u0587\\u2010-\\u2015\\u2018-\\u201f\\u2022\\u2026\\u203a\\u2190-\\u2193\\u2500-\\u259f\\u25cb\\u25cf\\u2713\\u2717\\u2800-\\u28ff";

const MARKED = /node_modules\/marked\/lib\/marked\.esm\.js$/;

/**
 * Work that packages do when they are loaded, but need only sometimes: a segmenter of graphemes (15 ms), the properties of
 * all emoji (20 ms and more), a `fetch` of a data URL for Yoga, which loads Node's own HTTP client (60 ms), and the
 * patterns of Markdown (5 ms).
 */
export const CHANGES: Change[] = [
  ...[
    "ink/build/line-update",
    "@alcalzone/ansi-tokenize/build/tokenize",
    "slice-ansi/tokenize-ansi",
    "wrap-ansi/index",
  ].map(
    (name): Change => ({
      file: new RegExp(`node_modules/${name}\\.js$`),
      from: /const (\w+) = new Intl\.Segmenter\((.*?)\);/,
      to: `let $1Made; const $1 = { segment: (text) => (/[^${NARROW}\\x1b]/.test(text) ? ($1Made ??= new Intl.Segmenter($2)).segment(text) : Array.from(text, (segment, index) => ({ segment, index }))) };`,
    }),
  ),
  // All of this waits for the first text that is not simple. wrap-ansi strips sequences itself and counts them.
  {
    file: /node_modules\/string-width\/index\.js$/,
    from: /const segmenter = ([\s\S]*)export default function stringWidth/,
    to: `let made;
export default function stringWidth(input, options) {
  const escapesCount = options?.countAnsiEscapeCodes === true;
  if (typeof input === "string" && (options === undefined || (escapesCount && options.ambiguousIsNarrow !== false))) {
    const plain = !escapesCount && input.includes("\\x1b") ? input.replace(/\\x1b\\[[\\d;]*m/g, "") : input;
    if (!/[^${NARROW}]/.test(plain)) return plain.length;
  }
  return (made ??= make())(input, options);
}
function make() {
const segmenter = $1return function stringWidth`,
  },
  { file: /node_modules\/string-width\/index\.js$/, from: /$/, to: "}" },
  {
    file: /node_modules\/yoga-layout\/dist\/binaries\/yoga-wasm-base64-esm\.js$/,
    from: '"function"!=typeof fetch?Promise.resolve()',
    to: "true?Promise.resolve()",
  },
  {
    file: /node_modules\/yoga-layout\/dist\/binaries\/yoga-wasm-base64-esm\.js$/,
    from: "var b=xa(a.slice(37)),c=new Uint8Array(b.length);for(a=0;a<b.length;++a)c[a]=b.charCodeAt(a);var d=c",
    to: 'var d=Buffer.from(a.slice(37),"base64")',
  },
  // Markdown's patterns are compiled with the first Markdown, after the session's first frame.
  {
    file: MARKED,
    from: /^/,
    to: `let made;
export const Lexer = { lex: (...input) => (made ??= make()).lex(...input), lexInline: (...input) => (made ??= make()).lexInline(...input) };
export const lexer = Lexer.lex;
function make() {
`,
  },
  { file: MARKED, from: /export\s*\{.*?(\w+) as Lexer\b.*?\};?/, to: "return $1; }" },
];

/** Applies {@link CHANGES}, and gives all packages one `string-width`, kay's own: Ink's have another one each. */
export const quickInk: EsbuildPlugin = {
  name: "quick-ink",
  setup(build) {
    build.onResolve({ filter: /^string-width$/ }, ({ kind, resolveDir, pluginData }) =>
      pluginData === "quick-ink" || resolveDir === process.cwd()
        ? undefined
        : build.resolve("string-width", { kind, resolveDir: process.cwd(), pluginData: "quick-ink" }),
    );
    // Ink unmounts its elements at the end of the process, in 10 ms; kay restores its terminal itself.
    build.onResolve({ filter: /^signal-exit$/ }, ({ importer }) =>
      /node_modules\/(ink|restore-cursor)\//.test(importer)
        ? { path: "signal-exit", namespace: "quick-ink" }
        : undefined,
    );
    build.onLoad({ filter: /./, namespace: "quick-ink" }, () => ({ contents: "export default () => () => {};" }));
    const files = CHANGES.map(({ file }) => file.source).join("|");
    build.onLoad({ filter: new RegExp(files) }, ({ path }) => ({ contents: applyChanges(path), loader: "js" }));
  },
};

/** Returns the file as bundled. @throws Error if it differs from the one that this was written for */
export function applyChanges(path: string, original = readFileSync(path, "utf8")): string {
  let text = original;
  for (const { file, from, to } of CHANGES.filter(({ file }) => file.test(path.replaceAll("\\", "/")))) {
    const before = text;
    text = typeof from === "string" ? text.replace(from, () => to) : text.replace(from, to);
    if (text === before)
      throw new Error(`scripts/quick-ink.ts does not fit ${path} (${file}): look what became of it.`);
  }
  return text;
}

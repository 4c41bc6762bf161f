import type { Look, Style } from "../style.ts";
import type { Highlighter } from "./grammars.ts";
import { unescapeHtml } from "./inline.ts";

/** Earlier lines that the colors of the next line depend on: those of an open comment or string. */
export type CodeContext = readonly string[];

/** Maximum number of context lines. Longer comments and strings count as closed. */
const MAX_CONTEXT_LINES = 40;

/** Maximum length of a highlighted line. Longer ones are data or minified, and some grammars scan them repeatedly. */
const MAX_LINE_LENGTH = 1_000;

/** Maximum number of lines per call, because some grammars take quadratic time. */
const MAX_LINES = 200;

let loaded: Highlighter | null = null;
let loading: Promise<void> | null = null;

/** Loads the highlighter. Code is shown plain until then. */
export function loadHighlighting(): Promise<void> {
  loading ??= import("./grammars.ts").then(
    ({ highlighter }) => {
      loaded = highlighter;
    },
    // If the highlighter cannot be loaded, code stays plain.
    () => {},
  );
  return loading;
}

/** Loads the highlighter if one of the texts has code in a named language. */
export async function loadHighlightingFor(texts: string[]): Promise<void> {
  if (texts.some((text) => /^ *(?:```|~~~)\w/m.test(text))) await loadHighlighting();
}

/**
 * Loads the highlighter for a part of a stream, so that its first block of code has colors. Marks may be split over
 * parts.
 */
export async function loadHighlightingForPart(part: { type: string; delta?: unknown }): Promise<void> {
  if (part.type === "text-delta" && /[`~]/.test(String(part.delta))) await loadHighlighting();
}

/** Colors lines of code if the language is known, and returns the context for the next line. */
export function highlightLines(
  lines: string[],
  language: string,
  context: CodeContext,
  look: Look,
): { lines: string[]; context: CodeContext } {
  const isPainted = language !== "" && look.paint("dim", "x") !== "x";
  if (isPainted && !loaded) void loadHighlighting();
  const isLong = lines.some((line) => line.length > MAX_LINE_LENGTH);
  if (!isPainted || isLong || !loaded?.getLanguage(language)) return { lines, context: [] };
  const visible: string[] = [];
  let open = context;
  for (let position = 0; position < lines.length; position += MAX_LINES) {
    const part = highlightPart(loaded, lines.slice(position, position + MAX_LINES), language, open, look);
    visible.push(...part.lines);
    open = part.context;
  }
  return { lines: visible, context: open };
}

function highlightPart(
  highlighter: Highlighter,
  lines: string[],
  language: string,
  context: CodeContext,
  look: Look,
): { lines: string[]; context: CodeContext } {
  const { value, _top: top } = highlighter.highlight([...context, ...lines].join("\n"), {
    language,
    ignoreIllegals: true,
  });
  const isOpen = top !== undefined && "parent" in top && top.parent !== undefined;
  const read = [...context, ...lines];
  return {
    lines: paintHtml(value, look).slice(context.length),
    context: isOpen && read.length <= MAX_CONTEXT_LINES ? read : [],
  };
}

/** Converts the HTML of highlight.js to styles. A token may span several lines. */
function paintHtml(html: string, { paint }: Look): string[] {
  const lines = [""];
  const open: (Style | null)[] = [];
  for (const [token, scope] of html.matchAll(/<span class="hljs-([\w-]+)[^>]*>|<\/span>|[^<]+/g)) {
    if (scope !== undefined) open.push(STYLES[scope] ?? null);
    else if (token === "</span>") open.pop();
    else {
      const style = open.findLast((style) => style !== null);
      for (const [index, piece] of unescapeHtml(token).split("\n").entries()) {
        if (index > 0) lines.push("");
        lines[lines.length - 1] += style && piece.trim() !== "" ? paint(style, piece) : piece;
      }
    }
  }
  return lines;
}

const STYLES: Record<string, Style> = {
  keyword: "magenta",
  built_in: "magenta",
  type: "magenta",
  tag: "magenta",
  name: "magenta",
  "selector-tag": "magenta",
  string: "green",
  regexp: "green",
  addition: "green",
  deletion: "red",
  comment: "dim",
  meta: "dim",
  title: "bold",
  section: "bold",
};

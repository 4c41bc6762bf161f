import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import type { Look, Style } from "../style.ts";

/** What kay uses of highlight.js. */
export type Highlighter = {
  registerLanguage(name: string, grammar: unknown): void;
  getLanguage(name: string): object | undefined;
  /** @returns HTML with a `span` for what has a meaning, and the mode that the code ends in: one with a `parent` is not over */
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { value: string; _top?: object };
};

// Its own types bring those of a browser with them, for all of kay: so they are not looked up.
const { default: core } = (await import("highlight.js/lib/core" as string)) as { default: Highlighter };

const grammars = { bash, css, diff, go, ini, java, javascript, json, python, rust, sql, typescript, xml, yaml };
for (const [name, grammar] of Object.entries(grammars)) core.registerLanguage(name, grammar);

/** highlight.js with the languages that answers are likely to hold; loaded late, since it costs about 50 ms. */
export const highlighter = core;

/** Lines before a line that its colours depend on: those of a comment or text that is still open. */
export type CodeContext = readonly string[];

/** So many lines are read again to know in what a line stands; after that it is taken to stand in nothing. */
const LONGEST_CONTEXT = 40;

let loaded: Highlighter | null = null;
let loading: Promise<void> | null = null;

/** Load what colours code. Until then code is shown plain. */
export function loadHighlighting(): Promise<void> {
  loading ??= import("./highlight.ts").then(
    ({ highlighter }) => {
      loaded = highlighter;
    },
    // Code without colours is still the code.
    () => {},
  );
  return loading;
}

/** Lines of code with colours where they are wanted and the language is known, and what the line after them stands in. */
export function highlightLines(
  lines: string[],
  language: string,
  context: CodeContext,
  look: Look,
): { lines: string[]; context: CodeContext } {
  const isPainted = language !== "" && look.paint("dim", "x") !== "x";
  if (isPainted && !loaded) void loadHighlighting();
  if (!isPainted || !loaded?.getLanguage(language)) return { lines, context: [] };
  const { value, _top: top } = loaded.highlight([...context, ...lines].join("\n"), { language, ignoreIllegals: true });
  const isOpen = top !== undefined && "parent" in top && top.parent !== undefined;
  const read = [...context, ...lines];
  return {
    lines: paint(value, look).slice(context.length),
    context: isOpen && read.length <= LONGEST_CONTEXT ? read : [],
  };
}

/** highlight.js says in HTML what each piece is. A piece may go over several lines. */
function paint(html: string, { paint }: Look): string[] {
  const lines = [""];
  const open: (Style | null)[] = [];
  for (const [token, scope] of html.matchAll(/<span class="hljs-([\w-]+)[^>]*>|<\/span>|[^<]+/g)) {
    if (scope !== undefined) open.push(STYLES[scope] ?? null);
    else if (token === "</span>") open.pop();
    else {
      const style = open.findLast((each) => each !== null);
      for (const [index, piece] of unescapeHtml(token).split("\n").entries()) {
        if (index > 0) lines.push("");
        lines[lines.length - 1] += style && piece.trim() !== "" ? paint(style, piece) : piece;
      }
    }
  }
  return lines;
}

function unescapeHtml(text: string): string {
  const entities: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'" };
  return text.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => entities[entity] ?? entity);
}

const STYLES: Record<string, Style> = {
  keyword: "cyan",
  built_in: "cyan",
  type: "cyan",
  tag: "cyan",
  name: "cyan",
  "selector-tag": "cyan",
  literal: "yellow",
  number: "yellow",
  string: "green",
  regexp: "green",
  addition: "green",
  deletion: "red",
  comment: "dim",
  meta: "dim",
  title: "bold",
  section: "bold",
};

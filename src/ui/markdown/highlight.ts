import type { Look, Style } from "../style.ts";
import type { Highlighter } from "./grammars.ts";

/** Lines before a line that its colours depend on: those of a comment or text that is still open. */
export type CodeContext = readonly string[];

/** So many lines are read again to know in what a line stands; after that it is taken to stand in nothing. */
const LONGEST_CONTEXT = 40;

let loaded: Highlighter | null = null;
let loading: Promise<void> | null = null;

/** Load what colours code. Until then code is shown plain. */
export function loadHighlighting(): Promise<void> {
  loading ??= import("./grammars.ts").then(
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

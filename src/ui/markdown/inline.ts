import type { Token } from "marked";
import { isMarkInWord } from "#protocol/markdown";
import type { Look } from "../style.ts";
import { renderLink } from "./link.ts";

type Inline = { text?: string; raw?: string; tokens?: Token[] };

/** Renders text with emphasis, without marks that have no meaning on a terminal. */
export function renderInline(token: Inline, look: Look): string {
  if (!token.tokens) return unescapeHtml(token.text ?? token.raw ?? "");
  return token.tokens
    .map((part, index, all) => {
      if (isMarkInWord(part, all[index - 1]?.raw ?? "", all[index + 1]?.raw ?? "")) return unescapeHtml(part.raw);
      return isBreak(all[index - 1]) ? renderSpan(part, look).replace(/^\n/, "") : renderSpan(part, look);
    })
    .join("");
}

/**
 * Whether this is `<br>`, which models use to break lines in table cells. At the end of a line it adds no second break.
 */
function isBreak(token: Token | undefined): boolean {
  return token?.type === "html" && /^<br\s*\/?>$/i.test(token.raw);
}

/** Formats the box of a task item. */
export function formatCheckbox(isChecked: boolean): string {
  return isChecked ? "[x] " : "[ ] ";
}

function renderSpan(token: Token, look: Look): string {
  switch (token.type) {
    case "strong":
      return look.paint("bold", renderInline(token, look));
    case "em":
      return look.paint("italic", renderInline(token, look));
    case "del":
      return strikeThrough(renderInline(token, look), look);
    case "codespan":
      return look.paint("magenta", unescapeHtml(token.text));
    case "br":
      return "\n";
    case "html":
      return isBreak(token) ? "\n" : renderInline(token, look);
    case "checkbox":
      return formatCheckbox(token.checked);
    case "link":
    case "image": {
      const words = renderInline(token, { ...look, links: false, paint: (_, text) => text });
      return renderLink(renderInline(token, { ...look, links: false }), words, token.href, look);
    }
    default:
      return renderInline(token, look);
  }
}

/** Strikes text through; without styles it keeps its marks, because its meaning would be lost. */
function strikeThrough(text: string, { paint }: Look): string {
  const struck = paint("strikethrough", text);
  return struck === text ? `~~${text}~~` : struck;
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", "#x27": "'" };

/** Reverts the HTML escaping of `marked` and highlight.js, which terminals do not need. */
export function unescapeHtml(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39|#x27);/g, (entity, name) => ENTITIES[name] ?? entity);
}

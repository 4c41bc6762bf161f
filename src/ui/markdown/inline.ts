import type { Token } from "marked";
import type { Look } from "../style.ts";
import { renderLink } from "./link.ts";

type Inline = { text?: string; raw?: string; tokens?: Token[] };

/** Text with its emphasis; marks that mean nothing on a terminal are left out. */
export function renderInline(token: Inline, look: Look): string {
  if (!token.tokens) return formatPlain(token.text ?? token.raw ?? "");
  return token.tokens.map((part) => span(part, look)).join("");
}

/** The box of a task. */
export function formatCheckbox(isChecked: boolean): string {
  return isChecked ? "[x] " : "[ ] ";
}

function span(token: Token, look: Look): string {
  switch (token.type) {
    case "strong":
      return look.paint("bold", renderInline(token, look));
    case "em":
      return look.paint("dim", renderInline(token, look));
    case "del":
      return look.paint("dim", `~~${renderInline(token, look)}~~`);
    case "codespan":
      return look.paint("cyan", formatPlain(token.text));
    case "br":
      return "\n";
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

/** marked escapes for HTML what a terminal shows as it is. */
function formatPlain(text: string): string {
  const entities: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity);
}

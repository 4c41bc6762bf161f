import type { Piece } from "#connectors/notion/title";

/** Pieces of text as inline Markdown. */
export function toInlineMarkdown(pieces: Piece[]): string {
  return pieces.map(piece).join("");
}

/** Marks stand at the words, not at the spaces around them, or they would not be read as marks. */
function piece({ plain_text, annotations, href }: Piece): string {
  const text = plain_text ?? "";
  const [, before = "", words = "", after = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
  if (words === "") return text;
  let marked = annotations?.code ? code(words) : words;
  if (annotations?.bold) marked = `**${marked}**`;
  if (annotations?.italic) marked = `*${marked}*`;
  if (annotations?.strikethrough) marked = `~~${marked}~~`;
  if (href && /^(https?:|mailto:)/i.test(href)) marked = `[${marked}](${href.replaceAll(")", "%29")})`;
  return `${before}${marked}${after}`;
}

function code(text: string): string {
  const fence = text.includes("`") ? "``" : "`";
  return `${fence}${text}${fence}`;
}

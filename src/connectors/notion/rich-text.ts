import type { Token, Tokens } from "marked";

/** A piece of text as Notion expects it. Source: https://developers.notion.com/reference/rich-text */
export type RichText = { type: "text"; text: { content: string; link?: { url: string } }; annotations?: Look };

/** Formatting of a piece. Missing fields are false. */
type Look = { bold?: true; italic?: true; strikethrough?: true; code?: true };

/**
 * Longest content of a piece in UTF-16 units, and longest URL. Source:
 * https://developers.notion.com/reference/request-limits
 */
const LONGEST = 2_000;

/**
 * Splits text into pieces that Notion accepts. A piece never ends inside a surrogate pair, so the joined pieces equal
 * the text.
 */
export function toPlainText(text: string, look: Look = {}, url?: string): RichText[] {
  return cut(text.toWellFormed()).map((content) => ({
    type: "text",
    text: { content, ...(url === undefined ? {} : { link: { url } }) },
    ...(Object.keys(look).length > 0 ? { annotations: look } : {}),
  }));
}

/**
 * Converts inline Markdown to pieces that Notion accepts. Adjacent text with the same formatting is merged if it fits.
 */
export function toRichText(tokens: Token[]): RichText[] {
  const runs: Run[] = [];
  for (const run of getRuns(tokens, {}, undefined)) {
    const last = runs.at(-1);
    if (last && last.url === run.url && JSON.stringify(last.look) === JSON.stringify(run.look)) last.text += run.text;
    else runs.push({ ...run });
  }
  return runs.flatMap(({ text, look, url }) => toPlainText(text, look, url));
}

type Run = { text: string; look: Look; url: string | undefined };

function getRuns(tokens: Token[], look: Look, url: string | undefined): Run[] {
  return tokens.flatMap((token) => getRun(token, look, url));
}

function getRun(token: Token, look: Look, url: string | undefined): Run[] {
  const literal = (text: string, more: Look = {}): Run[] => [{ text, look: { ...look, ...more }, url }];
  switch (token.type) {
    case "strong":
      return getRuns(inner(token), { ...look, bold: true }, url);
    case "em":
      return getRuns(inner(token), { ...look, italic: true }, url);
    case "del":
      return getRuns(inner(token), { ...look, strikethrough: true }, url);
    case "codespan":
      return literal(token.text, { code: true });
    case "link":
    case "image":
      return linkRuns(token as Tokens.Link, look, url);
    case "br":
      return literal("\n");
    case "escape":
      return literal(token.text);
    case "text":
      return "tokens" in token && token.tokens ? getRuns(token.tokens, look, url) : literal(token.text);
    default:
      return literal(token.raw);
  }
}

/** Converts a link. A URL that Notion would reject stays visible as text. */
function linkRuns(token: Tokens.Link, look: Look, outer: string | undefined): Run[] {
  if (!isAddress(token.href)) return [{ text: token.raw, look, url: outer }];
  const runs = getRuns(inner(token), look, token.href);
  return runs.length > 0 ? runs : [{ text: token.text || token.href, look, url: token.href }];
}

/** Returns whether Notion accepts a URL as a link. */
function isAddress(href: string): boolean {
  return /^(https?:\/\/|mailto:)/i.test(href) && URL.canParse(href) && href.length <= LONGEST;
}

function cut(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const last = text.charCodeAt(start + LONGEST - 1);
    const whole = start + LONGEST >= text.length || last < 0xd800 || last > 0xdbff;
    const end = start + LONGEST - (whole ? 0 : 1);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

function inner(token: Token): Token[] {
  return ("tokens" in token && token.tokens) || [];
}

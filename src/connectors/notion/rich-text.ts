import type { Token, Tokens } from "marked";
import { getInnerTokens } from "../markup/lex.ts";

/** A piece of text as Notion expects it. Source: https://developers.notion.com/reference/rich-text */
export type RichText = { type: "text"; text: { content: string; link?: { url: string } }; annotations?: TextStyle };

/** Formatting of a piece. Missing fields are false. */
type TextStyle = { bold?: true; italic?: true; strikethrough?: true; code?: true };

/**
 * Longest content of a piece in UTF-16 units, and longest URL. Source:
 * https://developers.notion.com/reference/request-limits
 */
const MAX_CONTENT_LENGTH = 2_000;

/**
 * Splits text into pieces that Notion accepts. A piece never ends inside a surrogate pair, so the joined pieces equal
 * the text.
 */
export function toPlainText(text: string, style: TextStyle = {}, url?: string): RichText[] {
  return splitText(text.toWellFormed()).map((content) => ({
    type: "text",
    text: { content, ...(url === undefined ? {} : { link: { url } }) },
    ...(Object.keys(style).length > 0 ? { annotations: style } : {}),
  }));
}

/**
 * Converts inline Markdown to pieces that Notion accepts. Adjacent text with the same formatting is merged if it fits.
 */
export function toRichText(tokens: Token[]): RichText[] {
  const runs: Run[] = [];
  for (const run of getRuns(tokens, {}, undefined)) {
    const last = runs.at(-1);
    if (last && last.url === run.url && JSON.stringify(last.style) === JSON.stringify(run.style)) last.text += run.text;
    else runs.push({ ...run });
  }
  return runs.flatMap(({ text, style, url }) => toPlainText(text, style, url));
}

type Run = { text: string; style: TextStyle; url: string | undefined };

function getRuns(tokens: Token[], style: TextStyle, url: string | undefined): Run[] {
  return tokens.flatMap((token) => getRun(token, style, url));
}

function getRun(token: Token, style: TextStyle, url: string | undefined): Run[] {
  const createRun = (text: string, extraStyle: TextStyle = {}): Run[] => [
    { text, style: { ...style, ...extraStyle }, url },
  ];
  switch (token.type) {
    case "strong":
      return getRuns(getInnerTokens(token), { ...style, bold: true }, url);
    case "em":
      return getRuns(getInnerTokens(token), { ...style, italic: true }, url);
    case "del":
      return getRuns(getInnerTokens(token), { ...style, strikethrough: true }, url);
    case "codespan":
      return createRun(token.text, { code: true });
    case "link":
    case "image":
      return toLinkRuns(token as Tokens.Link, style, url);
    case "br":
      return createRun("\n");
    case "escape":
      return createRun(token.text);
    case "text":
      return "tokens" in token && token.tokens ? getRuns(token.tokens, style, url) : createRun(token.text);
    default:
      return createRun(token.raw);
  }
}

/** Converts a link. A URL that Notion would reject stays visible as text. */
function toLinkRuns(token: Tokens.Link, style: TextStyle, outerUrl: string | undefined): Run[] {
  if (!isAddress(token.href)) return [{ text: token.raw, style: style, url: outerUrl }];
  const runs = getRuns(getInnerTokens(token), style, token.href);
  return runs.length > 0 ? runs : [{ text: token.text || token.href, style: style, url: token.href }];
}

/** Returns whether Notion accepts a URL as a link. */
function isAddress(href: string): boolean {
  return /^(https?:\/\/|mailto:)/i.test(href) && URL.canParse(href) && href.length <= MAX_CONTENT_LENGTH;
}

function splitText(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const last = text.charCodeAt(start + MAX_CONTENT_LENGTH - 1);
    const isWhole = start + MAX_CONTENT_LENGTH >= text.length || last < 0xd800 || last > 0xdbff;
    const end = start + MAX_CONTENT_LENGTH - (isWhole ? 0 : 1);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

import type { Token, Tokens } from "marked";
import { hasExtraCells } from "#protocol/markdown";
import { lexMarkdown } from "../markup/lex.ts";
import { type RichText, toPlainText, toRichText } from "./rich-text.ts";

/** A block to write: its type, the value under that name, and its children. */
export type BlockDraft = { type: string; value: Record<string, unknown>; children: BlockDraft[] };

/** Maximum number of text pieces per block. Notion accepts 100; fewer keep a block well below the request limit. */
const MAX_PIECES = 50;

/** Converts text or Markdown to blocks. Source: https://developers.notion.com/reference/block */
export function parseBlocks(markdown: string): BlockDraft[] {
  try {
    return toBlocks(lexMarkdown(markdown));
  } catch (error) {
    // Markdown that is nested too deeply is converted to plain paragraphs.
    if (!(error instanceof RangeError)) throw error;
    return markdown.split(/\n\s*\n/).flatMap((part) => toTextBlocks("paragraph", toPlainText(part.trim())));
  }
}

/** Counts blocks, including nested ones. */
export function countBlocks(drafts: BlockDraft[]): number {
  return drafts.reduce((sum, { children }) => sum + 1 + countBlocks(children), 0);
}

function toBlocks(tokens: Token[]): BlockDraft[] {
  return tokens.flatMap(toBlock);
}

function toBlock(token: Token): BlockDraft[] {
  switch (token.type) {
    case "space":
      return [];
    case "heading":
      return toTextBlocks(`heading_${Math.min(3, token.depth)}`, toRichText(token.tokens ?? []));
    case "code":
      return toTextBlocks("code", toPlainText(token.text), { language: toNotionLanguage(token.lang) });
    case "blockquote":
      return toQuoteBlocks(token as Tokens.Blockquote);
    case "list":
      return toListBlocks(token as Tokens.List);
    case "table":
      if (hasExtraCells(token as Tokens.Table)) return toTextBlocks("paragraph", toPlainText(token.raw.trim()));
      return [toTableBlock(token as Tokens.Table)];
    case "hr":
      return [{ type: "divider", value: {}, children: [] }];
    case "paragraph":
      return toParagraphs(token.tokens ?? []);
    case "text":
      return toTextBlocks("paragraph", toRichText(token.tokens ?? [token]));
    default:
      return toTextBlocks("paragraph", toPlainText(token.raw.trim()));
  }
}

/** Converts a paragraph. An image alone in its paragraph becomes an image block; within text it becomes a link. */
function toParagraphs(tokens: Token[]): BlockDraft[] {
  const [first, ...more] = tokens;
  if (first?.type === "image" && more.length === 0 && /^https?:/i.test(first.href) && URL.canParse(first.href)) {
    const caption = toPlainText(first.text).slice(0, MAX_PIECES);
    return [{ type: "image", value: { type: "external", external: { url: first.href }, caption }, children: [] }];
  }
  return toTextBlocks("paragraph", toRichText(tokens));
}

/** Converts text to one block, or to several if it exceeds one. Children go to the last block. */
function toTextBlocks(
  type: string,
  pieces: RichText[],
  more: Record<string, unknown> = {},
  children: BlockDraft[] = [],
): BlockDraft[] {
  if (pieces.length === 0 && type === "paragraph") return [];
  const drafts: BlockDraft[] = [];
  for (let start = 0; start === 0 || start < pieces.length; start += MAX_PIECES) {
    drafts.push({ type, value: { rich_text: pieces.slice(start, start + MAX_PIECES), ...more }, children: [] });
  }
  drafts.at(-1)?.children.push(...children);
  return drafts;
}

/** Converts a quote: its first paragraph is the text, the rest become children. */
function toQuoteBlocks({ tokens }: Tokens.Blockquote): BlockDraft[] {
  const { own, rest } = splitFirstText(tokens);
  return toTextBlocks("quote", own, {}, toBlocks(rest));
}

/** Converts a list. Notion numbers lists from 1, so other numbers become part of the text. */
function toListBlocks({ items, ordered, start }: Tokens.List): BlockDraft[] {
  const first = Number(start);
  if (!ordered || first === 1) return items.flatMap((item) => toListItemBlocks(item, ordered));
  return items.flatMap(({ tokens }, index) => {
    const { own, rest } = splitFirstText(tokens);
    return toTextBlocks("paragraph", [...toPlainText(`${first + index}. `), ...own], {}, toBlocks(rest));
  });
}

function toListItemBlocks({ tokens, task, checked }: Tokens.ListItem, ordered: boolean): BlockDraft[] {
  const { own, rest } = splitFirstText(tokens.filter(({ type }) => type !== "checkbox"));
  if (task) return toTextBlocks("to_do", own, { checked: checked === true }, toBlocks(rest));
  return toTextBlocks(ordered ? "numbered_list_item" : "bulleted_list_item", own, {}, toBlocks(rest));
}

function splitFirstText(tokens: Token[]): { own: RichText[]; rest: Token[] } {
  const first = tokens.findIndex(({ type }) => type !== "space");
  const token = tokens[first];
  if (token === undefined || (token.type !== "paragraph" && token.type !== "text")) return { own: [], rest: tokens };
  const inline = ("tokens" in token && token.tokens ? token.tokens : [token]).filter(({ type }) => type !== "checkbox");
  return { own: toRichText(inline), rest: tokens.slice(first + 1) };
}

function toTableBlock({ header, rows }: Tokens.Table): BlockDraft {
  const createRow = (cells: Tokens.TableCell[]): BlockDraft => ({
    type: "table_row",
    value: { cells: cells.map(({ tokens }) => toRichText(tokens).slice(0, MAX_PIECES)) },
    children: [],
  });
  return {
    type: "table",
    value: { table_width: header.length, has_column_header: true, has_row_header: false },
    children: [header, ...rows].map(createRow),
  };
}

/**
 * Returns Notion's name for the language of a code block, or "plain text" for unknown ones. Source:
 * https://developers.notion.com/reference/block#code
 */
function toNotionLanguage(name: string | undefined): string {
  const word = name?.trim().toLowerCase().split(/\s/)[0] ?? "";
  const language = LANGUAGE_ALIASES[word] ?? word;
  return LANGUAGES.has(language) ? language : "plain text";
}

const LANGUAGE_ALIASES: Record<string, string | undefined> = {
  cpp: "c++",
  cs: "c#",
  csharp: "c#",
  console: "shell",
  fs: "f#",
  golang: "go",
  hs: "haskell",
  js: "javascript",
  jsx: "javascript",
  kt: "kotlin",
  md: "markdown",
  objc: "objective-c",
  ps1: "powershell",
  py: "python",
  rb: "ruby",
  rs: "rust",
  sh: "shell",
  tf: "hcl",
  ts: "typescript",
  tsx: "typescript",
  yml: "yaml",
  zsh: "shell",
};

const LANGUAGES = new Set(
  (
    "abap arduino bash basic c clojure coffeescript c++ c# css dart diff docker elixir elm erlang flow fortran f# gherkin glsl go graphql " +
    "groovy haskell hcl html java javascript json julia kotlin latex less lisp livescript lua makefile markdown markup matlab mermaid nix " +
    "objective-c ocaml pascal perl php powershell prolog protobuf python r reason ruby rust sass scala scheme scss shell sql swift toml " +
    "typescript verilog vhdl webassembly xml yaml"
  ).split(" "),
);

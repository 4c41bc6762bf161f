import * as z from "zod/mini";
import { toRecord } from "#protocol/json";
import { readPages } from "../http/pages.ts";
import { catchInvalid } from "../input-text.ts";
import { encodeLinkTarget, formatMarkdownTable, splitMargins } from "../markup/markdown.ts";
import type { ToolContext } from "../tool.ts";
import { getPieceText, joinPieces, type Piece, readPieces } from "./title.ts";

/** Fields of every list of Notion. Source: https://developers.notion.com/reference/intro#pagination */
export const CURSOR = { has_more: z.nullish(z.boolean()), next_cursor: z.nullish(z.string()) };

/** Returns the cursor of the page after a page, if there is one. */
export function getNextCursor(page: {
  has_more?: boolean | null | undefined;
  next_cursor?: string | null | undefined;
}): string | undefined {
  return page.has_more === true ? (page.next_cursor ?? undefined) : undefined;
}

const Block = z.looseObject({
  id: z.string(),
  // A block that the connection may not read has only an ID.
  type: catchInvalid(z.string(), "unsupported"),
  has_children: z.nullish(z.boolean()),
});
const Page = z.looseObject({ results: z.array(Block), ...CURSOR });

/** A block with its children. */
type ReadBlock = { type: string; value: Record<string, unknown>; children: ReadBlock[] };

/** Limits for reading a page: number of lists requested, and levels of nesting. */
const MAX_REQUESTS = 40;
const MAX_DEPTH = 6;

/**
 * Returns the content of a page as Markdown. `complete` is false if kay did not read all of it. Source:
 * https://developers.notion.com/reference/get-block-children
 */
export async function readPage(context: ToolContext, id: string): Promise<{ text: string; complete: boolean }> {
  const budget = { requests: MAX_REQUESTS, complete: true };
  const blocks = await readChildren(context, id, 0, budget);
  return { text: formatBlocks(blocks), complete: budget.complete };
}

type Budget = { requests: number; complete: boolean };

async function readChildren(context: ToolContext, id: string, depth: number, budget: Budget): Promise<ReadBlock[]> {
  if (budget.requests === 0 || depth > MAX_DEPTH) {
    budget.complete = false;
    return [];
  }
  const path = `/v1/blocks/${encodeURIComponent(id)}/children`;
  const fetchPage = async (cursor: string | undefined) => {
    budget.requests--;
    const query = { page_size: 100, start_cursor: cursor };
    const page = await context.http.request({ path, query, answer: Page });
    return { items: page.results, next: getNextCursor(page) };
  };
  const { items, more } = await readPages(fetchPage, () => budget.requests === 0, MAX_REQUESTS);
  if (more) budget.complete = false;
  const blocks: ReadBlock[] = [];
  for (const block of items) {
    const hasChildren = block.has_children === true && !PAGE_BLOCKS.has(block.type);
    const children = hasChildren ? await readChildren(context, block.id, depth + 1, budget) : [];
    blocks.push({ type: block.type, value: toRecord(block[block.type]), children });
  }
  return blocks;
}

/** Blocks that are separate pages; their content is not read. */
const PAGE_BLOCKS = new Set(["child_page", "child_database"]);

/** Joins blocks. List items follow each other; everything else is separated by a blank line. */
function formatBlocks(blocks: ReadBlock[]): string {
  let number = 0;
  let text = "";
  let previousType = "";
  for (const block of blocks) {
    number = block.type === "numbered_list_item" ? number + 1 : 0;
    const formatted = formatBlock(block, number);
    if (formatted === "") continue;
    const continuesList = LISTS.has(block.type) && block.type === previousType;
    text += `${text === "" ? "" : continuesList ? "\n" : "\n\n"}${formatted}`;
    previousType = block.type;
  }
  return text;
}

const LISTS = new Set(["bulleted_list_item", "numbered_list_item", "to_do"]);

function formatBlock(block: ReadBlock, number: number): string {
  const { type, value } = block;
  const text = formatInline(value.rich_text);
  switch (type) {
    case "heading_1":
    case "heading_2":
    case "heading_3":
    case "heading_4":
      return stackChildren(text === "" ? "" : `${"#".repeat(Number(type.at(-1)))} ${text.replace(/\n/g, " ")}`, block);
    case "bulleted_list_item":
    case "toggle":
      return formatItem("- ", text, block);
    case "numbered_list_item":
      return formatItem(`${number}. `, text, block);
    case "to_do":
      return formatItem(value.checked === true ? "- [x] " : "- [ ] ", text, block);
    case "quote":
    case "callout":
      return addPrefix([text, formatBlocks(block.children)].filter(Boolean).join("\n\n"), "> ");
    case "code":
      return formatCode(value);
    case "divider":
      return "---";
    case "table":
      return formatTable(block);
    default:
      return formatOther(block, text);
  }
}

/** Formats a block that Markdown cannot express: its URL, its title or its text. */
function formatOther(block: ReadBlock, text: string): string {
  const { type, value } = block;
  if (type === "child_page" || type === "child_database") return `[${String(value.title || "Untitled")}]`;
  if (type === "equation") return `$${String(value.expression ?? "")}$`;
  const address = [value.url, toRecord(value.external).url, toRecord(value.file).url].find(
    (url) => typeof url === "string" && url !== "",
  );
  if (typeof address !== "string") return stackChildren(text, block) || formatUnread(block);
  const words = joinPieces(value.caption) || String(value.name ?? "") || type.replaceAll("_", " ");
  return `[${words.replace(/[[\]]/g, "")}](${encodeLinkTarget(address)})`;
}

/** Blocks that may be empty. */
const CONTAINERS = new Set(["paragraph", "column", "column_list", "synced_block", "template", "tab", "table_row"]);

/** Names a block whose content cannot be read, so that it does not disappear from the text. */
function formatUnread({ type, value }: ReadBlock): string {
  if (CONTAINERS.has(type)) return "";
  const target = value[String(value.type ?? "")];
  if (type === "link_to_page" && typeof target === "string") {
    return `[linked page](https://www.notion.so/${encodeURIComponent(target.replaceAll("-", ""))})`;
  }
  const words = Object.values(value).map(joinPieces).find(Boolean) ?? "";
  if (words !== "") return words;
  const kind = String(type === "unsupported" ? (value.block_type ?? "") : type).replaceAll("_", " ");
  return type === "unsupported"
    ? `(unsupported block${kind ? `: ${kind}` : ""})`
    : `(block that cannot be read: ${kind})`;
}

function stackChildren(text: string, { children }: ReadBlock): string {
  return [text, formatBlocks(children)].filter(Boolean).join("\n\n");
}

function formatItem(marker: string, words: string, { children }: ReadBlock): string {
  const inner = formatBlocks(children);
  const isList = children.every(({ type }) => LISTS.has(type));
  const text = [words, inner].filter(Boolean).join(isList ? "\n" : "\n\n");
  const indent = " ".repeat(/^\d/.test(marker) ? marker.length : 2);
  return marker + text.replace(/\n(?=[^\n])/g, `\n${indent}`);
}

function formatCode(value: Record<string, unknown>): string {
  const text = joinPieces(value.rich_text);
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  const language = value.language === "plain text" ? "" : String(value.language ?? "");
  return `${fence}${language}\n${text}\n${fence}`;
}

function formatTable({ children }: ReadBlock): string {
  const rows = children.map(({ value }) => (Array.isArray(value.cells) ? value.cells.map(formatInline) : []));
  const [head, ...rest] = rows;
  return head ? formatMarkdownTable(head, rest) : "";
}

function addPrefix(text: string, prefix: string): string {
  return text.replace(/^/gm, prefix).replace(/(?<! ) +$/gm, "");
}

/** Converts pieces of text to inline Markdown. */
function formatInline(pieces: unknown): string {
  return readPieces(pieces).map(formatPiece).join("");
}

/** Keeps spaces outside the marks, where Markdown requires them. */
function formatPiece(piece: Piece): string {
  const { annotations, href } = piece;
  const text = getPieceText(piece);
  const { before, words, after } = splitMargins(text);
  if (words === "") return text;
  let marked = annotations?.code ? formatInlineCode(words) : words;
  if (annotations?.bold) marked = `**${marked}**`;
  if (annotations?.italic) marked = `*${marked}*`;
  if (annotations?.strikethrough) marked = `~~${marked}~~`;
  if (href && /^(https?:|mailto:)/i.test(href)) marked = `[${marked}](${encodeLinkTarget(href)})`;
  return `${before}${marked}${after}`;
}

function formatInlineCode(text: string): string {
  const fence = text.includes("`") ? "``" : "`";
  return `${fence}${text}${fence}`;
}

import { type CompletedCall, type Item, listItems, toRecord } from "./memory.ts";
import { getPart, type Part } from "./part.ts";

/** How a passage is written: with Markdown's lists and links, as cells, or as plain lines. `part`: what of each thing. */
export type PassageStyle = { markdown: boolean; cells?: boolean; part?: Part };

/** Whether reading found nothing to pass on. */
export function isEmpty({ result }: CompletedCall, style: PassageStyle): boolean {
  const items = listItems(result?.data);
  if (hasList(result?.data) && items.length === 0) return true;
  // An address of one of two people would be that of another one.
  if (style.part?.name === "address" && items.length > 1) return true;
  return style.part !== undefined && writeResult(toRecord(result), style) === "";
}

/** What one result found: how many, and a line for each thing; one thing alone is its line; anything else is in the tool's own words. */
export function writeResult(result: Item, style: PassageStyle): string {
  const items = listItems(result.data);
  if (style.part && !(style.part.name === "summary" && hasList(result.data)))
    return writePart(items, style.part, style);
  const text = typeof result.text === "string" ? result.text.trim() : "";
  const lines = items.map((item) => getLine(item, style)).filter((line) => line !== undefined);
  if (lines.length === 0 || lines.length < items.length || isTable(result.data)) return shorten(text);
  if (style.cells) return lines.map(quoteCell).join("\n");
  if (!hasList(result.data) && lines[0] !== undefined) return lines[0];
  const rows = lines.slice(0, MOST);
  const total = Math.max(items.length, Number(toRecord(result.data).total) || 0);
  const rest = total - rows.length;
  const more = rest > 0 ? `and ${rest} more` : toRecord(result.data).more === true ? "and more" : undefined;
  const head = getHead(text, items.length, style);
  return [head, ...rows.map((line) => (style.markdown ? `- ${line}` : line)), ...(more ? [more] : [])].join("\n");
}

/** One part of each thing on a line, and nothing else. */
function writePart(items: Item[], part: Part, { markdown, cells }: PassageStyle): string {
  const lines = items.flatMap((item) => {
    const value = getPart(item, part);
    if (value === undefined) return [];
    if (cells) return quoteCell(oneLine(value));
    if (part.name === "link") return /^https?:\/\/\S+$/.test(value) ? value : [];
    if (part.name === "text" || part.name === "summary") return shorten(value);
    return markdown ? escapeMarkdown(oneLine(value)) : oneLine(value);
  });
  return lines.join("\n");
}

/** A text as one cell of a row (RFC 4180). */
function quoteCell(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** Title of a result, for the heading when it is passed on. */
export function getTitle(result: Item | undefined): string | undefined {
  const items = listItems(result?.data);
  const [only] = items;
  if (only && !hasList(result?.data)) return getLine({ ...only, url: undefined }, { markdown: false });
  const text = typeof result?.text === "string" ? result.text : "";
  return oneLine(getHead(text, items.length, { markdown: false }).replace(/:$/, ""));
}

/** One thing of a result on a line: its key, what it is called, and where to look at it. */
function getLine(item: Item, { markdown }: PassageStyle): string | undefined {
  const key = getKey(item);
  const title = getName(item, key);
  if (title === undefined && key === undefined) return undefined;
  const url = typeof item.url === "string" && /^https?:\/\/\S+$/.test(item.url) ? item.url : undefined;
  const clean = (text: string) => (markdown ? escapeMarkdown(oneLine(text)) : oneLine(text));
  const words = [key, title].filter((text) => text !== undefined).map(clean);
  if (url === undefined) return words.join(" ");
  if (!markdown) return [...words, url].join(" ");
  const [label = "", ...others] = words;
  return [`[${label}](${url.replace(/[()]/g, encodeURIComponent)})`, ...others].join(" ");
}

/** The line of the tool that says how many there are, which stands above its table. */
function getHead(text: string, number: number, { markdown }: PassageStyle): string {
  const [first = ""] = text.split("\n");
  const head = /^(?!\|).*:$/.test(first.trim()) ? first.trim() : `${number} ${number === 1 ? "entry" : "entries"}:`;
  return markdown ? head : head.replace(/\\([^\p{L}\p{N}\s])/gu, "$1");
}

function getKey(item: Item): string | undefined {
  if (typeof item.key === "string") return item.key;
  const number = item.number ?? (typeof item.id === "number" ? item.id : undefined);
  if (typeof number === "number" || (typeof number === "string" && /^\d+$/.test(number))) {
    const place = typeof item.repository === "string" ? item.repository : "";
    return `${place}#${number}`;
  }
  const start = item.start ?? item.date;
  return typeof start === "string" && /^\d{4}-\d\d-\d\d/.test(start) ? start.slice(0, 16).replace("T", " ") : undefined;
}

function getName(item: Item, key: string | undefined): string | undefined {
  const isTitle = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
  const named = TITLES.map((name) => item[name]).find(isTitle);
  if (named !== undefined) return named;
  // The first column of a row is what it is called.
  return Object.entries(item).find(
    ([name, value]) => isTitle(value) && value !== key && !/^(id|url|ts|.*_id)$/i.test(name),
  )?.[1] as string | undefined;
}

/** Whether a result is a list of things, also one that is empty. */
function hasList(data: unknown): boolean {
  if (Array.isArray(data)) return true;
  const whole = toRecord(data);
  return !["key", "number", "id"].some((name) => whole[name] !== undefined) && Object.values(whole).some(Array.isArray);
}

/** Whether a result is rows of cells: these are what is passed on, not the title of the sheet. */
function isTable(data: unknown): boolean {
  return Object.values(toRecord(data)).some((value) => Array.isArray(value) && value.some(Array.isArray));
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  const points = [...line];
  return points.length > LONGEST_LINE ? `${points.slice(0, LONGEST_LINE).join("")}…` : line;
}

/** Titles are text of services: they make no links, no code and no emphasis of their own. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*[\]<~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\$&");
}

function shorten(text: string): string {
  const points = [...text];
  return points.length > LONGEST ? `${points.slice(0, LONGEST).join("")}…` : text;
}

const TITLES = ["summary", "title", "subject", "name", "text", "message"];

/** Entries of a list that are passed on. */
const MOST = 20;

const LONGEST_LINE = 200;

/** Characters of a result that is passed on as it is. */
const LONGEST = 3_000;

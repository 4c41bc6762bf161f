import { Problem } from "#protocol/errors";
import { escapeCell, formatCount, formatMarkdownTable, truncateText } from "../markup/markdown.ts";
import type { ToolResult } from "../service.ts";
import type { ToolDescription } from "./description.ts";
import { getAtPath, PATH_SLOT_PATTERN } from "./description.ts";
import { formatValue, type Values } from "./template.ts";

type Shown = NonNullable<ToolDescription["result"]>;

/** So many entries of a list are shown and handed to a model. */
const MOST_ROWS = 50;
/** Columns where a description names none. */
const MOST_COLUMNS = 6;
const LONGEST_CELL = 300;

/**
 * What a described tool answers: its data trimmed, and Markdown for a person.
 *
 * @throws Problem SERVICE_FAILED when the answer has no list where the description says there is one
 */
export function toToolResult(title: string, shown: Shown | undefined, answer: unknown, input: Values): ToolResult {
  const list = listIn(title, shown, answer);
  return list ? listResult(shown ?? {}, list, input) : singleResult(shown ?? {}, answer, input);
}

function listIn(title: string, shown: Shown | undefined, answer: unknown): unknown[] | undefined {
  if (shown?.items === undefined) return Array.isArray(answer) ? answer : undefined;
  const items = getAtPath(answer, shown.items);
  if (Array.isArray(items)) return items;
  if (items === undefined || items === null) return [];
  throw new Problem("SERVICE_FAILED", `${title} answered something unexpected: ${shown.items} is no list.`);
}

function listResult(shown: Shown, list: unknown[], input: Values): ToolResult {
  const some = list.slice(0, MOST_ROWS);
  const columns = getColumns(shown, some[0]);
  const data = some.map((item) => entryData(shown, columns, item, input));
  const cut =
    list.length > some.length
      ? `The first ${some.length} of ${list.length}`
      : formatCount(list.length, "entry", "entries");
  const head = shown.summary ? line(shown.summary, { count: list.length }, input) : cut;
  if (list.length === 0) return { data: { items: [] }, text: shown.summary ? `${head}.` : "Nothing found." };
  const rows = some.map((item) => columns.map(([, place]) => shownValue(getAtPath(item, place))));
  const heading = columns.map(([name]) => name);
  const body =
    columns.length > 0 ? formatMarkdownTable(heading, rows) : some.map((item) => `- ${shownCell(item)}`).join("\n");
  const more = shown.summary && list.length > some.length ? ` (the first ${some.length})` : "";
  return {
    data: { items: data, ...(cut.startsWith("The") ? { more: true } : {}) },
    text: `${head}${more}:\n\n${body}`,
  };
}

function singleResult(shown: Shown, answer: unknown, input: Values): ToolResult {
  const columns = getColumns(shown, answer);
  const url = getUrl(shown, answer, input);
  const facts = columns.flatMap(([name, place]) => {
    const text = shownCell(getAtPath(answer, place));
    return text === "" ? [] : [`- ${escapeCell(name)}: ${text}`];
  });
  const head = shown.summary ? `${line(shown.summary, answer, input)}.`.replace(/([.!?])\.$/, "$1") : "";
  const text = [head || (facts.length === 0 ? "Done." : ""), facts.join("\n"), url ?? ""].filter(Boolean).join("\n\n");
  return { data: answer ?? null, text, ...(url ? { url } : {}) };
}

/** The columns that are described, else the plain values of the first entry. */
function getColumns(shown: Shown, first: unknown): [name: string, place: string][] {
  if (shown.columns) return Object.entries(shown.columns);
  if (typeof first !== "object" || first === null || Array.isArray(first)) return [];
  const plain = Object.entries(first).filter(
    ([name, value]) => /^[\w-]+$/.test(name) && ["string", "number", "boolean"].includes(typeof value),
  );
  return shown.summary && !shown.items ? [] : plain.slice(0, MOST_COLUMNS).map(([name]) => [name, name]);
}

/** An entry as a model gets it: the columns by their places, or the whole of it where none are described. */
function entryData(shown: Shown, columns: [string, string][], item: unknown, input: Values): unknown {
  const url = getUrl(shown, item, input);
  const link = url ? { url } : {};
  if (shown.columns)
    return { ...Object.fromEntries(columns.map(([, place]) => [place, getAtPath(item, place) ?? null])), ...link };
  return typeof item === "object" && item !== null && url ? { ...item, ...link } : item;
}

function line(template: string, answer: unknown, input: Values): string {
  return template.replace(
    PATH_SLOT_PATTERN,
    (_, place: string) => shownCell(getAtPath(answer, place) ?? getAtPath(input, place)) || "–",
  );
}

/** A web address, or none: what the answer puts into it stays a part of its path. */
function getUrl(shown: Shown, answer: unknown, input: Values): string | undefined {
  const { url: template } = shown;
  if (template === undefined) return undefined;
  const whole = /^\{([^{}]+)\}$/.exec(template);
  const missing = [...template.matchAll(PATH_SLOT_PATTERN)].some(
    ([, place = ""]) => textAt(place, answer, input) === "",
  );
  if (missing) return undefined;
  const text = whole
    ? textAt(whole[1] ?? "", answer, input)
    : template.replace(PATH_SLOT_PATTERN, (_, place: string) => encodeURIComponent(textAt(place, answer, input)));
  const url = URL.parse(text);
  const fine = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && /^[\x21-\x7e]+$/.test(text);
  return fine ? text : undefined;
}

function textAt(place: string, answer: unknown, input: Values): string {
  return formatValue(getAtPath(answer, place) ?? getAtPath(input, place));
}

function shownValue(value: unknown): string {
  return truncateText(formatValue(value).replace(/\s+/g, " ").trim(), LONGEST_CELL);
}

function shownCell(value: unknown): string {
  return escapeCell(shownValue(value));
}

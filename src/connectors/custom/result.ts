import { Problem } from "#protocol/errors";
import { isRecord } from "#protocol/json";
import { endSentence, parseServiceFault } from "../http/service-fault.ts";
import { escapeCell, formatCount, formatMarkdownTable, toOneLine, truncateText } from "../markup/markdown.ts";
import type { ToolResult } from "../tool.ts";
import type { ToolDescription } from "./description.ts";
import { getAtPath, PATH_SLOT_PATTERN } from "./description.ts";
import { formatValue, type Values } from "./template.ts";

type ResultDescription = NonNullable<ToolDescription["result"]>;

/** Maximum number of list entries shown and passed to a model. */
const MAX_ROWS = 50;
/** Maximum number of columns if the description names none. */
const MAX_COLUMNS = 6;
const MAX_CELL_LENGTH = 300;

/**
 * Converts a response to the result of a custom tool: trimmed data, and Markdown for the user.
 *
 * @throws Problem SERVICE_FAILED when the response says that the request failed (`ok: false`, or GraphQL's `errors`
 * without data), or when a read's response lacks the described list. A write has succeeded by then.
 */
export function toToolResult(
  { title, reads }: { title: string; reads: boolean },
  layout: ResultDescription | undefined,
  answer: unknown,
  input: Values,
): ToolResult {
  const { reason, failed } = findReportedFault(answer);
  if (failed) throw new Problem("SERVICE_FAILED", `${title}: ${endSentence(reason)}`, { hint: "" });
  const list = findList({ title, reads }, layout, answer);
  const result = list ? toListResult(layout ?? {}, list, input) : toSingleResult(layout ?? {}, answer, input);
  return reason ? { ...result, text: `${result.text}\n\n${title} also reports: ${endSentence(reason)}` } : result;
}

/** Finds the failure, or the partial one, that a service reports with a success status. */
function findReportedFault(answer: unknown): { reason: string; failed: boolean } {
  const { ok, success, data, errors } = isRecord(answer) ? answer : {};
  const hasErrors = Array.isArray(errors) && errors.length > 0;
  if (ok !== false && success !== false && !hasErrors && !isFaultOnly(answer)) return { reason: "", failed: false };
  const { message, code } = parseServiceFault(JSON.stringify(answer));
  const reason = message || code || "";
  return { reason, failed: reason !== "" && !(hasErrors && data !== null && data !== undefined) };
}

/** Returns whether an answer only says that the request failed. A record of a failed job has other fields too. */
function isFaultOnly(answer: unknown): boolean {
  if (!isRecord(answer)) return false;
  const entries = Object.entries(answer).filter(([, value]) => value !== null);
  const codes = [answer.code, answer.status, answer.statusCode, answer.status_code, answer.cod].map(Number);
  const saysFailed =
    Boolean(answer.error ?? answer.fault) ||
    /^(?:error|fail)$/i.test(String(answer.status)) ||
    codes.some((code) => code >= 400 && code < 600);
  return saysFailed && entries.every(([name]) => FAULT_FIELD.test(name));
}

/** Fields in which services describe a failure. */
const FAULT_FIELD =
  /^(?:error\w*|fault|status|(?:status_?)?code|cod|message|msg|details?|title|type|reason|hint|ok|success|timestamp|path|instance|(?:request|trace)_?id|documentation_url)$/i;

function findList(
  { title, reads }: { title: string; reads: boolean },
  layout: ResultDescription | undefined,
  answer: unknown,
): unknown[] | undefined {
  if (Array.isArray(answer)) return answer;
  if (layout?.items === undefined) return undefined;
  const items = getAtPath(answer, layout.items);
  if (Array.isArray(items)) return items;
  if (!reads) return undefined;
  if (items === undefined || items === null) return [];
  throw new Problem("SERVICE_FAILED", `${title} returned an unexpected response: ${layout.items} is not a list.`);
}

function toListResult(layout: ResultDescription, list: unknown[], input: Values): ToolResult {
  const shownItems = list.slice(0, MAX_ROWS);
  const columns = getColumns(layout, shownItems[0]);
  const data = shownItems.map((item) => toEntryData(layout, columns, item, input));
  const cut =
    list.length > shownItems.length
      ? `The first ${shownItems.length} of ${list.length}`
      : formatCount(list.length, "entry", "entries");
  const head = layout.summary ? fillSummary(layout.summary, { count: list.length }, input) : cut;
  if (list.length === 0) return { data: { items: [] }, text: layout.summary ? `${head}.` : "Nothing found." };
  const rows = shownItems.map((item) => columns.map(([, place]) => formatCellValue(getAtPath(item, place))));
  const heading = columns.map(([name]) => name);
  const body =
    columns.length > 0
      ? formatMarkdownTable(heading, rows)
      : shownItems.map((item) => `- ${formatCell(item)}`).join("\n");
  const more = layout.summary && list.length > shownItems.length ? ` (the first ${shownItems.length})` : "";
  return {
    data: { items: data, ...(cut.startsWith("The") ? { more: true } : {}) },
    text: `${head}${more}:\n\n${body}`,
  };
}

function toSingleResult(layout: ResultDescription, answer: unknown, input: Values): ToolResult {
  const columns = getColumns(layout, answer);
  const url = getUrl(layout, answer, input);
  const facts = columns.flatMap(([name, place]) => {
    const text = formatCell(getAtPath(answer, place));
    return text === "" ? [] : [`- ${escapeCell(name)}: ${text}`];
  });
  const head = layout.summary ? `${fillSummary(layout.summary, answer, input)}.`.replace(/([.!?])\.$/, "$1") : "";
  const plainAnswer = typeof answer === "string" ? formatCell(answer) : "";
  const text = [head || (facts.length === 0 ? "Done." : ""), facts.join("\n"), plainAnswer, url ?? ""]
    .filter(Boolean)
    .join("\n\n");
  return { data: answer ?? null, text, ...(url ? { url } : {}) };
}

/** Returns the described columns, or the primitive values of the first entry. */
function getColumns(description: ResultDescription, first: unknown): [name: string, place: string][] {
  if (description.columns) return Object.entries(description.columns);
  if (typeof first !== "object" || first === null || Array.isArray(first)) return [];
  const scalars = Object.entries(first).filter(
    ([name, value]) => /^[\w-]+$/.test(name) && ["string", "number", "boolean"].includes(typeof value),
  );
  return description.summary && !description.items ? [] : scalars.slice(0, MAX_COLUMNS).map(([name]) => [name, name]);
}

/** Converts an entry for the model: the columns by their places, or the whole entry if none are described. */
function toEntryData(layout: ResultDescription, columns: [string, string][], item: unknown, input: Values): unknown {
  const url = getUrl(layout, item, input);
  const urlField = url ? { url } : {};
  if (layout.columns)
    return { ...Object.fromEntries(columns.map(([, place]) => [place, getAtPath(item, place) ?? null])), ...urlField };
  return typeof item === "object" && item !== null && url ? { ...item, ...urlField } : item;
}

function fillSummary(template: string, answer: unknown, input: Values): string {
  return template.replace(
    PATH_SLOT_PATTERN,
    (_, place: string) => formatCell(getAtPath(answer, place) ?? getAtPath(input, place)) || "–",
  );
}

/** Returns a web address or undefined. Values from the response are encoded, so they stay part of the path. */
function getUrl(layout: ResultDescription, answer: unknown, input: Values): string | undefined {
  const { url: template } = layout;
  if (template === undefined) return undefined;
  const placeholder = /^\{([^{}]+)\}$/.exec(template);
  const hasGap = [...template.matchAll(PATH_SLOT_PATTERN)].some(
    ([, place = ""]) => getText(place, answer, input) === "",
  );
  if (hasGap) return undefined;
  const text = placeholder
    ? getText(placeholder[1] ?? "", answer, input)
    : template.replace(PATH_SLOT_PATTERN, (_, place: string) => encodeURIComponent(getText(place, answer, input)));
  const url = URL.parse(text);
  const fine = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && /^[\x21-\x7e]+$/.test(text);
  return fine ? text : undefined;
}

function getText(place: string, answer: unknown, input: Values): string {
  return formatValue(getAtPath(answer, place) ?? getAtPath(input, place));
}

function formatCellValue(value: unknown): string {
  return truncateText(toOneLine(formatValue(value)), MAX_CELL_LENGTH);
}

function formatCell(value: unknown): string {
  return escapeCell(formatCellValue(value));
}

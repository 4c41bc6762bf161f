import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { type ListRequest, readPages } from "../http/pages.ts";
import { escapeCell } from "../markup/markdown.ts";
import { quoteTitle } from "../place.ts";
import { type ToolContext, withDescription } from "../tool.ts";
import { type Field, findId, findPrimaryField, findTable, getTablePath, type TablePlace } from "./base.ts";
import { buildTextEquals } from "./formula.ts";

/**
 * A record as returned by lists and single reads. Empty fields are omitted. Source:
 * https://airtable.com/developers/web/api/list-records
 */
export const AirtableRecord = z.looseObject({
  id: z.string(),
  createdTime: z.nullish(z.string()),
  fields: z.record(z.string(), z.unknown()),
});
export type AirtableRecord = z.output<typeof AirtableRecord>;

const Page = z.looseObject({ records: z.array(AirtableRecord), offset: z.nullish(z.string()) });

/** The field of a tool that names a record. */
export const RECORD_FIELD = withDescription(z.string(), "Title (value of the first column), id or URL of the record.");

/** Records per page. */
const PAGE = 100;

/** Filter and order of a list. `sort` names a field. */
export type RecordQuery = { formula?: string; sort?: string; descending?: boolean };

/** Reads as many pages of records as the limit needs. `more` is set if others remain. */
export async function readRecords(
  context: ToolContext,
  place: TablePlace,
  { formula, sort, descending }: RecordQuery,
  list: number | ListRequest,
): Promise<{ records: AirtableRecord[]; more: boolean }> {
  const { items, more } = await readPages(async (offset, size) => {
    const page = await context.http.request({
      path: getTablePath(place),
      query: {
        pageSize: Math.min(PAGE, size),
        filterByFormula: formula,
        "sort[0][field]": sort,
        "sort[0][direction]": sort === undefined ? undefined : descending ? "desc" : "asc",
        offset,
      },
      answer: Page,
      scope: "data.records:read",
    });
    return { items: page.records, next: page.offset };
  }, list);
  return { records: items, more };
}

/**
 * Finds a record by ID, URL, or the value of its first field.
 *
 * @throws Problem INVALID_REQUEST when none or several match
 */
export async function findRecord(context: ToolContext, place: TablePlace, text: string): Promise<AirtableRecord> {
  const id = findId(text, "rec");
  const path = `${getTablePath(place)}/${encodeURIComponent(id ?? "")}`;
  if (id) return await context.http.request({ path, answer: AirtableRecord, scope: "data.records:read" });
  const name = text.trim();
  const primary = findPrimaryField(place.table);
  const formula = buildTextEquals(primary?.name ?? "Name", name);
  const { records } = await readRecords(context, place, { formula }, 2);
  const [only, ...more] = records;
  if (only && more.length === 0) return only;
  const sentence = only
    ? `Several records in ${escapeCell(place.table.name)} are called “${escapeCell(name)}”.`
    : `No record in ${escapeCell(place.table.name)} is called “${escapeCell(name)}”.`;
  const hint = only ? `Use an ID, such as ${only.id}.` : "Check the name, or list the records.";
  throw new Problem("INVALID_REQUEST", sentence, { hint, details: { field: "record" } });
}

/** Maximum number of linked records of one table whose names are read. Others keep their IDs. */
const MAX_LINKED = 100;

/** Adds the names of linked records, since Airtable returns only their IDs: `["rec…"]` becomes `[{id, name}]`. */
export async function nameLinks(
  context: ToolContext,
  place: TablePlace,
  records: AirtableRecord[],
): Promise<AirtableRecord[]> {
  const names = new Map<string, string>();
  const links = place.table.fields.filter(({ type }) => type === "multipleRecordLinks");
  const listIds = (table: string) =>
    links
      .filter(({ options }) => options?.linkedTableId === table)
      .flatMap(({ name }) => records.flatMap(({ fields }) => fields[name] ?? []))
      .filter((id): id is string => typeof id === "string");
  for (const table of place.tables) {
    const ids = [...new Set(listIds(table.id))].slice(0, MAX_LINKED);
    if (ids.length === 0) continue;
    const linkedPlace = { ...place, table };
    const formula = `OR(${ids.map((id) => `RECORD_ID()='${id}'`).join(",")})`;
    const answer = await readRecords(context, linkedPlace, { formula }, MAX_LINKED).catch((error: unknown) => {
      // The connection may not see that table.
      if (error instanceof Problem && error.code === "SERVICE_FAILED") return { records: [] };
      throw error;
    });
    for (const record of answer.records) names.set(record.id, getRecordName(record, linkedPlace));
  }
  const toNamed = (value: unknown) =>
    Array.isArray(value) ? value.map((id) => (names.has(id) ? { id, name: names.get(id) } : id)) : value;
  return records.map((record) => ({
    ...record,
    fields: {
      ...record.fields,
      ...Object.fromEntries(
        links.flatMap(({ name }) => (name in record.fields ? [[name, toNamed(record.fields[name])]] : [])),
      ),
    },
  }));
}

/**
 * Formats the value of a field as text: a person, file, button, barcode, text of an AI field (`{state, value}`), or a
 * failed formula (`{error: "#ERROR!"}`, `{specialValue: "NaN"}`). Source:
 * https://airtable.com/developers/web/api/field-model
 */
export function formatValue(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map(formatValue).filter(Boolean).join(", ");
  if (typeof value !== "object") return String(value);
  const {
    name,
    filename,
    email,
    label,
    text,
    url,
    value: inner,
    error,
    specialValue,
    errorType,
    id,
  } = value as Record<string, unknown>;
  const texts = [name, filename, label, text, email, url, inner, error, specialValue, errorType, id];
  const firstText = texts.find((candidate) => typeof candidate === "string" && candidate !== "");
  if (typeof firstText === "string") return firstText;
  return Object.values(value).some((part) => typeof part === "object" && part !== null) ? JSON.stringify(value) : "";
}

/** Formats a value as Airtable shows it in a field of this type. */
export function formatFieldValue({ type }: Pick<Field, "type">, value: unknown): string {
  if (typeof value !== "number") return formatValue(value);
  if (type === "percent") return `${Number((value * 100).toPrecision(12))}%`;
  if (type !== "duration") return String(value);
  const seconds = Math.abs(value);
  const rest = [Math.floor(seconds / 60) % 60, Math.floor(seconds % 60)].map((part) => String(part).padStart(2, "0"));
  return `${value < 0 ? "-" : ""}${Math.floor(seconds / 3600)}:${rest.join(":")}`;
}

/** Returns the display name of a record: the value of its first field, or its ID. */
export function getRecordName(record: AirtableRecord, place: TablePlace): string {
  const value = record.fields[findPrimaryField(place.table)?.name ?? ""];
  const failed = typeof value === "object" && value !== null && "error" in value;
  return (failed ? "" : formatValue(value)) || record.id;
}

/** Describes a record for the approval of a call that names it: its name, table and base. */
export async function describeRecord(
  context: ToolContext,
  input: { table: string; base?: string | undefined; record: string },
): Promise<string> {
  const place = await findTable(context, input, "change");
  const record = await findRecord(context, place, input.record);
  return `${quoteTitle(getRecordName(record, place))} (${record.id}) in ${place.table.name} of ${place.base.name}`;
}

/** Returns the web page of a record, or of its table. */
export function buildRecordUrl({ http }: ToolContext, { base, table }: TablePlace, id?: string): string {
  const site = http.endpoints.web ?? "https://airtable.com";
  return `${site}/${base.id}/${table.id}${id ? `/${id}` : ""}`;
}

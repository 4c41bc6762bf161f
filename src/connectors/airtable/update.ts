import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { escapeCell } from "../markup/markdown.ts";
import { narrowPlace, quoteName } from "../place.ts";
import { defineTool, withDescription } from "../tool.ts";
import { findField, findTable, formatTablePlace, getTablePath } from "./base.ts";
import { AirtableRecord, buildRecordUrl, describeRecord, findRecord, formatValue, getRecordName } from "./record.ts";
import { toCellValue } from "./values.ts";

const Input = z.object({
  table: withDescription(z.string(), "Title, id or URL of the table."),
  record: withDescription(z.string(), "Title (value of the first column), id or URL of the record."),
  field: withDescription(z.optional(z.string()), "Column to set."),
  value: withDescription(
    z.optional(z.string()),
    'New value: "Done", "In progress", "Not started", "Todo", "High", "Low", or any other choice, number or day. An empty value clears the field.',
  ),
  fields: withDescription(
    z.optional(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))),
    'Several columns by name instead, such as {"Status": "Done", "Due": "2026-12-24"}.',
  ),
  base: withDescription(
    z.optional(z.string()),
    "Name or id of the base, if several bases have a table with this name.",
  ),
});
type Input = z.output<typeof Input>;

/** Source: https://airtable.com/developers/web/api/update-record (PATCH keeps the other fields) */
export const updateRecordTool = defineTool({
  name: "airtable.update_record",
  description: "Set one or several fields of a record in an Airtable table.",
  access: "write",
  input: Input,
  examples: [
    "set {field} of {record} to {value} in the airtable table {table}",
    "set {field} of {record} in {table} to {value} in airtable",
    "set the {field} of {record} in the airtable table {table} to {value}",
    "change {field} of {record} to {value} in the airtable table {table}",
    "update {field} of {record} in the airtable table {table} to {value}",
  ],
  summary: (input: Input) => {
    const where = `of “${input.record.trim()}” in “${input.table.trim()}” in Airtable`;
    const changes = listChanges(input);
    const [only, ...more] = changes;
    if (!only || more.length > 0) return `Set ${changes.map(formatChange).join(", ") || "nothing"} ${where}`;
    const [field, value] = only;
    return value === "" ? `Clear ${field} ${where}` : `Set ${field} ${where} to ${value}`;
  },
  resource: ({ table, base }: Input) => formatTablePlace(table, base),
  object: (input: Input) =>
    narrowPlace(
      quoteName(input.record),
      listChanges(input)
        .map(([name]) => name)
        .join(", "),
    ),
  placeIsTarget: true,
  describeTarget: ({ table, base, record }, context) => describeRecord(context, { table, base, record }),
  async run(input, context) {
    const place = await findTable(context, input, "change");
    const changes = listChanges(input);
    if (changes.length === 0) {
      throw new Problem("INVALID_REQUEST", "A field to set is required.", { details: { field: "field" } });
    }
    const record = await findRecord(context, place, input.record);
    const fields: Record<string, unknown> = {};
    for (const [name, value] of changes) {
      const field = findField(place.table, name);
      fields[field.name] = await toCellValue(field, value, place, context);
    }
    const path = `${getTablePath(place)}/${encodeURIComponent(record.id)}`;
    const request = { method: "PATCH", path, body: { fields }, answer: AirtableRecord } as const;
    const changed = await context.http.request({ ...request, scope: "data.records:write" });
    const url = buildRecordUrl(context, place, record.id);
    const results = Object.keys(fields).map((name) => ({
      field: name,
      before: formatValue(record.fields[name]),
      value: formatValue(changed.fields[name]),
    }));
    const lines = results.map(({ field, value }) =>
      value === "" ? `Cleared ${escapeCell(field)}` : `Set ${escapeCell(field)} to ${escapeCell(value)}`,
    );
    const [only, ...more] = results;
    return {
      data: { id: record.id, table: place.table.name, ...(more.length > 0 ? { fields: results } : only), url },
      text: `${lines.join(", ")}: “${escapeCell(getRecordName(changed, place))}”.\n\n${url}`,
      url,
    };
  },
});

/** Lists the fields to set, by the names that were given. */
function listChanges({ field, value, fields }: Input): [string, string][] {
  const single: [string, string][] = field?.trim() ? [[field.trim(), value?.trim() ?? ""]] : [];
  const several = Object.entries(fields ?? {}).map(([name, one]): [string, string] => [
    name.trim(),
    String(one).trim(),
  ]);
  return [...single, ...several];
}

function formatChange([field, value]: [string, string]): string {
  return `${field} to ${value || "nothing"}`;
}

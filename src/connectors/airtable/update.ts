import * as z from "zod/mini";
import { escapeCell } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../service.ts";
import { findField, findTable, formatTablePlace, getTablePath } from "./base.ts";
import { AirtableRecord, buildRecordUrl, findRecord, getRecordName } from "./record.ts";
import { formatValue, toCellValue } from "./values.ts";

const Input = z.object({
  table: withDescription(z.string(), "Title, id or URL of the table."),
  record: withDescription(z.string(), "Title (value of the first column), id or URL of the record."),
  field: withDescription(z.string(), "Column to set."),
  value: withDescription(
    z.string(),
    'New value: "Done", "In progress", "Not started", "Todo", "High", "Low", or any other choice, number or day. An empty value clears the field.',
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
  description: "Set one field of a record in an Airtable table.",
  access: "write",
  input: Input,
  examples: [
    "set {field} of {record} to {value} in the airtable table {table}",
    "set {field} of {record} in {table} to {value} in airtable",
    "set the {field} of {record} in the airtable table {table} to {value}",
    "change {field} of {record} to {value} in the airtable table {table}",
    "update {field} of {record} in the airtable table {table} to {value}",
  ],
  summary: ({ table, record, field, value }: Input) => {
    const where = `of “${record.trim()}” in “${table.trim()}” in Airtable`;
    return value.trim() === "" ? `Clear ${field.trim()} ${where}` : `Set ${field.trim()} ${where} to ${value.trim()}`;
  },
  resource: ({ table, base }: Input) => formatTablePlace(table, base),
  async run(input, context) {
    const place = await findTable(context, input.table, input.base);
    const field = findField(place.table, input.field);
    const record = await findRecord(context, place, input.record);
    const fields = { [field.name]: await toCellValue(field, input.value, place, context) };
    const path = `${getTablePath(place)}/${encodeURIComponent(record.id)}`;
    const request = { method: "PATCH", path, body: { fields }, answer: AirtableRecord } as const;
    const changed = await context.http.request({ ...request, scope: "data.records:write" });
    const url = buildRecordUrl(context, place, record.id);
    const [before, now] = [formatValue(record.fields[field.name]), formatValue(changed.fields[field.name])];
    const shown =
      now === "" ? `Cleared ${escapeCell(field.name)}` : `Set ${escapeCell(field.name)} to ${escapeCell(now)}`;
    return {
      data: { id: record.id, table: place.table.name, field: field.name, before, value: now, url },
      text: `${shown}: “${escapeCell(getRecordName(changed, place))}”.\n\n${url}`,
      url,
    };
  },
});

import * as z from "zod/mini";
import { describe } from "../fields.ts";
import { cell } from "../markdown.ts";
import { defineTool } from "../service.ts";
import { fieldOf, findTable, inTable, tablePath } from "./base.ts";
import { AirtableRecord, findRecord, nameOf, recordUrl } from "./record.ts";
import { cellValue, shownValue } from "./values.ts";

const Input = z.object({
  table: describe(z.string(), "Title, id or address of the table."),
  record: describe(z.string(), "Title (value of the first column), id or address of the record."),
  field: describe(z.string(), "Column that is set."),
  value: describe(
    z.string(),
    'New value: "Done", "In progress", "Not started", "Todo", "High", "Low", or any other choice, number or day; empty clears it.',
  ),
  base: describe(z.optional(z.string()), "Name or id of the base, when several have such a table."),
});
type Input = z.output<typeof Input>;

/** Source: https://airtable.com/developers/web/api/update-record (PATCH leaves the other fields alone) */
export const updateRecord = defineTool({
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
  resource: ({ table, base }: Input) => inTable(table, base),
  async run(input, context) {
    const place = await findTable(context, input.table, input.base);
    const field = fieldOf(place.table, input.field);
    const record = await findRecord(context, place, input.record);
    const fields = { [field.name]: await cellValue(field, input.value, place, context) };
    const path = `${tablePath(place)}/${encodeURIComponent(record.id)}`;
    const request = { method: "PATCH", path, body: { fields }, answer: AirtableRecord } as const;
    const changed = await context.http.request({ ...request, scope: "data.records:write" });
    const url = recordUrl(context, place, record.id);
    const [before, now] = [shownValue(record.fields[field.name]), shownValue(changed.fields[field.name])];
    const said = now === "" ? `Cleared ${cell(field.name)}` : `Set ${cell(field.name)} to ${cell(now)}`;
    return {
      data: { id: record.id, table: place.table.name, field: field.name, before, value: now, url },
      text: `${said}: “${cell(nameOf(changed, place))}”.\n\n${url}`,
      url,
    };
  },
});

import * as z from "zod/mini";
import { escapeCell } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import { findTable, formatTablePlace, getTablePath } from "./base.ts";
import { buildRecordUrl, describeRecord, findRecord, getRecordName } from "./record.ts";

const Input = z.object({
  table: withDescription(z.string(), "Title, id or URL of the table."),
  record: withDescription(z.string(), "Title (value of the first column), id or URL of the record."),
  base: withDescription(
    z.optional(z.string()),
    "Name or id of the base, if several bases have a table with this name.",
  ),
});
type Input = z.output<typeof Input>;

const Deleted = z.optional(z.looseObject({ id: z.nullish(z.string()), deleted: z.nullish(z.boolean()) }));

/** Source: https://airtable.com/developers/web/api/delete-record */
export const deleteRecordTool = defineTool({
  name: "airtable.delete_record",
  description: "Delete one record from an Airtable table.",
  access: "destructive",
  input: Input,
  examples: [
    "delete the record {record} from the airtable table {table}",
    "delete {record} from {table} in airtable",
    "delete {record} from the airtable table {table}",
    "remove the record {record} from the airtable table {table}",
    "remove {record} from {table} in airtable",
  ],
  summary: ({ table, record, base }: Input) =>
    `Delete the record “${record.trim()}” from “${table.trim()}”${base?.trim() ? ` of “${base.trim()}”` : ""} in Airtable`,
  resource: ({ table, base }: Input) => formatTablePlace(table, base),
  describeTarget: ({ table, base, record }, context) => describeRecord(context, { table, base, record }),
  async run(input, context) {
    const place = await findTable(context, input, "change");
    const record = await findRecord(context, place, input.record);
    const path = `${getTablePath(place)}/${encodeURIComponent(record.id)}`;
    await context.http.request({ method: "DELETE", path, answer: Deleted, scope: "data.records:write" });
    const name = getRecordName(record, place);
    return {
      data: { id: record.id, name, table: place.table.name, deleted: true, fields: record.fields },
      text: `Deleted “${escapeCell(name)}” from ${escapeCell(place.table.name)} (${escapeCell(place.base.name)}).`,
      url: buildRecordUrl(context, place),
    };
  },
});

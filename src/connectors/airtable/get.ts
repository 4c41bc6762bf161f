import * as z from "zod/mini";
import { escapeCell, truncateText } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import { findTable } from "./base.ts";
import { buildRecordUrl, findRecord, formatFieldValue, getRecordName, nameLinks } from "./record.ts";

const Input = z.object({
  table: withDescription(z.string(), "Title, id or URL of the table."),
  record: withDescription(z.string(), "Title (value of the first column), id or URL of the record."),
  base: withDescription(
    z.optional(z.string()),
    "Name or id of the base, if several bases have a table with this name.",
  ),
});
type Input = z.output<typeof Input>;

/** Longest value that is shown, in characters. */
const MAX_VALUE_LENGTH = 2_000;

/** Source: https://airtable.com/developers/web/api/get-record */
export const getRecordTool = defineTool({
  name: "airtable.get_record",
  description: "Read one record of an Airtable table with all its fields.",
  access: "read",
  input: Input,
  examples: [
    "show the record {record} in the airtable table {table}",
    "read the record {record} of the airtable table {table}",
    "show {record} from {table} in airtable",
    "what is {record} in the airtable table {table}",
    "open the record {record} in {table} in airtable",
  ],
  summary: ({ table, record }: Input) => `Read the record “${record.trim()}” of “${table.trim()}” in Airtable`,
  async run(input, context) {
    const place = await findTable(context, input, "read");
    const match = await findRecord(context, place, input.record);
    const [record = match] = await nameLinks(context, place, [match]);
    const url = buildRecordUrl(context, place, record.id);
    const lines = place.table.fields.flatMap((field) => {
      const value = formatFieldValue(field, record.fields[field.name]);
      return value === "" ? [] : [`- ${escapeCell(field.name)}: ${escapeCell(truncateText(value, MAX_VALUE_LENGTH))}`];
    });
    return {
      data: { id: record.id, base: place.base.name, table: place.table.name, fields: record.fields, url },
      text: `**${escapeCell(getRecordName(record, place))}**\n${url}\n\n${lines.join("\n") || "(The record is empty.)"}`,
      url,
    };
  },
});

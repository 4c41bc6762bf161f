import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { escapeCell } from "../markup/markdown.ts";
import { quoteTitle } from "../place.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import { findField, findPrimaryField, findTable, formatTablePlace, getTablePath, type TablePlace } from "./base.ts";
import { AirtableRecord, buildRecordUrl, getRecordName } from "./record.ts";
import { type CellInput, toCellValue } from "./values.ts";

const Input = z.object({
  table: withDescription(z.string(), "Title, id or URL of the table."),
  name: withDescription(z.string(), "Title of the record: the value of its first column."),
  fields: withDescription(
    z.optional(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))),
    "Other columns by name. Dates as 2026-12-24; several choices or records separated by commas.",
  ),
  base: withDescription(
    z.optional(z.string()),
    "Name or id of the base, if several bases have a table with this name.",
  ),
});
type Input = z.output<typeof Input>;

const Created = z.looseObject({ records: z.array(AirtableRecord).check(z.minLength(1)) });

/** Source: https://airtable.com/developers/web/api/create-records */
export const createRecordTool = defineTool({
  name: "airtable.create_record",
  description: "Add a record to an Airtable table.",
  access: "write",
  input: Input,
  examples: [
    "add a record to the airtable table {table}: {name}",
    "add {name} to {table} in airtable",
    "add {name} to the airtable table {table}",
    "create a record in the airtable table {table}: {name}",
    "create a record in {table} in airtable called {name}",
    "new record in the airtable table {table}: {name}",
  ],
  summary: describeCall,
  resource: ({ table, base }: Input) => formatTablePlace(table, base),
  placeIsTarget: true,
  async describeTarget(input, context) {
    const { table, base } = await findTable(context, input, "change");
    return `${quoteTitle(table.name)} (${table.id}) of ${base.name}`;
  },
  async run(input, context) {
    const place = await findTable(context, input, "change");
    const body = { records: [{ fields: await getFields(input, place, context) }] };
    const request = { method: "POST", path: getTablePath(place), body, answer: Created } as const;
    const { records } = await context.http.request({ ...request, scope: "data.records:write" });
    const [record] = records;
    if (!record)
      throw new Problem(
        "OUTCOME_UNKNOWN",
        "Airtable did not return the new record. The request may have been processed.",
      );
    const [name, url] = [getRecordName(record, place), buildRecordUrl(context, place, record.id)];
    return {
      data: { id: record.id, base: place.base.name, table: place.table.name, fields: record.fields, url },
      text: `Added “${escapeCell(name)}” to ${escapeCell(place.table.name)} (${escapeCell(place.base.name)}).\n\n${url}`,
      url,
    };
  },
});

async function getFields(
  { name, fields }: Pick<Input, "name" | "fields">,
  place: TablePlace,
  context: ToolContext,
): Promise<Record<string, unknown>> {
  const primary = findPrimaryField(place.table);
  const cells: [string, CellInput][] = [
    ...(primary ? [[primary.name, name] as [string, CellInput]] : []),
    ...Object.entries(fields ?? {}),
  ];
  const values: Record<string, unknown> = {};
  for (const [wanted, value] of cells) {
    const field = findField(place.table, wanted);
    values[field.name] = await toCellValue(field, value, place, context);
  }
  return values;
}

function describeCall({ table, name, fields, base }: Input): string {
  const also = Object.entries(fields ?? {}).map(([field, value]) => `${field}: ${String(value).trim()}`);
  const where = `“${table.trim()}”${base?.trim() ? ` of “${base.trim()}”` : ""}`;
  return `Add the record “${name.trim()}”${also.length > 0 ? ` (${also.join(", ")})` : ""} to ${where} in Airtable`;
}

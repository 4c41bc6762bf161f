import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { escapeCell } from "../markup/markdown.ts";
import { narrowPlace, quoteName, quoteTitle } from "../place.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import {
  BASE_FIELD,
  findField,
  findPrimaryField,
  findTable,
  formatTablePlace,
  getTablePath,
  TABLE_FIELD,
  type TablePlace,
} from "./base.ts";
import {
  AirtableRecord,
  buildRecordUrl,
  describeRecord,
  findRecord,
  formatValue,
  getRecordName,
  RECORD_FIELD,
} from "./record.ts";
import { type CellInput, toCellValue } from "./values.ts";

const CreateInput = z.object({
  table: TABLE_FIELD,
  name: withDescription(z.string(), "Title of the record: the value of its first column."),
  fields: withDescription(
    z.optional(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))),
    "Other columns by name. Dates as 2026-12-24; several choices or records separated by commas.",
  ),
  base: BASE_FIELD,
});
type CreateInput = z.output<typeof CreateInput>;

const Created = z.looseObject({ records: z.array(AirtableRecord).check(z.minLength(1)) });

/** Source: https://airtable.com/developers/web/api/create-records */
export const createRecordTool = defineTool({
  name: "airtable.create_record",
  description: "Add a record to an Airtable table.",
  access: "write",
  input: CreateInput,
  examples: [
    "add a record to the airtable table {table}: {name}",
    "add {name} to {table} in airtable",
    "add {name} to the airtable table {table}",
    "create a record in the airtable table {table}: {name}",
    "create a record in {table} in airtable called {name}",
    "new record in the airtable table {table}: {name}",
  ],
  summary: describeCall,
  resource: ({ table, base }) => formatTablePlace(table, base),
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
  { name, fields }: Pick<CreateInput, "name" | "fields">,
  place: TablePlace,
  context: ToolContext,
): Promise<Record<string, unknown>> {
  const primary = findPrimaryField(place.table);
  const cells: [string, CellInput][] = [
    ...(primary ? [[primary.name, name] as [string, CellInput]] : []),
    ...Object.entries(fields ?? {}),
  ];
  const values: Record<string, unknown> = {};
  for (const [fieldName, value] of cells) {
    const field = findField(place.table, fieldName);
    values[field.name] = await toCellValue(field, value, place, context);
  }
  return values;
}

function describeCall({ table, name, fields, base }: CreateInput): string {
  const details = Object.entries(fields ?? {}).map(([field, value]) => `${field}: ${String(value).trim()}`);
  const where = `“${table.trim()}”${base?.trim() ? ` of “${base.trim()}”` : ""}`;
  return `Add the record “${name.trim()}”${details.length > 0 ? ` (${details.join(", ")})` : ""} to ${where} in Airtable`;
}

const UpdateInput = z.object({
  table: TABLE_FIELD,
  record: RECORD_FIELD,
  field: withDescription(z.optional(z.string()), "Column to set."),
  value: withDescription(
    z.optional(z.string()),
    'New value: "Done", "In progress", "Not started", "Todo", "High", "Low", or any other choice, number or day. An empty value clears the field.',
  ),
  fields: withDescription(
    z.optional(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))),
    'Several columns by name instead, such as {"Status": "Done", "Due": "2026-12-24"}.',
  ),
  base: BASE_FIELD,
});
type UpdateInput = z.output<typeof UpdateInput>;

/** Source: https://airtable.com/developers/web/api/update-record (PATCH keeps the other fields) */
export const updateRecordTool = defineTool({
  name: "airtable.update_record",
  description: "Set one or several fields of a record in an Airtable table.",
  access: "write",
  input: UpdateInput,
  examples: [
    "set {field} of {record} to {value} in the airtable table {table}",
    "set {field} of {record} in {table} to {value} in airtable",
    "set the {field} of {record} in the airtable table {table} to {value}",
    "change {field} of {record} to {value} in the airtable table {table}",
    "update {field} of {record} in the airtable table {table} to {value}",
    "set the {field} of {record} to {value} in the table {table}",
    "set {field} of {record} to {value} in the {table} table",
  ],
  summary: (input) => {
    const where = `of “${input.record.trim()}” in “${input.table.trim()}” in Airtable`;
    const changes = listChanges(input);
    const [only, ...more] = changes;
    if (!only || more.length > 0) return `Set ${changes.map(formatChange).join(", ") || "nothing"} ${where}`;
    const [field, value] = only;
    return value === "" ? `Clear ${field} ${where}` : `Set ${field} ${where} to ${value}`;
  },
  resource: ({ table, base }) => formatTablePlace(table, base),
  object: (input) =>
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
    const updated = await context.http.request({ ...request, scope: "data.records:write" });
    const url = buildRecordUrl(context, place, record.id);
    const results = Object.keys(fields).map((name) => ({
      field: name,
      before: formatValue(record.fields[name]),
      value: formatValue(updated.fields[name]),
    }));
    const lines = results.map(({ field, value }) =>
      value === "" ? `Cleared ${escapeCell(field)}` : `Set ${escapeCell(field)} to ${escapeCell(value)}`,
    );
    const [only, ...more] = results;
    return {
      data: { id: record.id, table: place.table.name, ...(more.length > 0 ? { fields: results } : only), url },
      text: `${lines.join(", ")}: “${escapeCell(getRecordName(updated, place))}”.\n\n${url}`,
      url,
    };
  },
});

/** Lists the fields to set, by their names in the input. */
function listChanges({ field, value, fields }: UpdateInput): [string, string][] {
  const single: [string, string][] = field?.trim() ? [[field.trim(), value?.trim() ?? ""]] : [];
  const several = Object.entries(fields ?? {}).map(([name, cell]): [string, string] => [
    name.trim(),
    String(cell).trim(),
  ]);
  return [...single, ...several];
}

function formatChange([field, value]: [string, string]): string {
  return `${field} to ${value || "nothing"}`;
}

const DeleteInput = z.object({
  table: TABLE_FIELD,
  record: RECORD_FIELD,
  base: BASE_FIELD,
});

const Deleted = z.optional(z.looseObject({ id: z.nullish(z.string()), deleted: z.nullish(z.boolean()) }));

/** Source: https://airtable.com/developers/web/api/delete-record */
export const deleteRecordTool = defineTool({
  name: "airtable.delete_record",
  description: "Delete one record from an Airtable table.",
  access: "destructive",
  input: DeleteInput,
  examples: [
    "delete the record {record} from the airtable table {table}",
    "delete {record} from {table} in airtable",
    "delete {record} from the airtable table {table}",
    "remove the record {record} from the airtable table {table}",
    "remove {record} from {table} in airtable",
  ],
  summary: ({ table, record, base }) =>
    `Delete the record “${record.trim()}” from “${table.trim()}”${base?.trim() ? ` of “${base.trim()}”` : ""} in Airtable`,
  resource: ({ table, base }) => formatTablePlace(table, base),
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

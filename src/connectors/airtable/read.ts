import * as z from "zod/mini";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell, formatCount, formatMarkdownTable, formatNoun, truncateText } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import { BASE_FIELD, type Field, findBase, findTable, listTables, readBases, TABLE_FIELD } from "./base.ts";
import { buildRecordUrl, findRecord, formatFieldValue, getRecordName, nameLinks, RECORD_FIELD } from "./record.ts";

const GetInput = z.object({
  table: TABLE_FIELD,
  record: RECORD_FIELD,
  base: BASE_FIELD,
});

/** Longest value that is shown, in characters. */
const MAX_VALUE_LENGTH = 2_000;

/** Source: https://airtable.com/developers/web/api/get-record */
export const getRecordTool = defineTool({
  name: "airtable.get_record",
  description: "Read one record of an Airtable table with all its fields.",
  access: "read",
  input: GetInput,
  examples: [
    "show the record {record} in the airtable table {table}",
    "read the record {record} of the airtable table {table}",
    "show {record} from {table} in airtable",
    "what is {record} in the airtable table {table}",
    "open the record {record} in {table} in airtable",
  ],
  summary: ({ table, record }) => `Read the record “${record.trim()}” of “${table.trim()}” in Airtable`,
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

const ListBasesInput = z.object({});

/** Source: https://airtable.com/developers/web/api/list-bases */
export const listBasesTool = defineListTool({
  name: "airtable.list_bases",
  description: "List the bases of the Airtable account.",
  input: ListBasesInput,
  limit: { usual: 100, most: 1000 },
  examples: [
    "list my airtable bases",
    "show the bases in airtable",
    "which bases are in airtable",
    "what is in airtable",
    "list bases",
  ],
  summary: () => "List the bases in Airtable",
  async run(_, context, list) {
    const { items: bases, more } = await readBases(context, list);
    const site = context.http.endpoints.web ?? "https://airtable.com";
    const data = bases.map(({ id, name, permissionLevel }) => ({
      id,
      name,
      access: permissionLevel,
      url: `${site}/${id}`,
    }));
    const rows = data.map(({ name, access, url }) => [name, access ?? "", url]);
    const text = formatList(list, {
      count: rows.length,
      words: formatNoun(rows.length, "base"),
      more,
      none: "No bases in Airtable that kay can access.",
      items: () => formatMarkdownTable(["Base", "Access", "Address"], rows),
    });
    return { data: { bases: data, more }, text, url: site };
  },
});

const DescribeBaseInput = z.object({
  base: withDescription(z.optional(z.string()), "Name, id or URL of the base. Default: the only base."),
  table: withDescription(z.optional(z.string()), "Name of a table, to show only its fields."),
});

/** Source: https://airtable.com/developers/web/api/get-base-schema */
export const describeBaseTool = defineTool({
  name: "airtable.describe_base",
  description: "Show the tables of an Airtable base and their fields.",
  access: "read",
  input: DescribeBaseInput,
  examples: [
    "describe the airtable base {base}",
    "show the tables of the airtable base {base}",
    "which tables are in the airtable base {base}",
    "which fields are in the airtable base {base}",
    "what is in the airtable base {base}",
    "which fields are in the airtable table {table}",
    "fields of the table {table} in airtable",
    "list the tables of the airtable base",
    "which tables are in airtable",
  ],
  summary: ({ base, table }) =>
    table?.trim()
      ? `Read the fields of the table “${table.trim()}” in Airtable`
      : `Read the tables of ${base?.trim() ? `the base “${base.trim()}”` : "the base"} in Airtable`,
  async run(input, context) {
    const place = input.table?.trim()
      ? await findTable(context, { base: input.base, table: input.table }, "read")
      : undefined;
    const base = place?.base ?? (await findBase(context, input.base, "read"));
    const tables = place ? [place.table] : await listTables(context, base);
    const url = `${context.http.endpoints.web ?? "https://airtable.com"}/${base.id}`;
    const data = tables.map(({ id, name, description, fields }) => ({
      id,
      name,
      ...(description ? { description } : {}),
      fields: fields.map((field) => ({ name: field.name, type: field.type, ...getChoices(field) })),
    }));
    const parts = tables.map(({ name, fields }) => {
      const rows = fields.map((field) => [field.name, field.type, (getChoices(field).choices ?? []).join(", ")]);
      return `**${escapeCell(name)}**\n\n${formatMarkdownTable(["Field", "Type", "Choices"], rows)}`;
    });
    const head = place ? [] : [`${escapeCell(base.name)} has ${formatCount(tables.length, "table")}.`];
    return { data: { base: base.name, id: base.id, tables: data, url }, text: [...head, ...parts].join("\n\n"), url };
  },
});

function getChoices({ options }: Field): { choices?: string[] } {
  const names = (options?.choices ?? []).map(({ name }) => name);
  return names.length > 0 ? { choices: names } : {};
}

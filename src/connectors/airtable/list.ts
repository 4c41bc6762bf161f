import * as z from "zod/mini";
import type { ListRequest } from "../http/pages.ts";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell, formatMarkdownTable, formatNoun } from "../markup/markdown.ts";
import { withDescription } from "../tool.ts";
import {
  BASE_FIELD,
  type Field,
  findField,
  findPrimaryField,
  findTable,
  TABLE_FIELD,
  type TablePlace,
} from "./base.ts";
import {
  buildAnyContains,
  buildIsChecked,
  buildIsEmpty,
  buildIsOnDay,
  buildNot,
  buildNumberEquals,
  buildTextEquals,
  isTextField,
} from "./formula.ts";
import {
  type AirtableRecord,
  buildRecordUrl,
  formatFieldValue,
  formatValue,
  getRecordName,
  nameLinks,
  readRecords,
} from "./record.ts";
import { findChoice, parseNumber, parseSwitch } from "./values.ts";

const Input = z.object({
  table: TABLE_FIELD,
  base: BASE_FIELD,
  field: withDescription(z.optional(z.string()), "Column to filter by."),
  value: withDescription(
    z.optional(z.string()),
    'Value to match: "Done", "In progress", "Not started", "Todo", "High", "Low", or any other. A value that begins with not inverts the filter; an empty value matches empty cells.',
  ),
  text: withDescription(z.optional(z.string()), "Words in any of the columns."),
  formula: withDescription(
    z.optional(z.string()),
    "Airtable formula to use as the query. It overrides field, value and text.",
  ),
  sort: withDescription(z.optional(z.string()), "Column to sort by. A leading hyphen sorts in descending order."),
});
type Input = z.output<typeof Input>;

/** Columns shown to the user. The model gets all. */
const MAX_COLUMNS = 5;

/** Source: https://airtable.com/developers/web/api/list-records */
export const listRecordsTool = defineListTool({
  name: "airtable.list_records",
  description: "List the records of an Airtable table, all of them or those with a given value.",
  input: Input,
  limit: { usual: 50, most: 500 },
  examples: [
    "list the records of the airtable table {table}",
    "show the airtable table {table}",
    "show {table} in airtable",
    "what is in the airtable table {table}",
    "show {table} in airtable where {field} is {value}",
    "list the records in the airtable table {table} where {field} is {value}",
    "show the records of {table} in airtable with {field} {value}",
    "{table} records in airtable where {field} is {value}",
    "find {text} in the airtable table {table}",
    "list the records of {table} in the base {base}",
    "show the table {table} in airtable",
  ],
  summary: (input) => `List ${describeList(input)}`,
  async run(input, context, list) {
    const place = await findTable(context, input, "read");
    const sort = input.sort?.trim() ? findField(place.table, input.sort.trim().replace(/^-/, "")).name : undefined;
    const query = { formula: getFormula(input, place), sort, descending: /^\s*-/.test(input.sort ?? "") };
    const { records: matches, more } = await readRecords(context, place, query, list);
    const records = await nameLinks(context, place, matches);
    const data = records.map((record) => ({
      id: record.id,
      ...record.fields,
      url: buildRecordUrl(context, place, record.id),
    }));
    return {
      data: { base: place.base.name, table: place.table.name, records: data, more },
      text: formatResult(records, more, place, list),
      url: buildRecordUrl(context, place),
    };
  },
});

function getFormula({ formula, field, value, text }: Input, { table }: TablePlace): string | undefined {
  if (formula?.trim()) return formula.trim();
  if (field?.trim() && value?.trim()) return buildFieldFormula(findField(table, field), value.trim());
  if (!text?.trim()) return undefined;
  const fields = table.fields
    .filter((field) => isTextField(field) || field.id === table.primaryFieldId)
    .map(({ name }) => name);
  return buildAnyContains(fields, text.trim());
}

function buildFieldFormula(field: Field, text: string): string {
  const negated = /^(?:not|isn't|is not)\s+(\S.*)$/i.exec(text)?.[1];
  if (negated !== undefined) return buildNot(buildFieldFormula(field, negated));
  if (/^(empty|nothing|blank|none|nobody)$/i.test(text)) return buildIsEmpty(field.name);
  switch (field.type) {
    case "number":
    case "currency":
    case "rating":
    case "duration":
    case "percent":
    case "autoNumber":
    case "count":
      return buildNumberEquals(
        field.name,
        /%$/.test(text) ? parseNumber(field, text.slice(0, -1)) / 100 : parseNumber(field, text),
      );
    case "checkbox":
      return buildIsChecked(field.name, parseSwitch(field, text));
    case "singleSelect":
      return buildTextEquals(field.name, findChoice(field, text));
    case "date":
    case "dateTime":
      return /^\d{4}-\d\d-\d\d$/.test(text) ? buildIsOnDay(field.name, text) : buildTextEquals(field.name, text);
    case "multipleSelects":
    case "multipleRecordLinks":
    case "multipleLookupValues":
    case "multipleCollaborators":
    case "singleCollaborator":
      return buildAnyContains([field.name], text);
    default:
      return buildTextEquals(field.name, text);
  }
}

function describeList({ table, base, field, value, text, formula }: Input): string {
  const where = formula?.trim()
    ? ` matching ${formula.trim()}`
    : field?.trim() && value?.trim()
      ? ` where ${field.trim()} is ${value.trim()}`
      : text?.trim()
        ? ` with “${text.trim()}”`
        : "";
  return `records of “${table.trim()}”${base?.trim() ? ` in “${base.trim()}”` : ""} in Airtable${where}`;
}

function formatResult(records: AirtableRecord[], more: boolean, place: TablePlace, list: ListRequest): string {
  const where = `in ${escapeCell(place.table.name)} (${escapeCell(place.base.name)})`;
  const primary = findPrimaryField(place.table);
  const others = place.table.fields.filter(({ id }) => id !== primary?.id);
  const columns = others
    .filter(({ name }) => records.some(({ fields }) => formatValue(fields[name]) !== ""))
    .slice(0, MAX_COLUMNS);
  const rows = records.map((record) => [
    getRecordName(record, place),
    ...columns.map((field) => formatFieldValue(field, record.fields[field.name])),
  ]);
  return formatList(list, {
    count: records.length,
    words: `${formatNoun(records.length, "record")} ${where}`,
    more,
    none: `No matching records ${where}.`,
    items: () => formatMarkdownTable([primary?.name ?? "Record", ...columns.map(({ name }) => name)], rows),
  });
}

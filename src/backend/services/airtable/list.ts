import * as z from "zod/mini";
import { describe } from "../fields.ts";
import { cell, count, markdownTable } from "../markdown.ts";
import { defineTool } from "../service.ts";
import { type Field, fieldOf, findTable, type Place, primaryField } from "./base.ts";
import { anyContains, checked, isEmpty, isText, not, numberEquals, onDay, textEquals } from "./formula.ts";
import { type AirtableRecord, nameOf, readRecords, recordUrl } from "./record.ts";
import { choiceOf, numberOf, shownValue, switchOf } from "./values.ts";

const Input = z.object({
  table: describe(z.string(), "Title, id or address of the table."),
  base: describe(z.optional(z.string()), "Name or id of the base, when several have such a table."),
  field: describe(z.optional(z.string()), "Column to look at, for records with a certain value."),
  value: describe(
    z.optional(z.string()),
    'What it has to be: "Done", "In progress", "Not started", "Todo", "High", "Low", or any other; with not before it, all others; empty, for none.',
  ),
  text: describe(z.optional(z.string()), "Words that any of the columns contains."),
  formula: describe(z.optional(z.string()), "A whole Airtable formula; field, value and words are then ignored."),
  sort: describe(z.optional(z.string()), "Column to order by; a hyphen before it for the largest first."),
  limit: describe(z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(500))), "At most so many; 50."),
});
type Input = z.output<typeof Input>;

/** Columns that a person sees; a model gets all. */
const SHOWN = 5;

/** Source: https://airtable.com/developers/web/api/list-records */
export const listRecords = defineTool({
  name: "airtable.list_records",
  description: "List the records of an Airtable table, all of them or those with a certain value.",
  access: "read",
  input: Input,
  examples: [
    "list the records of the airtable table {table}",
    "show the airtable table {table}",
    "show {table} in airtable",
    "what is in the airtable table {table}",
    "show {table} in airtable where {field} is {value}",
    "list the records in the airtable table {table} where {field} is {value}",
    "find {text} in the airtable table {table}",
    "list the records of {table} in the base {base}",
  ],
  summary: (input: Input) => `List ${words(input)}`,
  async run(input, context) {
    const place = await findTable(context, input.table, input.base);
    const sort = input.sort?.trim() ? fieldOf(place.table, input.sort.trim().replace(/^-/, "")).name : undefined;
    const query = { formula: formulaOf(input, place), sort, descending: /^\s*-/.test(input.sort ?? "") };
    const { records, more } = await readRecords(context, place, query, input.limit ?? 50);
    const data = records.map((record) => ({
      id: record.id,
      ...record.fields,
      url: recordUrl(context, place, record.id),
    }));
    return {
      data: { base: place.base.name, table: place.table.name, records: data, more },
      text: resultText(records, more, place),
      url: recordUrl(context, place),
    };
  },
});

function formulaOf({ formula, field, value, text }: Input, { table }: Place): string | undefined {
  if (formula?.trim()) return formula.trim();
  if (field?.trim() && value?.trim()) return fieldFormula(fieldOf(table, field), value.trim());
  if (!text?.trim()) return undefined;
  const fields = table.fields.filter((one) => isText(one) || one.id === table.primaryFieldId).map(({ name }) => name);
  return anyContains(fields, text.trim());
}

function fieldFormula(field: Field, text: string): string {
  const negated = /^(?:not|isn't|is not)\s+(.+)$/i.exec(text)?.[1];
  if (negated !== undefined) return not(fieldFormula(field, negated));
  if (/^(empty|nothing|blank|none|nobody)$/i.test(text)) return isEmpty(field.name);
  switch (field.type) {
    case "number":
    case "currency":
    case "rating":
    case "duration":
    case "percent":
    case "autoNumber":
    case "count":
      return numberEquals(
        field.name,
        /%$/.test(text) ? numberOf(field, text.slice(0, -1)) / 100 : numberOf(field, text),
      );
    case "checkbox":
      return checked(field.name, switchOf(field, text));
    case "singleSelect":
      return textEquals(field.name, choiceOf(field, text));
    case "date":
    case "dateTime":
      return /^\d{4}-\d\d-\d\d$/.test(text) ? onDay(field.name, text) : textEquals(field.name, text);
    case "multipleSelects":
    case "multipleRecordLinks":
    case "multipleLookupValues":
    case "multipleCollaborators":
    case "singleCollaborator":
      return anyContains([field.name], text);
    default:
      return textEquals(field.name, text);
  }
}

function words({ table, base, field, value, text, formula }: Input): string {
  const where = formula?.trim()
    ? ` matching ${formula.trim()}`
    : field?.trim() && value?.trim()
      ? ` where ${field.trim()} is ${value.trim()}`
      : text?.trim()
        ? ` with “${text.trim()}”`
        : "";
  return `records of “${table.trim()}”${base?.trim() ? ` in “${base.trim()}”` : ""} in Airtable${where}`;
}

function resultText(records: AirtableRecord[], more: boolean, place: Place): string {
  const where = `in ${cell(place.table.name)} (${cell(place.base.name)})`;
  if (records.length === 0) return `No such records ${where}.`;
  const primary = primaryField(place.table);
  const others = place.table.fields.filter(({ id }) => id !== primary?.id).map(({ name }) => name);
  const shown = others.filter((name) => records.some(({ fields }) => shownValue(fields[name]) !== "")).slice(0, SHOWN);
  const rows = records.map((record) => [
    nameOf(record, place),
    ...shown.map((name) => shownValue(record.fields[name])),
  ]);
  const head = more
    ? `The first ${records.length} records ${where}; there are more:`
    : `${count(records.length, "record")} ${where}:`;
  return `${head}\n\n${markdownTable([primary?.name ?? "Record", ...shown], rows)}`;
}

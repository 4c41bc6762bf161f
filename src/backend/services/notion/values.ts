import { Problem } from "#protocol/errors";
import { cell } from "../markdown.ts";
import type { ToolContext } from "../service.ts";
import { plainText } from "./rich-text.ts";
import { type Column, optionOf, userOf } from "./schema.ts";

/**
 * A text as the value of a property, as Notion takes it; an empty text clears it.
 * Source: https://developers.notion.com/reference/page-property-values
 *
 * @throws Problem INVALID_REQUEST when it does not fit the property, before anything is written
 */
export async function propertyValue(column: Column, text: string, context: ToolContext): Promise<unknown> {
  const value = text.trim();
  switch (column.type) {
    case "title":
    case "rich_text":
      return { [column.type]: plainText(value) };
    case "number":
      return { number: value === "" ? null : numberOf(column, value) };
    case "checkbox":
      return { checkbox: switchOf(column, value) };
    case "select":
    case "status":
      return { [column.type]: value === "" ? null : { name: optionOf(column, value) } };
    case "multi_select":
      return { multi_select: listed(value).map((one) => ({ name: optionOf(column, one) })) };
    case "date":
      return { date: value === "" ? null : dateOf(column, value) };
    case "url":
    case "email":
    case "phone_number":
      return { [column.type]: value === "" ? null : value };
    case "people":
      return { people: await people(value, context) };
    default:
      throw unfit(column, `kay cannot set it: it is of the kind ${column.type.replaceAll("_", " ")}`);
  }
}

/**
 * The filter for rows whose property has a value, or has it not ("not Done").
 * Source: https://developers.notion.com/reference/post-database-query-filter
 */
export async function propertyFilter(
  column: Column,
  text: string,
  context: ToolContext,
): Promise<Record<string, unknown>> {
  const negated = /^(?:not|isn't|is not)\s+(.+)$/i.exec(text.trim());
  const value = negated?.[1]?.trim() ?? text.trim();
  const { type } = column;
  const condition = await conditionOf(column, value, context);
  if (!negated) return { property: column.name, [type]: condition };
  const turned = Object.entries(condition).map(([operator, operand]) => [`does_not_${singular(operator)}`, operand]);
  if (type === "date") throw unfit(column, "kay can look for a date, not for its absence");
  return { property: column.name, [type]: Object.fromEntries(turned) };
}

async function conditionOf(column: Column, value: string, context: ToolContext): Promise<Record<string, unknown>> {
  switch (column.type) {
    case "title":
    case "rich_text":
    case "url":
    case "email":
    case "phone_number":
      return { contains: value };
    case "number":
      return { equals: numberOf(column, value) };
    case "checkbox":
      return { equals: switchOf(column, value) };
    case "select":
    case "status":
      return { equals: optionOf(column, value) };
    case "multi_select":
      return { contains: optionOf(column, value) };
    case "date":
      return { equals: value };
    case "people":
      return { contains: await userOf(context, value) };
    default:
      throw unfit(column, `kay cannot look for it: it is of the kind ${column.type.replaceAll("_", " ")}`);
  }
}

function singular(operator: string): string {
  return operator.replace(/s$/, "");
}

function numberOf(column: Column, value: string): number {
  const number = Number(value.replace(/[\s,_]/g, ""));
  if (Number.isFinite(number)) return number;
  throw unfit(column, `“${cell(value)}” is no number`);
}

function switchOf(column: Column, value: string): boolean {
  if (/^(yes|true|on|1|checked|done|x)$/i.test(value)) return true;
  if (/^(no|false|off|0|unchecked|open|)$/i.test(value)) return false;
  throw unfit(column, `“${cell(value)}” is neither yes nor no`);
}

/** A day or a moment in ISO 8601, or two of them for a period. */
function dateOf(column: Column, value: string): { start: string; end?: string } {
  const [start = "", end] = value.split(/\s+(?:to|until|–|-)\s+|\s*\/\s*/);
  const wrong = [start, end].find((one) => one !== undefined && !isDate(one));
  if (wrong !== undefined) throw unfit(column, `“${cell(wrong)}” is no date such as 2026-12-24`);
  return end === undefined ? { start } : { start, end };
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d(T\d\d:\d\d.*)?$/.test(text) && !Number.isNaN(Date.parse(text));
}

async function people(value: string, context: ToolContext): Promise<{ id: string }[]> {
  const found: { id: string }[] = [];
  for (const one of /^(nobody|no one|none)$/i.test(value) ? [] : listed(value)) {
    found.push({ id: await userOf(context, one) });
  }
  return found;
}

function listed(value: string): string[] {
  return value
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);
}

function unfit({ name }: Column, why: string): Problem {
  return new Problem("INVALID_REQUEST", `The property ${cell(name)} does not take that: ${why}.`, {
    details: { field: "value" },
  });
}

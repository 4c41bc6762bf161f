import { Problem } from "#protocol/errors";
import { splitList } from "../input-text.ts";
import { escapeCell } from "../markup/markdown.ts";
import type { ToolContext } from "../tool.ts";
import { toPlainText } from "./rich-text.ts";
import { type Column, findOption, findUser } from "./schema.ts";

/**
 * Converts a text to the value that Notion expects for a property. An empty text clears it. Source:
 * https://developers.notion.com/reference/page-property-values
 *
 * @throws Problem INVALID_REQUEST before anything is written if the text does not fit the property
 */
export async function toPropertyValue(column: Column, text: string, context: ToolContext): Promise<unknown> {
  const value = text.trim();
  switch (column.type) {
    case "title":
    case "rich_text":
      return { [column.type]: toPlainText(value) };
    case "number":
      return { number: value === "" ? null : getNumber(column, value) };
    case "checkbox":
      return { checkbox: getSwitch(column, value) };
    case "select":
    case "status":
      return { [column.type]: value === "" ? null : { name: findOption(column, value) } };
    case "multi_select":
      return { multi_select: splitList(value).map((name) => ({ name: findOption(column, name) })) };
    case "date":
      return { date: value === "" ? null : getDate(column, value) };
    case "url":
    case "email":
    case "phone_number":
      return { [column.type]: value === "" ? null : value };
    case "people":
      return { people: await findPeople(value, context) };
    default:
      throw invalidValueProblem(column, `kay cannot set properties of the type ${column.type.replaceAll("_", " ")}`);
  }
}

/**
 * Builds the filter for rows with a value, or without it ("not Done"). Source:
 * https://developers.notion.com/reference/post-database-query-filter
 */
export async function toPropertyFilter(
  column: Column,
  text: string,
  context: ToolContext,
): Promise<Record<string, unknown>> {
  const negation = /^(?:not|isn't|is not)\s+(\S.*)$/i.exec(text.trim());
  const value = negation?.[1]?.trim() ?? text.trim();
  const { type } = column;
  const condition = await getCondition(column, value, context);
  if (!negation) return { property: column.name, [type]: condition };
  const negatedEntries = Object.entries(condition).map(([operator, operand]) => [
    `does_not_${toSingular(operator)}`,
    operand,
  ]);
  if (type === "date") throw invalidValueProblem(column, "kay can filter by a date, but not by its absence");
  return { property: column.name, [type]: Object.fromEntries(negatedEntries) };
}

async function getCondition(column: Column, value: string, context: ToolContext): Promise<Record<string, unknown>> {
  switch (column.type) {
    case "title":
    case "rich_text":
    case "url":
    case "email":
    case "phone_number":
      return { contains: value };
    case "number":
      return { equals: getNumber(column, value) };
    case "checkbox":
      return { equals: getSwitch(column, value) };
    case "select":
    case "status":
      return { equals: findOption(column, value) };
    case "multi_select":
      return { contains: findOption(column, value) };
    case "date":
      return { equals: value };
    case "people":
      return { contains: await findUser(context, value, "read") };
    default:
      throw invalidValueProblem(
        column,
        `kay cannot filter by properties of the type ${column.type.replaceAll("_", " ")}`,
      );
  }
}

function toSingular(operator: string): string {
  return operator.replace(/s$/, "");
}

function getNumber(column: Column, value: string): number {
  const number = Number(value.replace(/[\s,_]/g, ""));
  if (Number.isFinite(number)) return number;
  throw invalidValueProblem(column, `“${escapeCell(value)}” is not a number`);
}

function getSwitch(column: Column, value: string): boolean {
  if (/^(yes|true|on|1|checked|done|x)$/i.test(value)) return true;
  if (/^(no|false|off|0|unchecked|open|)$/i.test(value)) return false;
  throw invalidValueProblem(column, `“${escapeCell(value)}” is neither yes nor no`);
}

/** Parses a date or time in ISO 8601, or two of them for a period. */
function getDate(column: Column, value: string): { start: string; end?: string } {
  const [start = "", end] = value.split(/(?<!\s)\s+(?:to|until|–|-)\s+|(?<!\s)\s*\/\s*/);
  const invalidDate = [start, end].find((date) => date !== undefined && !isDate(date));
  if (invalidDate !== undefined)
    throw invalidValueProblem(column, `“${escapeCell(invalidDate)}” is not a date such as 2026-12-24`);
  return end === undefined ? { start } : { start, end };
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d(T\d\d:\d\d.*)?$/.test(text) && !Number.isNaN(Date.parse(text));
}

async function findPeople(value: string, context: ToolContext): Promise<{ id: string }[]> {
  const people: { id: string }[] = [];
  for (const name of /^(nobody|no one|none)$/i.test(value) ? [] : splitList(value)) {
    people.push({ id: await findUser(context, name, "change") });
  }
  return people;
}

function invalidValueProblem({ name }: Column, why: string): Problem {
  return new Problem("INVALID_REQUEST", `Invalid value for the property ${escapeCell(name)}: ${why}.`, {
    details: { field: "value" },
  });
}

import { Problem } from "#protocol/errors";
import { splitList } from "../input-text.ts";
import { escapeCell } from "../markup/markdown.ts";
import type { ToolContext } from "../tool.ts";
import type { Field, TablePlace } from "./base.ts";
import { findRecord } from "./record.ts";

/** An input value for a field, from users and models. */
export type CellInput = string | number | boolean;

/**
 * Converts a text to the value that Airtable expects for a field. An empty text clears the field. Options must exist,
 * because Airtable would create a misspelled one. Source: https://airtable.com/developers/web/api/field-model
 *
 * @throws Problem INVALID_REQUEST before anything is written if the text does not fit the field
 */
export async function toCellValue(
  field: Field,
  input: CellInput,
  place: TablePlace,
  context: ToolContext,
): Promise<unknown> {
  const text = String(input).trim();
  if (WRITABLE.has(field.type) && text === "") return field.type === "checkbox" ? false : null;
  switch (field.type) {
    case "singleLineText":
    case "multilineText":
    case "richText":
    case "email":
    case "url":
    case "phoneNumber":
      return text;
    case "number":
    case "currency":
    case "rating":
    case "duration":
      return parseNumber(field, text);
    case "percent":
      return /%$/.test(text) ? parseNumber(field, text.slice(0, -1)) / 100 : parseNumber(field, text);
    case "checkbox":
      return parseSwitch(field, text);
    case "singleSelect":
      return findChoice(field, text);
    case "multipleSelects":
      return splitList(text).map((choice) => findChoice(field, choice));
    case "date":
    case "dateTime":
      return getDate(field, text);
    case "singleCollaborator":
      return parseCollaborator(field, text);
    case "multipleCollaborators":
      return splitList(text).map((person) => parseCollaborator(field, person));
    case "multipleRecordLinks":
      return await resolveLinks(field, text, place, context);
    default:
      throw invalidValueProblem(field, `kay cannot set fields of the type ${field.type}`);
  }
}

/** Finds a choice and returns its exact spelling. @throws Problem INVALID_REQUEST that lists the existing choices */
export function findChoice(field: Field, text: string): string {
  const choices = (field.options?.choices ?? []).map(({ name }) => name);
  const match = choices.find((choice) => choice.trim().toLowerCase() === text.trim().toLowerCase());
  if (match !== undefined) return match;
  const hint = choices.length > 0 ? `Available: ${choices.map(escapeCell).join(", ")}.` : "It has no choices yet.";
  throw new Problem("INVALID_REQUEST", `“${escapeCell(text)}” is not a choice of ${escapeCell(field.name)}.`, {
    hint,
    details: { field: "value" },
  });
}

/** Parses a number as users write it. @throws Problem INVALID_REQUEST */
export function parseNumber(field: Field, text: string): number {
  const number = Number(text.replace(/[\s,_$€£]/g, ""));
  if (text !== "" && Number.isFinite(number)) return number;
  throw invalidValueProblem(field, `“${escapeCell(text)}” is not a number`);
}

/** Parses yes or no. @throws Problem INVALID_REQUEST */
export function parseSwitch(field: Field, text: string): boolean {
  if (/^(yes|true|on|1|checked|done|x)$/i.test(text)) return true;
  if (/^(no|false|off|0|unchecked|open)$/i.test(text)) return false;
  throw invalidValueProblem(field, `“${escapeCell(text)}” is neither yes nor no`);
}

const WRITABLE = new Set(
  (
    "singleLineText multilineText richText email url phoneNumber number currency rating duration percent checkbox singleSelect " +
    "multipleSelects date dateTime singleCollaborator multipleCollaborators multipleRecordLinks"
  ).split(" "),
);

function getDate(field: Field, text: string): string {
  const shape = field.type === "date" ? /^\d{4}-\d\d-\d\d$/ : /^\d{4}-\d\d-\d\d(T\d\d:\d\d.*)?$/;
  if (shape.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw invalidValueProblem(
    field,
    `“${escapeCell(text)}” is not a ${field.type === "date" ? "date such as 2026-12-24" : "time such as 2026-12-24T09:00:00Z"}`,
  );
}

function parseCollaborator(field: Field, text: string): Record<string, string> {
  if (/^usr[A-Za-z0-9]{14}$/.test(text)) return { id: text };
  if (/^[^\s@]+@\S+$/.test(text)) return { email: text };
  throw invalidValueProblem(field, "it requires email addresses");
}

/** Converts names to record IDs by looking them up in the table that the field links to. */
async function resolveLinks(field: Field, text: string, place: TablePlace, context: ToolContext): Promise<string[]> {
  const table = place.tables.find(({ id }) => id === field.options?.linkedTableId);
  const ids: string[] = [];
  for (const reference of splitList(text)) {
    if (/^rec[A-Za-z0-9]{14}$/.test(reference)) ids.push(reference);
    else if (table) ids.push((await findRecord(context, { ...place, table }, reference)).id);
    else throw invalidValueProblem(field, "it requires record IDs");
  }
  return ids;
}

function invalidValueProblem({ name }: Field, why: string): Problem {
  return new Problem("INVALID_REQUEST", `Invalid value for the field ${escapeCell(name)}: ${why}.`, {
    details: { field: "value" },
  });
}

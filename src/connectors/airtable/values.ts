import { Problem } from "#protocol/errors";
import { escapeCell } from "../markup/markdown.ts";
import type { ToolContext } from "../service.ts";
import type { Field, TablePlace } from "./base.ts";
import { findRecord } from "./record.ts";

/** What people and models give for a field. */
export type CellInput = string | number | boolean;

/**
 * A text as the value of a field, as Airtable takes it; an empty text clears it. Options are never made up: Airtable would add a misspelt one.
 * Source: https://airtable.com/developers/web/api/field-model
 *
 * @throws Problem INVALID_REQUEST when it does not fit the field, before anything is written
 */
export async function toCellValue(
  field: Field,
  given: CellInput,
  place: TablePlace,
  context: ToolContext,
): Promise<unknown> {
  const text = String(given).trim();
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
      return list(text).map((one) => findChoice(field, one));
    case "date":
    case "dateTime":
      return getDate(field, text);
    case "singleCollaborator":
      return collaborator(field, text);
    case "multipleCollaborators":
      return list(text).map((one) => collaborator(field, one));
    case "multipleRecordLinks":
      return await links(field, text, place, context);
    default:
      throw unfit(field, `Airtable fills it in itself, or kay cannot: it is of the kind ${field.type}`);
  }
}

/** The choice that a text means, in its own spelling. @throws Problem INVALID_REQUEST that lists the choices there are */
export function findChoice(field: Field, text: string): string {
  const choices = (field.options?.choices ?? []).map(({ name }) => name);
  const found = choices.find((choice) => choice.trim().toLowerCase() === text.trim().toLowerCase());
  if (found !== undefined) return found;
  const hint = choices.length > 0 ? `There are: ${choices.map(escapeCell).join(", ")}.` : "It has no choices yet.";
  throw new Problem("INVALID_REQUEST", `“${escapeCell(text)}” is no choice of ${escapeCell(field.name)}.`, {
    hint,
    details: { field: "value" },
  });
}

/** A number as people write it. @throws Problem INVALID_REQUEST */
export function parseNumber(field: Field, text: string): number {
  const number = Number(text.replace(/[\s,_$€£]/g, ""));
  if (text !== "" && Number.isFinite(number)) return number;
  throw unfit(field, `“${escapeCell(text)}” is no number`);
}

/** Yes or no. @throws Problem INVALID_REQUEST */
export function parseSwitch(field: Field, text: string): boolean {
  if (/^(yes|true|on|1|checked|done|x)$/i.test(text)) return true;
  if (/^(no|false|off|0|unchecked|open)$/i.test(text)) return false;
  throw unfit(field, `“${escapeCell(text)}” is neither yes nor no`);
}

/** The values of a field as text. */
export function formatValue(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map(formatValue).filter(Boolean).join(", ");
  if (typeof value !== "object") return String(value);
  const { name, filename, email, label, text, url, id } = value as Record<string, unknown>;
  const said = [name, filename, label, text, email, url, id].find((one) => typeof one === "string" && one !== "");
  return typeof said === "string" ? said : "";
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
  throw unfit(
    field,
    `“${escapeCell(text)}” is no ${field.type === "date" ? "day such as 2026-12-24" : "moment such as 2026-12-24T09:00:00Z"}`,
  );
}

function collaborator(field: Field, text: string): Record<string, string> {
  if (/^usr[A-Za-z0-9]{14}$/.test(text)) return { id: text };
  if (/^\S+@\S+$/.test(text)) return { email: text };
  throw unfit(field, "it takes people by their e-mail address");
}

/** Links are to records by their ids; names are looked up in the table that the field links to. */
async function links(field: Field, text: string, place: TablePlace, context: ToolContext): Promise<string[]> {
  const table = place.tables.find(({ id }) => id === field.options?.linkedTableId);
  const ids: string[] = [];
  for (const one of list(text)) {
    if (/^rec[A-Za-z0-9]{14}$/.test(one)) ids.push(one);
    else if (table) ids.push((await findRecord(context, { ...place, table }, one)).id);
    else throw unfit(field, "it takes the ids of records");
  }
  return ids;
}

function list(text: string): string[] {
  return text
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);
}

function unfit({ name }: Field, why: string): Problem {
  return new Problem("INVALID_REQUEST", `The field ${escapeCell(name)} does not take that: ${why}.`, {
    details: { field: "value" },
  });
}

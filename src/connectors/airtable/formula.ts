import type { Field } from "./base.ts";

/**
 * Builds a filter formula. Values and names are quoted, so they cannot become part of the formula. Source:
 * https://support.airtable.com/docs/formula-field-reference
 */
export function buildTextEquals(field: string, value: string): string {
  return `LOWER(${reference(field)} & "") = ${quote(value.toLowerCase())}`;
}

/** Matches records in which any field contains a text, ignoring case. */
export function buildAnyContains(fields: string[], value: string): string {
  const found = fields.map((field) => `FIND(${quote(value.toLowerCase())}, LOWER(${reference(field)} & ""))`);
  return found.length === 1 ? `${found[0]} > 0` : `OR(${found.join(", ")})`;
}

/** Matches records in which a field equals a number. */
export function buildNumberEquals(field: string, value: number): string {
  return `${reference(field)} = ${value}`;
}

/** Matches records by the state of a checkbox. */
export function buildIsChecked(field: string, value: boolean): string {
  return value ? `${reference(field)} = TRUE()` : `NOT(${reference(field)})`;
}

/** Matches records in which a date or time falls on a day. */
export function buildIsOnDay(field: string, day: string): string {
  return `DATETIME_FORMAT(${reference(field)}, "YYYY-MM-DD") = ${quote(day)}`;
}

/** Matches records in which a field is empty. */
export function buildIsEmpty(field: string): string {
  return `${reference(field)} & "" = ""`;
}

export function buildNot(formula: string): string {
  return `NOT(${formula})`;
}

/** Returns whether text searches include a field. */
export function isTextField({ type }: Pick<Field, "type">): boolean {
  return /^(singleLineText|multilineText|richText|email|url|phoneNumber|singleSelect|multipleSelects|formula)$/.test(
    type,
  );
}

function reference(field: string): string {
  return `{${field.replace(/[\\}]/g, "\\$&")}}`;
}

function quote(text: string): string {
  const escaped = text.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n").replace(/\r/g, "\\r").replace(/\t/g, "\\t");
  return `"${escaped}"`;
}

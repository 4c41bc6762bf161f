import type { Field } from "./base.ts";

/**
 * Formulas for filters. Values and names are quoted, so that none can become a part of the formula.
 * Source: https://support.airtable.com/docs/formula-field-reference
 */
export function buildTextEquals(field: string, value: string): string {
  return `LOWER(${reference(field)} & "") = ${quote(value.toLowerCase())}`;
}

/** Whether any of the fields contains a text, in whatever case. */
export function buildAnyContains(fields: string[], value: string): string {
  const found = fields.map((field) => `FIND(${quote(value.toLowerCase())}, LOWER(${reference(field)} & ""))`);
  return found.length === 1 ? `${found[0]} > 0` : `OR(${found.join(", ")})`;
}

/** Whether a field is a number; the text has been read as one. */
export function buildNumberEquals(field: string, value: number): string {
  return `${reference(field)} = ${value}`;
}

/** Whether a checkbox is set. */
export function buildIsChecked(field: string, value: boolean): string {
  return value ? `${reference(field)} = TRUE()` : `NOT(${reference(field)})`;
}

/** Whether a day is in a field of days or moments. */
export function buildIsOnDay(field: string, day: string): string {
  return `DATETIME_FORMAT(${reference(field)}, "YYYY-MM-DD") = ${quote(day)}`;
}

/** Whether there is nothing in a field. */
export function buildIsEmpty(field: string): string {
  return `${reference(field)} & "" = ""`;
}

export function buildNot(formula: string): string {
  return `NOT(${formula})`;
}

/** Fields whose text a search looks into. */
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

import type { Field } from "./base.ts";

/**
 * Builds a filter formula. Values and names are quoted, so they cannot become part of the formula. Source:
 * https://support.airtable.com/docs/formula-field-reference
 */
export function buildTextEquals(field: string, value: string): string {
  return `LOWER(${buildReference(field)} & "") = ${quoteText(value.toLowerCase())}`;
}

/** Matches records in which any field contains a text, ignoring case. */
export function buildAnyContains(fields: string[], value: string): string {
  const tests = fields.map((field) => `FIND(${quoteText(value.toLowerCase())}, LOWER(${buildReference(field)} & ""))`);
  return tests.length === 1 ? `${tests[0]} > 0` : `OR(${tests.join(", ")})`;
}

/** Matches records in which a field equals a number. */
export function buildNumberEquals(field: string, value: number): string {
  return `${buildReference(field)} = ${value}`;
}

/** Matches records by the state of a checkbox. */
export function buildIsChecked(field: string, value: boolean): string {
  return value ? `${buildReference(field)} = TRUE()` : `NOT(${buildReference(field)})`;
}

/** Matches records in which a date or time falls on a day. */
export function buildIsOnDay(field: string, day: string): string {
  return `DATETIME_FORMAT(${buildReference(field)}, "YYYY-MM-DD") = ${quoteText(day)}`;
}

/** Matches records in which a field is empty. */
export function buildIsEmpty(field: string): string {
  return `${buildReference(field)} & "" = ""`;
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

function buildReference(field: string): string {
  return `{${field.replace(/[\\}]/g, "\\$&")}}`;
}

function quoteText(text: string): string {
  const escaped = text.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n").replace(/\r/g, "\\r").replace(/\t/g, "\\t");
  return `"${escaped}"`;
}

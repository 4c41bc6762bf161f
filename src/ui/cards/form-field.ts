import { findLimitFault } from "#protocol/field-limits";
import type { InputField } from "#protocol/interactions";
import { toLine } from "../text/words.ts";

/** The value of a form field, or its error. */
export type FieldValue = { value: unknown } | { error: string };

/**
 * Parses the text typed for a field. A number, value or label chooses an option; a checkbox with options takes several.
 * Empty text keeps `before`; `-` clears an optional field.
 */
export function parseField(field: InputField, text: string, previous: unknown): FieldValue {
  if (text === "-" && !field.required) return { value: undefined };
  if (text === "") return previous === undefined && field.required ? { error: MUST_BE_FILLED } : { value: previous };
  const { options = [] } = field;
  if (options.length > 0) return parseOptions(field, text);
  const wrong = field.limits && findLimitFault(field.limits, text);
  if (wrong) return { error: `“${toLine(field.label || field.id)}” ${wrong}.` };
  if (field.type !== "checkbox") return { value: text };
  const isYes = /^(y|yes|true|on)$/i.test(text);
  if (isYes || /^(n|no|false|off)$/i.test(text)) return { value: isYes };
  return { error: "Enter yes or no." };
}

/** Error for a required field that is empty. */
export const MUST_BE_FILLED = "This field is required.";

/** Values of a form by field ID. */
export type FormValues = Record<string, unknown>;

/** Returns the values before the user fills in the form. */
export function getInitialValues(fields: InputField[], initial: FormValues = {}): FormValues {
  return Object.fromEntries(fields.map(({ id, defaultValue }) => [id, initial[id] ?? defaultValue]));
}

/** Returns the values to submit, without empty ones. */
export function pickDefined(values: FormValues): FormValues {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Formats a value for display. */
export function formatValue({ options = [] }: InputField, value: unknown): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return value.map((value) => formatOption(options, value)).join(", ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  return formatOption(options, value);
}

function parseOptions({ type, options = [] }: InputField, text: string): FieldValue {
  const words = type === "checkbox" ? text.split(",").map((word) => word.trim()) : [text];
  const values = words.map((word) => findOption(options, word));
  const unknown = words.find((_, index) => values[index] === undefined);
  if (unknown !== undefined) return { error: `${toLine(unknown)} is not one of 1 to ${options.length}.` };
  return { value: type === "checkbox" ? values : values[0] };
}

type Options = NonNullable<InputField["options"]>;

function findOption(options: Options, word: string): string | undefined {
  const option = options.find(({ value, label }) => value === word || label.toLowerCase() === word.toLowerCase());
  return (option ?? options[/^\d+$/.test(word) ? Number(word) - 1 : -1])?.value;
}

function formatOption(options: Options, value: unknown): string {
  const option = options.find((option) => option.value === value);
  return toLine(option?.label ?? (typeof value === "string" ? value : JSON.stringify(value)));
}

import { cleanLine } from "#protocol/clean";
import { findLimitFault, getFormatHint, isKnownFormat } from "#protocol/field-limits";
import type { FieldLimits, InputField } from "#protocol/interactions";
import { isRecord, type JsonRecord } from "#protocol/json";

/** A field of a server's form, with the function that converts its answer. */
export type FormField = {
  field: InputField;
  /** Returns the value to send, nothing for an empty field, or what is wrong, as the end of a sentence. */
  read(input: unknown): { value?: unknown } | { wrong: string };
};

/** Maximum number of fields that a server may ask for at once. */
const MAX_FIELDS = 30;
const MAX_OPTIONS = 100;
const MAX_LABEL_LENGTH = 120;
const MAX_TEXT_LENGTH = 400;
const MAX_VALUE_LENGTH = 10_000;

/**
 * Parses the requested schema: a flat object of texts, numbers, booleans and choices (MCP, "Elicitation").
 *
 * @returns undefined for any other schema
 */
export function parseFormFields(schema: unknown): FormField[] | undefined {
  const { properties, required } = toShape(schema) ?? {};
  const entries = Object.entries(toShape(properties) ?? {});
  if (entries.length === 0 || entries.length > MAX_FIELDS) return undefined;
  const needed = new Set(Array.isArray(required) ? required : []);
  const fields = entries.map(([id, about]) => getField(id, toShape(about), needed.has(id)));
  return fields.every((field) => field !== undefined) ? fields : undefined;
}

function getField(id: string, about: JsonRecord | undefined, required: boolean): FormField | undefined {
  if (!about || id.length > MAX_LABEL_LENGTH) return undefined;
  const options = getOptions(about);
  if (options === null) return undefined;
  switch (about.type) {
    case "boolean":
      return buildCheckbox(id, about);
    case "array":
      return options ? buildMultiSelectField(id, about, options, required) : undefined;
    case "number":
    case "integer":
      return buildNumberField(id, about, required);
    case "string":
      return options ? buildSelectField(id, about, options, required) : buildTextField(id, about, required);
    default:
      return undefined;
  }
}

type Common = { id: string; label: string; description?: string; required?: boolean; defaultValue?: unknown };

function buildCommonField(id: string, about: JsonRecord, required: boolean, limits = ""): Common {
  const ownDescription = typeof about.description === "string" ? cleanLine(about.description, MAX_TEXT_LENGTH) : "";
  const description = [ownDescription, limits].filter(Boolean).join(" ");
  return {
    id,
    label:
      (typeof about.title === "string" && cleanLine(about.title, MAX_LABEL_LENGTH)) || cleanLine(id, MAX_LABEL_LENGTH),
    ...(description ? { description } : {}),
    ...(required ? { required } : {}),
    ...(about.default === undefined || about.default === null ? {} : { defaultValue: getDefault(about.default) }),
  };
}

function getDefault(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => typeof item === "string").slice(0, MAX_OPTIONS);
  if (typeof value === "string") return value.slice(0, MAX_TEXT_LENGTH);
  return typeof value === "number" ? String(value) : value === true;
}

/** Creates a checkbox. It is never required, because "no" is also an answer. */
function buildCheckbox(id: string, about: JsonRecord): FormField {
  return {
    field: { ...buildCommonField(id, about, false), type: "checkbox" },
    read: (value) => ({ value: value === true || value === "true" || value === "yes" }),
  };
}

function buildTextField(id: string, about: JsonRecord, required: boolean): FormField {
  const format = isKnownFormat(about.format) ? about.format : undefined;
  const longest = Math.min(parseBound(about.maxLength) ?? MAX_VALUE_LENGTH, MAX_VALUE_LENGTH);
  const limits = omitUndefined({ format, minLength: parseBound(about.minLength), maxLength: longest });
  return {
    field: {
      ...buildCommonField(id, about, required, format && getFormatHint(format)),
      type: longest > 200 && !format && about.maxLength ? "textarea" : "text",
      limits,
    },
    read: (input) => {
      const value = typeof input === "string" ? input : input === undefined || input === null ? "" : String(input);
      if (value === "") return required ? { wrong: "must be filled in" } : {};
      const problem = findLimitFault(limits, value);
      return problem === undefined ? { value } : { wrong: problem };
    },
  };
}

function buildNumberField(id: string, about: JsonRecord, required: boolean): FormField {
  const [minimum, maximum] = [parseBound(about.minimum), parseBound(about.maximum)];
  const limits = omitUndefined({ format: String(about.type), minimum, maximum });
  const range = minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}` : "";
  return {
    field: { ...buildCommonField(id, about, required, range), type: "text", limits },
    read: (value) => {
      const text = String(value ?? "").trim();
      if (text === "") return required ? { wrong: "must be filled in" } : {};
      const problem = findLimitFault(limits, text);
      return problem === undefined ? { value: Number(text) } : { wrong: problem };
    },
  };
}

type Option = { value: string; label: string };

function buildSelectField(id: string, about: JsonRecord, options: Option[], required: boolean): FormField {
  return {
    field: { ...buildCommonField(id, about, required), type: "select", options },
    read: (input) => {
      if (input === undefined || input === null || input === "") return required ? { wrong: "must be chosen" } : {};
      const option = options.find(({ value }) => value === input);
      return option ? { value: option.value } : { wrong: "must be one of the choices" };
    },
  };
}

function buildMultiSelectField(id: string, about: JsonRecord, options: Option[], required: boolean): FormField {
  const [minimum, maximum] = [parseBound(about.minItems) ?? 0, parseBound(about.maxItems) ?? options.length];
  const limits = { minItems: minimum, maxItems: maximum };
  const hint = about.minItems === undefined && about.maxItems === undefined ? "" : `Choose ${minimum} to ${maximum}.`;
  return {
    field: { ...buildCommonField(id, about, required && minimum > 0, hint), type: "checkbox", options, limits },
    read: (input) => {
      const items = input === undefined || input === null ? [] : Array.isArray(input) ? input : [input];
      const values = options.map(({ value }) => value).filter((value) => items.includes(value));
      if (values.length < new Set(items).size) return { wrong: "must be among the choices" };
      if (values.length === 0 && !required) return {};
      const problem = findLimitFault(limits, values);
      return problem === undefined ? { value: values } : { wrong: problem };
    },
  };
}

/**
 * Returns the choices of an enum, with or without titles, including its older form. Returns undefined without an enum
 * and null for an invalid one.
 */
function getOptions(about: JsonRecord): Option[] | undefined | null {
  const source = about.type === "array" ? toShape(about.items) : about;
  if (!source) return about.type === "array" ? null : undefined;
  const titled = source.oneOf ?? source.anyOf;
  const values = source.enum;
  if (titled === undefined && values === undefined) return about.type === "array" ? null : undefined;
  const choices = (Array.isArray(titled) ? titled : Array.isArray(values) ? values : []).slice(0, MAX_OPTIONS + 1);
  if (choices.length === 0 || choices.length > MAX_OPTIONS) return null;
  const names = Array.isArray(source.enumNames) ? source.enumNames : [];
  const options = choices.map((choice, index): Option | undefined => {
    const value = Array.isArray(titled) ? toShape(choice)?.const : choice;
    const title = Array.isArray(titled) ? toShape(choice)?.title : names[index];
    if (typeof value !== "string" || value.length > MAX_TEXT_LENGTH) return undefined;
    return {
      value,
      label: (typeof title === "string" && cleanLine(title, MAX_LABEL_LENGTH)) || cleanLine(value, MAX_LABEL_LENGTH),
    };
  });
  return options.every((option) => option !== undefined) ? options : null;
}

function parseBound(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function omitUndefined(limits: FieldLimits): FieldLimits {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

function toShape(value: unknown): JsonRecord | undefined {
  return isRecord(value) ? value : undefined;
}

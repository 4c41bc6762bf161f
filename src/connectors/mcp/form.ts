import { cleanLine } from "#protocol/clean";
import type { InputField } from "#protocol/events";

/** A field of a server's form, with the function that converts its answer. */
export type FormField = {
  field: InputField;
  /** Returns the value to send, nothing for an empty field, or what is wrong, as the end of a sentence. */
  read(given: unknown): { value?: unknown } | { wrong: string };
};

/** Maximum number of fields that a server may ask for at once. */
const MAX_FIELDS = 30;
const MAX_OPTIONS = 100;
const MAX_LABEL_LENGTH = 120;
const MAX_TEXT_LENGTH = 400;
const MAX_VALUE_LENGTH = 10_000;

type Shape = Record<string, unknown>;

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

function getField(id: string, about: Shape | undefined, required: boolean): FormField | undefined {
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

function buildCommonField(id: string, about: Shape, required: boolean, limits = ""): Common {
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
  if (Array.isArray(value)) return value.filter((one) => typeof one === "string").slice(0, MAX_OPTIONS);
  if (typeof value === "string") return value.slice(0, MAX_TEXT_LENGTH);
  return typeof value === "number" ? String(value) : value === true;
}

/** Creates a checkbox. It is never required, because "no" is also an answer. */
function buildCheckbox(id: string, about: Shape): FormField {
  return {
    field: { ...buildCommonField(id, about, false), type: "checkbox" },
    read: (given) => ({ value: given === true || given === "true" || given === "yes" }),
  };
}

function buildTextField(id: string, about: Shape, required: boolean): FormField {
  const [least, most] = [
    parseBound(about.minLength) ?? 0,
    Math.min(parseBound(about.maxLength) ?? MAX_VALUE_LENGTH, MAX_VALUE_LENGTH),
  ];
  const check = typeof about.format === "string" ? FORMATS[about.format] : undefined;
  return {
    field: {
      ...buildCommonField(id, about, required, check?.hint),
      type: most > 200 && !check && about.maxLength ? "textarea" : "text",
    },
    read: (given) => {
      const value = typeof given === "string" ? given : given === undefined || given === null ? "" : String(given);
      if (value === "") return required ? { wrong: "must be filled in" } : {};
      const length = [...value].length;
      if (length < least) return { wrong: `must have at least ${least} characters` };
      if (length > most) return { wrong: `must have at most ${most} characters` };
      return check && !check.fits(value) ? { wrong: check.wrong } : { value };
    },
  };
}

const FORMATS: Record<string, { fits(value: string): boolean; wrong: string; hint?: string }> = {
  email: { fits: (value) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value), wrong: "must be an email address" },
  uri: {
    fits: (value) => /^[a-z][a-z0-9+.-]*:\S+$/i.test(value) && URL.canParse(value),
    wrong: "must be a URL such as https://example.com",
  },
  date: { fits: isDate, wrong: "must be a date such as 2026-11-27", hint: "YYYY-MM-DD" },
  "date-time": {
    fits: (value) =>
      /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(value) && !Number.isNaN(Date.parse(value)),
    wrong: "must be a time such as 2026-11-27T12:00:00Z",
    hint: "YYYY-MM-DDThh:mm:ssZ",
  },
};

function isDate(value: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

function buildNumberField(id: string, about: Shape, required: boolean): FormField {
  const [least, most] = [parseBound(about.minimum), parseBound(about.maximum)];
  const whole = about.type === "integer";
  const range = least !== undefined && most !== undefined ? `${least} to ${most}` : "";
  return {
    field: { ...buildCommonField(id, about, required, range), type: "text" },
    read: (given) => {
      const typed = String(given ?? "").trim();
      if (typed === "") return required ? { wrong: "must be filled in" } : {};
      const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(typed) ? Number(typed) : Number.NaN;
      if (!Number.isFinite(value)) return { wrong: "must be a number" };
      if (whole && !Number.isSafeInteger(value)) return { wrong: "must be a whole number" };
      if (least !== undefined && value < least) return { wrong: `must be at least ${least}` };
      if (most !== undefined && value > most) return { wrong: `must be at most ${most}` };
      return { value };
    },
  };
}

type Option = { value: string; label: string };

function buildSelectField(id: string, about: Shape, options: Option[], required: boolean): FormField {
  return {
    field: { ...buildCommonField(id, about, required), type: "select", options },
    read: (given) => {
      if (given === undefined || given === null || given === "") return required ? { wrong: "must be chosen" } : {};
      const found = options.find(({ value }) => value === given);
      return found ? { value: found.value } : { wrong: "must be one of the choices" };
    },
  };
}

function buildMultiSelectField(id: string, about: Shape, options: Option[], required: boolean): FormField {
  const [least, most] = [parseBound(about.minItems) ?? 0, parseBound(about.maxItems) ?? options.length];
  const limits = about.minItems === undefined && about.maxItems === undefined ? "" : `Choose ${least} to ${most}.`;
  return {
    field: { ...buildCommonField(id, about, required && least > 0, limits), type: "checkbox", options },
    read: (given) => {
      const chosen = given === undefined || given === null ? [] : Array.isArray(given) ? given : [given];
      const values = options.map(({ value }) => value).filter((value) => chosen.includes(value));
      if (values.length < new Set(chosen).size) return { wrong: "must be among the choices" };
      if (values.length === 0 && !required) return {};
      if (values.length < least) return { wrong: `needs at least ${least} choices` };
      return values.length > most ? { wrong: `allows at most ${most} choices` } : { value: values };
    },
  };
}

/**
 * Returns the choices of an enum, with or without titles, including its older form. Returns undefined without an enum
 * and null for an invalid one.
 */
function getOptions(about: Shape): Option[] | undefined | null {
  const source = about.type === "array" ? toShape(about.items) : about;
  if (!source) return about.type === "array" ? null : undefined;
  const titled = source.oneOf ?? source.anyOf;
  const plain = source.enum;
  if (titled === undefined && plain === undefined) return about.type === "array" ? null : undefined;
  const listed = (Array.isArray(titled) ? titled : Array.isArray(plain) ? plain : []).slice(0, MAX_OPTIONS + 1);
  if (listed.length === 0 || listed.length > MAX_OPTIONS) return null;
  const names = Array.isArray(source.enumNames) ? source.enumNames : [];
  const options = listed.map((one, index): Option | undefined => {
    const value = Array.isArray(titled) ? toShape(one)?.const : one;
    const title = Array.isArray(titled) ? toShape(one)?.title : names[index];
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

function toShape(value: unknown): Shape | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Shape) : undefined;
}

import { cleanLine } from "#protocol/clean";
import type { InputField } from "#protocol/events";

/** A field of a form that a server asks for, and how its answer becomes a value. */
export type FormField = {
  field: InputField;
  /** The value to be sent, nothing for a field that was left empty, or what is wrong, as the end of a sentence. */
  read(given: unknown): { value?: unknown } | { wrong: string };
};

/** A server may ask for so much at once. */
const MOST_FIELDS = 30;
const MOST_OPTIONS = 100;
const LONGEST_LABEL = 120;
const LONGEST_TEXT = 400;
const LONGEST_VALUE = 10_000;

type Shape = Record<string, unknown>;

/**
 * The fields of a requested schema: a flat object of texts, numbers, yes or no, and choices (MCP, "Elicitation").
 *
 * @returns undefined for a schema that is anything else
 */
export function parseFormFields(schema: unknown): FormField[] | undefined {
  const { properties, required } = shape(schema) ?? {};
  const entries = Object.entries(shape(properties) ?? {});
  if (entries.length === 0 || entries.length > MOST_FIELDS) return undefined;
  const needed = new Set(Array.isArray(required) ? required : []);
  const fields = entries.map(([id, about]) => getField(id, shape(about), needed.has(id)));
  return fields.every((field) => field !== undefined) ? fields : undefined;
}

function getField(id: string, about: Shape | undefined, required: boolean): FormField | undefined {
  if (!about || id.length > LONGEST_LABEL) return undefined;
  const options = getOptions(about);
  if (options === null) return undefined;
  switch (about.type) {
    case "boolean":
      return yesOrNo(id, about);
    case "array":
      return options ? several(id, about, options, required) : undefined;
    case "number":
    case "integer":
      return number(id, about, required);
    case "string":
      return options ? one(id, about, options, required) : text(id, about, required);
    default:
      return undefined;
  }
}

type Common = { id: string; label: string; description?: string; required?: boolean; defaultValue?: unknown };

function common(id: string, about: Shape, required: boolean, limits = ""): Common {
  const told = typeof about.description === "string" ? cleanLine(about.description, LONGEST_TEXT) : "";
  const description = [told, limits].filter(Boolean).join(" ");
  return {
    id,
    label: (typeof about.title === "string" && cleanLine(about.title, LONGEST_LABEL)) || cleanLine(id, LONGEST_LABEL),
    ...(description ? { description } : {}),
    ...(required ? { required } : {}),
    ...(about.default === undefined || about.default === null ? {} : { defaultValue: getDefault(about.default) }),
  };
}

function getDefault(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((one) => typeof one === "string").slice(0, MOST_OPTIONS);
  if (typeof value === "string") return value.slice(0, LONGEST_TEXT);
  return typeof value === "number" ? String(value) : value === true;
}

/** A no is an answer too, so nothing has to be ticked. */
function yesOrNo(id: string, about: Shape): FormField {
  return {
    field: { ...common(id, about, false), type: "checkbox" },
    read: (given) => ({ value: given === true || given === "true" || given === "yes" }),
  };
}

function text(id: string, about: Shape, required: boolean): FormField {
  const [least, most] = [bound(about.minLength) ?? 0, Math.min(bound(about.maxLength) ?? LONGEST_VALUE, LONGEST_VALUE)];
  const check = typeof about.format === "string" ? FORMATS[about.format] : undefined;
  return {
    field: {
      ...common(id, about, required, check?.hint),
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
  email: { fits: (value) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value), wrong: "must be an e-mail address" },
  uri: {
    fits: (value) => /^[a-z][a-z0-9+.-]*:\S+$/i.test(value) && URL.canParse(value),
    wrong: "must be an address such as https://example.com",
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

function number(id: string, about: Shape, required: boolean): FormField {
  const [least, most] = [bound(about.minimum), bound(about.maximum)];
  const whole = about.type === "integer";
  const range = least !== undefined && most !== undefined ? `${least} to ${most}` : "";
  return {
    field: { ...common(id, about, required, range), type: "text" },
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

function one(id: string, about: Shape, options: Option[], required: boolean): FormField {
  return {
    field: { ...common(id, about, required), type: "select", options },
    read: (given) => {
      if (given === undefined || given === null || given === "") return required ? { wrong: "must be chosen" } : {};
      const found = options.find(({ value }) => value === given);
      return found ? { value: found.value } : { wrong: "must be one of the choices" };
    },
  };
}

function several(id: string, about: Shape, options: Option[], required: boolean): FormField {
  const [least, most] = [bound(about.minItems) ?? 0, bound(about.maxItems) ?? options.length];
  const limits = about.minItems === undefined && about.maxItems === undefined ? "" : `Choose ${least} to ${most}.`;
  return {
    field: { ...common(id, about, required && least > 0, limits), type: "checkbox", options },
    read: (given) => {
      const chosen = given === undefined || given === null ? [] : Array.isArray(given) ? given : [given];
      const values = options.map(({ value }) => value).filter((value) => chosen.includes(value));
      if (values.length < new Set(chosen).size) return { wrong: "must be of the choices" };
      if (values.length === 0 && !required) return {};
      if (values.length < least) return { wrong: `needs at least ${least} choices` };
      return values.length > most ? { wrong: `takes at most ${most} choices` } : { value: values };
    },
  };
}

/** The choices of an enum with or without titles, also in its older form; nothing where there is none, null for what is no list of choices. */
function getOptions(about: Shape): Option[] | undefined | null {
  const source = about.type === "array" ? shape(about.items) : about;
  if (!source) return about.type === "array" ? null : undefined;
  const titled = source.oneOf ?? source.anyOf;
  const plain = source.enum;
  if (titled === undefined && plain === undefined) return about.type === "array" ? null : undefined;
  const listed = (Array.isArray(titled) ? titled : Array.isArray(plain) ? plain : []).slice(0, MOST_OPTIONS + 1);
  if (listed.length === 0 || listed.length > MOST_OPTIONS) return null;
  const names = Array.isArray(source.enumNames) ? source.enumNames : [];
  const options = listed.map((one, index): Option | undefined => {
    const value = Array.isArray(titled) ? shape(one)?.const : one;
    const title = Array.isArray(titled) ? shape(one)?.title : names[index];
    if (typeof value !== "string" || value.length > LONGEST_TEXT) return undefined;
    return {
      value,
      label: (typeof title === "string" && cleanLine(title, LONGEST_LABEL)) || cleanLine(value, LONGEST_LABEL),
    };
  });
  return options.every((option) => option !== undefined) ? options : null;
}

function bound(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function shape(value: unknown): Shape | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Shape) : undefined;
}

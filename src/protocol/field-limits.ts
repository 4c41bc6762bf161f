import type { FieldLimits } from "./interactions.ts";

/** Returns what is wrong with a value that is not empty, as the end of a sentence: "must be a number". */
export function findLimitFault(limits: FieldLimits, value: unknown): string | undefined {
  if (Array.isArray(value)) return findCountFault(limits, value.length);
  const { format = "" } = limits;
  const text = String(value);
  if (format === "number" || format === "integer") return findNumberFault(limits, text.trim());
  const length = [...text].length;
  if (length < (limits.minLength ?? 0)) return `must have at least ${limits.minLength} characters`;
  if (length > (limits.maxLength ?? length)) return `must have at most ${limits.maxLength} characters`;
  const check = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  return check && !check.fits(text) ? check.wrong : undefined;
}

/** Whether a format of a text can be checked. */
export function isKnownFormat(format: unknown): format is string {
  return typeof format === "string" && Object.hasOwn(FORMATS, format);
}

/** Returns how a text of this format looks, for its description. */
export function getFormatHint(format: string): string | undefined {
  return FORMATS[format]?.hint;
}

function findNumberFault({ format, minimum, maximum }: FieldLimits, text: string): string | undefined {
  const value = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) return "must be a number";
  if (format === "integer" && !Number.isSafeInteger(value)) return "must be a whole number";
  if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`;
  return maximum !== undefined && value > maximum ? `must be at most ${maximum}` : undefined;
}

function findCountFault({ minItems = 0, maxItems }: FieldLimits, count: number): string | undefined {
  if (count < minItems) return `needs at least ${minItems} choices`;
  return maxItems !== undefined && count > maxItems ? `allows at most ${maxItems} choices` : undefined;
}

const FORMATS: Record<string, { fits(value: string): boolean; wrong: string; hint?: string }> = {
  email: { fits: (value) => /^[^\s@]+@(?:[^\s@.]+\.)+[^\s@.]+$/.test(value), wrong: "must be an email address" },
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

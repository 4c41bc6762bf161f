/** A JSON object. */
export type JsonRecord = Record<string, unknown>;

/** Whether a value is an object with fields, and not a list. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a value that is an object with fields, or an empty object. */
export function toRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

/** Whether a value nests lists and objects deeper than `levels`. Deep values overflow the stack of recursive readers. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isNestedDeeper(inner, levels - 1));
}

/** Parses JSON, keeping the digits of large integers. Returns undefined for a text that is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown);
  } catch {
    return undefined;
  }
}

/**
 * Reviver for `JSON.parse`: an integer that a number cannot hold exactly, such as a 64-bit ID, becomes a text with its
 * digits, and so does a number beyond the range.
 *
 * @param context has the source text of a primitive (https://tc39.es/proposal-json-parse-with-source/)
 */
export function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && (/^-?\d+$/.test(source) || !Number.isFinite(value)) ? source : value;
}

/** Serializes a value as JSON with sorted keys, so that equal arguments give equal text whatever their order. */
export function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${toCanonicalJson(item)}`).join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}

/** Input values by field. */
export type Values = Record<string, unknown>;

const SLOT = /\{([a-z][a-z0-9_]*)\}/g;

/** Lists the names of a template's `{slots}`, in order and without duplicates. */
export function listSlots(template: string): string[] {
  return [...new Set([...template.matchAll(SLOT)].map(([, name = ""]) => name))];
}

/** Returns whether a template has a brace outside a `{slot}`. */
export function hasStrayBrace(template: string): boolean {
  return /[{}]/.test(template.replace(SLOT, ""));
}

/** Lists every string in a JSON value with its path. */
export function listTexts(
  value: unknown,
  path: (string | number)[] = [],
): { text: string; path: (string | number)[] }[] {
  if (typeof value === "string") return [{ text: value, path }];
  if (Array.isArray(value)) return value.flatMap((item, index) => listTexts(item, [...path, index]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => listTexts(item, [...path, key]));
}

/**
 * Fills the slots of a path. Each value is encoded, so a slash, a question mark or `..` in it stays part of its
 * segment. Returns undefined if a filled segment would be empty, `.` or `..`, which HTTP clients resolve.
 */
export function fillPath(template: string, values: Values): string | undefined {
  const filled = template.replace(SLOT, (_, name: string) => encodeURIComponent(formatValue(getOwn(values, name))));
  const segments = filled.split("/").slice(1);
  const steps = segments.some((segment) => /^(\.|%2e){1,2}$/i.test(segment));
  const emptied = segments.some((segment, index) => segment === "" && template.split("/")[index + 1] !== "");
  return steps || emptied ? undefined : filled;
}

/** Fills the slots of a text. Returns undefined if a value is absent, so that the whole optional text is omitted. */
export function fillText(template: string, values: Values): string | undefined {
  if (listSlots(template).some((name) => isAbsent(getOwn(values, name)))) return undefined;
  return template.replace(SLOT, (_, name: string) => formatValue(getOwn(values, name)));
}

/** Fills the slots of a line for users. Absent values become a dash. */
export function fillLine(template: string, values: Values): string {
  return template.replace(SLOT, (_, name: string) => {
    const value = getOwn(values, name);
    return isAbsent(value) ? "–" : formatValue(value);
  });
}

/**
 * Fills the slots of a JSON value. A string that consists of one slot becomes the value itself, such as a number or a
 * list.
 */
export function fillJson(template: unknown, values: Values): unknown {
  if (typeof template === "string") {
    const [name] = /^\{[a-z][a-z0-9_]*\}$/.test(template) ? listSlots(template) : [];
    return name === undefined ? fillText(template, values) : (getOwn(values, name) ?? undefined);
  }
  if (Array.isArray(template))
    return template.map((item) => fillJson(item, values)).filter((item) => item !== undefined);
  if (typeof template !== "object" || template === null) return template;
  const entries = Object.entries(template).map(([key, item]) => [key, fillJson(item, values)] as const);
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}

/** Formats a value as text. Lists are joined with commas. */
export function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(formatValue).join(",");
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
}

function getOwn(values: Values, name: string): unknown {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

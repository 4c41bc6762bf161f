/** Values of an input, by field. */
export type Values = Record<string, unknown>;

const SLOT = /\{([a-z][a-z0-9_]*)\}/g;

/** Names of the `{slots}` of a request's template, in order and each once. */
export function listSlots(template: string): string[] {
  return [...new Set([...template.matchAll(SLOT)].map(([, name = ""]) => name))];
}

/** Whether a template has a brace that belongs to no `{slot}`. */
export function hasStrayBrace(template: string): boolean {
  return /[{}]/.test(template.replace(SLOT, ""));
}

/** Every text in a JSON value, with where it stands. */
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
 * A path with its slots filled, each value encoded as one segment's part: a slash, a question mark or `..` in a value stays a value. Undefined
 * when a filled segment would be `.` or `..`, which an HTTP client resolves, or empty.
 */
export function fillPath(template: string, values: Values): string | undefined {
  const filled = template.replace(SLOT, (_, name: string) => encodeURIComponent(formatValue(own(values, name))));
  const segments = filled.split("/").slice(1);
  const steps = segments.some((segment) => /^(\.|%2e){1,2}$/i.test(segment));
  const emptied = segments.some((segment, index) => segment === "" && template.split("/")[index + 1] !== "");
  return steps || emptied ? undefined : filled;
}

/** A text with its slots filled, or undefined when the value of one is absent: what is optional is left out with all that is around it. */
export function fillText(template: string, values: Values): string | undefined {
  if (listSlots(template).some((name) => isAbsent(own(values, name)))) return undefined;
  return template.replace(SLOT, (_, name: string) => formatValue(own(values, name)));
}

/** A line for people, in which an absent value is a dash. */
export function fillLine(template: string, values: Values): string {
  return template.replace(SLOT, (_, name: string) => {
    const value = own(values, name);
    return isAbsent(value) ? "–" : formatValue(value);
  });
}

/** A JSON value with its slots filled. A text that is nothing but one slot becomes the value itself, a number or a list too. */
export function fillJson(template: unknown, values: Values): unknown {
  if (typeof template === "string") {
    const [name] = /^\{[a-z][a-z0-9_]*\}$/.test(template) ? listSlots(template) : [];
    return name === undefined ? fillText(template, values) : (own(values, name) ?? undefined);
  }
  if (Array.isArray(template))
    return template.map((item) => fillJson(item, values)).filter((item) => item !== undefined);
  if (typeof template !== "object" || template === null) return template;
  const entries = Object.entries(template).map(([key, item]) => [key, fillJson(item, values)] as const);
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}

/** A value as text; a list by its entries. */
export function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(formatValue).join(",");
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
}

function own(values: Values, name: string): unknown {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

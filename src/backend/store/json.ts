/** JSON for a `jsonb` column: Postgres takes neither NUL nor a lone surrogate, and services, models and people may send both. */
export function toJsonColumn(value: unknown): string {
  return JSON.stringify(value, (_, item) => (typeof item === "string" ? cleanText(item) : item)) ?? "null";
}

/** The same for a `text` column. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\uFFFD");
}

/**
 * Formats one JSON document. Characters that JSON leaves unescaped but a terminal interprets or hides (C1 controls,
 * bidi overrides, zero-width characters) are escaped, so that a parser reads the same value.
 */
export function formatJson(document: unknown): string {
  return `${escapeInvisible(JSON.stringify(document, null, 2))}\n`;
}

/** Formats one JSON document on one line. */
export function formatJsonLine(document: unknown): string {
  return `${escapeInvisible(JSON.stringify(document))}\n`;
}

/** Adds warnings to a document, if it can hold them. */
export function addWarnings(document: unknown, warnings: string[]): unknown {
  const isObject = typeof document === "object" && document !== null && !Array.isArray(document);
  return isObject && warnings.length > 0 ? { ...document, warnings } : document;
}

/** Escapes invisible characters in JSON text. */
export function escapeInvisible(json: string): string {
  return json.replace(UNSEEN, escapeCharacter);
}

const UNSEEN = /[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;

/** Characters that stay: JSON's own white space, and joiners of letters and emoji in ordinary text. */
const KEPT = /^(?:\n|\u200c|\u200d|[\ufe00-\ufe0f])$/;

function escapeCharacter(character: string): string {
  if (KEPT.test(character)) return character;
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

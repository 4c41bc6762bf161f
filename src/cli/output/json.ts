/**
 * One JSON document. Its values are raw, but what JSON leaves as it is and a terminal obeys or hides (C1 controls, bidi overrides, zero-width
 * characters) is written as an escape, which a parser reads as the very same value.
 */
export function formatJson(document: unknown): string {
  return `${escapeInvisible(JSON.stringify(document, null, 2))}\n`;
}

/** The same on one line. */
export function formatJsonLine(document: unknown): string {
  return `${escapeInvisible(JSON.stringify(document))}\n`;
}

/** A document with what is not as it should be, where it has room for that. */
export function addWarnings(document: unknown, warnings: string[]): unknown {
  const isObject = typeof document === "object" && document !== null && !Array.isArray(document);
  return isObject && warnings.length > 0 ? { ...document, warnings } : document;
}

/** JSON text with escapes for what is not seen. */
export function escapeInvisible(json: string): string {
  return json.replace(UNSEEN, escapeCharacter);
}

const UNSEEN = /[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;

/** What JSON's own layout is made of, and what joins the letters and emoji of ordinary text. */
const KEPT = /^(?:\n|\u200c|\u200d|[\ufe00-\ufe0f])$/;

function escapeCharacter(character: string): string {
  if (KEPT.test(character)) return character;
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

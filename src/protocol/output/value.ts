/**
 * The JSON value in the text of an answer: the text itself, or the one block of code in it, since many models cannot be kept from putting
 * one around it.
 */
export function parseValue(text: string): { value: unknown } | { problems: { path: string; message: string }[] } {
  if (text.length > MOST_CHARACTERS) return wrong("is too long");
  const blocks = [...text.matchAll(/^[ \t]*```[^\n`]*\n([\s\S]*?)^[ \t]*```[ \t]*$/gm)].map(([, inner = ""]) => inner);
  const candidates = [text, ...(blocks.length === 1 ? blocks : [])];
  for (const candidate of candidates) {
    const found = parse(candidate);
    if (found) return /\\u0000/.test(candidate) || isDeep(found.value) ? wrong("has what no value may have") : found;
  }
  return wrong(text.trim() === "" ? "is empty" : "is not JSON");
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function isDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth >= DEEPEST || Object.values(value).some((inner) => isDeep(inner, depth + 1));
}

function wrong(message: string) {
  return { problems: [{ path: "", message }] };
}

/** Of an answer, which is checked at once and kept in the log. */
const MOST_CHARACTERS = 256 * 1024;
const DEEPEST = 64;

/** Longest name in the text of an approval, in characters. */
const MAX_NAME_LENGTH = 200;

/**
 * Quotes a name for the text of an approval: `“launch plan”`. Services match names regardless of case and spacing, so
 * both are normalized.
 *
 * @returns undefined for a name that could be mistaken for other text: it has quotation marks or invisible characters
 */
export function quoteName(text: string | undefined): string | undefined {
  const name = text?.normalize("NFC").replace(/\s+/g, " ").trim().toLowerCase() ?? "";
  if (name === "" || name.length > MAX_NAME_LENGTH || /[“”\p{C}]/u.test(name)) return undefined;
  return `“${name}”`;
}

/**
 * Quotes the words of others, such as a title. Quotation marks in it are replaced: one would look like its end, and the
 * rest like words of kay.
 */
export function quoteTitle(text: string): string {
  return `“${text.replace(/["\u201c-\u201f\u275d\u275e\u301d-\u301f\uff02]/g, "'")}”`;
}

/** Returns where a tool writes, "in the document “launch plan”", or undefined without a name or ID. */
export function formatPlace(words: string, place: string | undefined): string | undefined {
  return place === undefined ? undefined : `${words} ${place}`;
}

/** Lists the names of the fields with a value, sorted. */
export function listGiven(input: Record<string, unknown>): string[] {
  return Object.keys(input)
    .filter((name) => input[name] !== undefined)
    .sort();
}

/**
 * Narrows a place to one object or change in it, so that an approval covers no other: "in repository web, pull request
 * 3".
 */
export function narrowPlace(place: string | undefined, part: string | undefined): string | undefined {
  return place === undefined || !part ? undefined : `${place}, ${part}`;
}

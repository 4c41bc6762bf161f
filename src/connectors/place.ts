/** Longest name that the words of a grant hold, in characters; a longer one is not read by anybody. */
const LONGEST = 200;

/**
 * A name as the words of a grant hold it: `“launch plan”`. Names are found in whatever case and with whatever spaces, so these say nothing.
 *
 * @returns undefined for a name that could pass for other words: with quotation marks of its own, or with characters that nobody sees
 */
export function quoteName(text: string | undefined): string | undefined {
  const name = text?.normalize("NFC").replace(/\s+/g, " ").trim().toLowerCase() ?? "";
  if (name === "" || name.length > LONGEST || /[“”\p{C}]/u.test(name)) return undefined;
  return `“${name}”`;
}

/** "in the document “launch plan”": where a tool writes, of a name or an id; undefined where there is neither. */
export function formatPlace(words: string, place: string | undefined): string | undefined {
  return place === undefined ? undefined : `${words} ${place}`;
}

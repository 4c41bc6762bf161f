/**
 * The text that people see of a commentary in the "little" format: escapes undone, mentions and hashtags as their text. Like LinkedIn, it
 * breaks off at a reserved character that is neither escaped nor part of such an element.
 * Source: https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/little-text-format
 */
export function parseLittle(commentary: string): string {
  let text = "";
  let rest = commentary;
  while (rest !== "") {
    const found = ELEMENTS.map((element) => element.exec(rest)).find(Boolean);
    if (!found) return text;
    text += found[1] ?? found[0];
    rest = rest.slice(found[0].length);
  }
  return text;
}

/** Plain text, an escaped character, a hashtag, a mention, a hashtag template; each with what is shown of it. */
const ELEMENTS = [
  /^[^\\|{}@[\]()<>#*_~]+/u,
  /^\\([\\|{}@[\]()<>#*_~])/u,
  /^#[\p{L}\p{N}]+/u,
  /^@\[((?:[^\]\\]|\\.)*)\]\(urn:li:\w+:[\w-]+\)/u,
  /^\{hashtag\|\\?(#[^}|]*)\}/u,
];

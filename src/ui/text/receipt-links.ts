import type { Receipt } from "#protocol/ask";
import { stripLinks } from "../markdown/link.ts";
import { toLine } from "./words.ts";

/** Returns a test for text that is only the link of a receipt, which the receipt shows already. */
export function matchReceiptLinks(receipts: readonly Receipt[]): (text: string) => boolean {
  const links = new Set(receipts.flatMap(({ url }) => (url ? [toLine(url)] : [])));
  return (text) => links.size > 0 && links.has(stripLinks(text).replace(STYLES, "").trim());
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of colors
const STYLES = /\x1b\[[\d;]*m/g;

/** Returns the text without the paragraphs that are only the link of a receipt. */
export function omitReceiptLinks(text: string, receipts: readonly Receipt[]): string {
  const isShown = matchReceiptLinks(receipts);
  const paragraphs = text.split(/(\n{2,})/);
  if (!paragraphs.some(isShown)) return text;
  const lines = paragraphs.filter((part, index) => index % 2 === 0 && !isShown(part));
  return lines.join("\n\n");
}

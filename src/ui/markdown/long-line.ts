import { openBlock } from "./scan.ts";

/** A line of a paragraph is given out in parts of about so many characters, so that the longest costs no more than a long one. */
const PART = 4_096;
/** A word that is longer is broken, in spite of all. */
const LONGEST_WORD = 65_536;

/**
 * Where the first part of a very long line ends: behind a sentence if possible, else at a space. It depends on the line's characters
 * alone, not on how many have come.
 *
 * @returns its end in `text`, or null where the line is short, no paragraph, or has not shown yet where it can be parted
 */
export function findSplit(text: string, start: number, end: number): number | null {
  if (end - start <= PART || openBlock(text.slice(start, start + 200))?.is !== "paragraph") return null;
  const window = text.slice(start + PART / 2, start + PART);
  const sentence = /^.*(?:[.!?…] |[。！？])/s.exec(window)?.[0].length;
  const space = window.lastIndexOf(" ") + 1;
  const within = sentence ?? space;
  if (within > 0) return start + PART / 2 + within;
  const beyond = text.slice(start + PART, Math.min(end, start + LONGEST_WORD)).indexOf(" ");
  if (beyond >= 0) return start + PART + beyond + 1;
  if (end - start < LONGEST_WORD) return null;
  const isSplit = /[\ud800-\udbff]/.test(text.charAt(start + LONGEST_WORD - 1));
  return start + LONGEST_WORD - (isSplit ? 1 : 0);
}

// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what this file is about
import type { Token } from "./token.ts";

/** What an open paste has got in these bytes. A beginning of its end marker at their end is left for later; null when that is all there is. */
export function readPasteToken(bytes: Uint8Array, from: number): Token | null {
  const rest = Buffer.from(bytes.buffer, bytes.byteOffset + from, bytes.length - from);
  const end = rest.indexOf(END, 0, "latin1");
  if (end >= 0) return { length: end + END.length, mode: "keys", piece: Uint8Array.from(rest.subarray(0, end)) };
  const length = rest.length - begunEnd(rest);
  return length === 0 ? null : { length, piece: Uint8Array.from(rest.subarray(0, length)) };
}

/**
 * Pasted bytes as text: `\n` for every kind of line break, tabs kept, control sequences (markers of a paste among them) and all other
 * control characters dropped.
 */
export function decodePaste(pieces: Uint8Array[]): string {
  return normalizePaste(new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.concat(pieces)));
}

/** The same for text that is there already. */
export function normalizePaste(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, "\n")
    .replace(SEQUENCE, "")
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "")
    .replace(/\p{Surrogate}/gu, "");
}

const END = "\x1b[201~";

const SEQUENCE =
  /\x1b\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|\x1b[\]P^_X][^\x00-\x1f]{0,4096}(?:\x07|\x1b\\)|\x1b[()][\x30-\x7e]/g;

/** How many bytes at the end may be the beginning of the end marker. */
function begunEnd(bytes: Buffer): number {
  for (let length = Math.min(END.length - 1, bytes.length); length > 0; length--) {
    if (bytes.toString("latin1", bytes.length - length) === END.slice(0, length)) return length;
  }
  return 0;
}

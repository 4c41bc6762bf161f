// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what this file is about
import type { Token } from "./token.ts";

/**
 * Reads the bytes of an open paste. A possible start of the end marker is left for later; returns null if nothing else
 * is there.
 */
export function readPasteToken(bytes: Uint8Array, from: number): Token | null {
  const rest = Buffer.from(bytes.buffer, bytes.byteOffset + from, bytes.length - from);
  const end = rest.indexOf(END, 0, "latin1");
  if (end >= 0) return { length: end + END.length, mode: "keys", piece: Uint8Array.from(rest.subarray(0, end)) };
  const length = rest.length - countPartialEnd(rest);
  return length === 0 ? null : { length, piece: Uint8Array.from(rest.subarray(0, length)) };
}

/**
 * Decodes pasted bytes. All line breaks become `\n`, tabs stay, and control sequences and other control characters are
 * removed.
 */
export function decodePaste(pieces: Uint8Array[]): string {
  return normalizePaste(new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.concat(pieces)));
}

/** Like {@link decodePaste}, for text that is already decoded. */
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

/** Returns how many bytes at the end may be the start of the end marker. */
function countPartialEnd(bytes: Buffer): number {
  for (let length = Math.min(END.length - 1, bytes.length); length > 0; length--) {
    if (bytes.toString("latin1", bytes.length - length) === END.slice(0, length)) return length;
  }
  return 0;
}

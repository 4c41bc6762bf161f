/**
 * Bytes of text per encoded word. A word has at most 75 characters, of which `=?UTF-8?B?` and `?=` take 12; the rest is
 * base64.
 */
const WORD_BYTES = 45;

/**
 * Encodes header text: non-ASCII parts become encoded words of whole characters, folded between them (RFC 2047 sections
 * 2 and 5). Line breaks become spaces, so that text cannot add a header.
 */
export function encodeHeader(text: string): string {
  const line = toOneLine(text);
  if (/^[\x20-\x7e]*$/.test(line) && !line.includes("=?")) return line;
  const words: string[] = [];
  let word = "";
  for (const character of line) {
    if (Buffer.byteLength(word + character) > WORD_BYTES) {
      words.push(word);
      word = "";
    }
    word += character;
  }
  return [...words, word].map((word) => `=?UTF-8?B?${Buffer.from(word).toString("base64")}?=`).join("\r\n ");
}

/** Decodes the encoded words of a header in any charset that the platform supports (RFC 2047 section 6). */
export function decodeHeader(text: string): string {
  const unfolded = text.replace(/\r?\n(?=[ \t])/g, "").replace(/(\?=)\s+(?==\?)/g, "$1");
  // A character may be split between adjacent words of one charset and encoding, so their bytes are joined first.
  return unfolded.replace(ENCODED_RUN, (run) => {
    let result = "";
    let charset = "";
    let bytes: Buffer[] = [];
    const flush = () => {
      result += decodeBytes(Buffer.concat(bytes), charset) ?? "";
      bytes = [];
    };
    for (const [, name = "", encoding = "", content = ""] of run.matchAll(ENCODED_WORD)) {
      if (name.toLowerCase() !== charset) flush();
      charset = name.toLowerCase();
      bytes.push(encoding.toUpperCase() === "B" ? Buffer.from(content, "base64") : decodeQuotedPrintable(content));
    }
    flush();
    return result;
  });
}

/** Decodes bytes of a charset. Returns `undefined` if the platform does not support it. */
export function decodeBytes(bytes: Uint8Array, charset: string, fatal = false): string | undefined {
  try {
    return new TextDecoder(charset || "utf-8", { fatal }).decode(bytes);
  } catch {
    return fatal ? undefined : new TextDecoder().decode(bytes);
  }
}

/** Converts text to one line without control characters. */
export function toOneLine(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, " ").trim();
}

function decodeQuotedPrintable(text: string): Buffer {
  const binary = text
    .replace(/_/g, " ")
    .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(binary, "latin1");
}

const ENCODED_RUN = /(?:=\?[\w-]+(?:\*[\w-]+)?\?[BbQq]\?[^?\s]*\?=)+/g;
const ENCODED_WORD = /=\?([\w-]+)(?:\*[\w-]+)?\?([BbQq])\?([^?\s]*)\?=/g;

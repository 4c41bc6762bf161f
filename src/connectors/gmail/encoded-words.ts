/** Bytes of text in one encoded word: 75 characters at most, of which `=?UTF-8?B?` and `?=` are 12, in base64. */
const WORD_BYTES = 45;

/**
 * A header's text with everything but printable ASCII in encoded words, each of whole characters, folded between them (RFC 2047 sections 2
 * and 5). Line breaks become spaces, so that no text can add a header of its own.
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
  return [...words, word].map((one) => `=?UTF-8?B?${Buffer.from(one).toString("base64")}?=`).join("\r\n ");
}

/** A header's text with its encoded words read, in any charset that the platform knows (RFC 2047 section 6). */
export function decodeHeader(text: string): string {
  const unfolded = text.replace(/\r?\n(?=[ \t])/g, "").replace(/(\?=)\s+(?==\?)/g, "$1");
  // A character may be cut in two between neighbouring words of one charset and encoding: their bytes are joined before they are read.
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
      bytes.push(encoding.toUpperCase() === "B" ? Buffer.from(content, "base64") : quotedBytes(content));
    }
    flush();
    return result;
  });
}

/** Bytes as text of a charset; `undefined` when the platform does not know it. */
export function decodeBytes(bytes: Uint8Array, charset: string, fatal = false): string | undefined {
  try {
    return new TextDecoder(charset || "utf-8", { fatal }).decode(bytes);
  } catch {
    return fatal ? undefined : new TextDecoder().decode(bytes);
  }
}

/** Text on one line, without control characters. */
export function toOneLine(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, " ").trim();
}

function quotedBytes(text: string): Buffer {
  const binary = text
    .replace(/_/g, " ")
    .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(binary, "latin1");
}

const ENCODED_RUN = /(?:=\?[\w-]+(?:\*[\w-]+)?\?[BbQq]\?[^?\s]*\?=)+/g;
const ENCODED_WORD = /=\?([\w-]+)(?:\*[\w-]+)?\?([BbQq])\?([^?\s]*)\?=/g;

/** The parts of an RFC 5322 message that the stand-in keeps. */
export type ParsedMessage = { headers: Map<string, string>; text: string };

/**
 * Read a message as clients send it: folded headers, encoded words (RFC 2047), one text part in base64, quoted-printable or plain.
 *
 * @returns undefined when it has no header section at all
 */
export function parseMessage(raw: string): ParsedMessage | undefined {
  const source = Buffer.from(raw, "base64url").toString("latin1");
  const end = /\r?\n\r?\n/.exec(source);
  const head = (end ? source.slice(0, end.index) : source).replace(/\r?\n(?=[ \t])/g, "");
  const lines = head.split(/\r?\n/).filter(Boolean);
  if (lines.length === 0 || lines.some((line) => !/^[\x21-\x39\x3b-\x7e]+:/.test(line))) return undefined;
  const headers = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), decode(line.slice(colon + 1).trim())];
    }),
  );
  const content = end ? source.slice(end.index + end[0].length) : "";
  return { headers, text: getContent(content, headers.get("content-transfer-encoding") ?? "") };
}

function getContent(content: string, encoding: string): string {
  if (/^base64$/i.test(encoding)) return Buffer.from(content, "base64").toString();
  if (!/^quoted-printable$/i.test(encoding)) return Buffer.from(content, "latin1").toString();
  const joined = content.replace(/=\r?\n/g, "");
  return Buffer.from(
    joined.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  ).toString();
}

/** Encoded words of UTF-8, in base64 or the Q encoding. */
function decode(value: string): string {
  const bytes = value
    .replace(/(\?=)\s+(?==\?)/g, "$1")
    .replace(/=\?utf-8\?([bq])\?([^?\s]*)\?=/gi, (_, encoding: string, content: string) => {
      if (encoding.toLowerCase() === "b") return Buffer.from(content, "base64").toString("latin1");
      return content
        .replace(/_/g, " ")
        .replace(/=([0-9A-F]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    });
  return Buffer.from(bytes, "latin1").toString();
}

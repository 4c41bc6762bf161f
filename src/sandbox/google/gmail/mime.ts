import { describeFile, type SandboxFile } from "../../files.ts";

/** The parts of an RFC 5322 message that the stand-in keeps. */
export type ParsedMessage = { headers: Map<string, string>; text: string; files: SandboxFile[] };

/**
 * Reads a message as clients send it: folded headers, encoded words (RFC 2047), a text in base64, quoted-printable or
 * plain, and files as further parts (RFC 2046).
 *
 * @returns undefined for a message without a header section
 */
export function parseMessage(raw: string): ParsedMessage | undefined {
  const message = parsePart(Buffer.from(raw, "base64url").toString("latin1"));
  if (!message) return undefined;
  const leaves = listLeaves(message);
  const text = leaves.find(({ headers }) => !getFileName(headers))?.content.toString() ?? "";
  const files = leaves.flatMap(({ headers, content }, index) => {
    const name = getFileName(headers);
    const type = headers.get("content-type")?.split(";")[0]?.trim() ?? "application/octet-stream";
    return name ? [describeFile(String(index), name, type, content)] : [];
  });
  return { headers: message.headers, text, files };
}

type Part = { headers: Map<string, string>; content: Buffer; source: string };

function parsePart(source: string): Part | undefined {
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
  return { headers, source: content, content: decodeContent(content, headers.get("content-transfer-encoding") ?? "") };
}

function listLeaves(part: Part): Part[] {
  const type = part.headers.get("content-type") ?? "";
  const boundary = /^multipart\/.*;\s*boundary="?([^";]+)"?/i.exec(type)?.[1];
  if (boundary === undefined) return [part];
  const parts = `\r\n${part.source}`.split(`\r\n--${boundary}`).slice(1, -1);
  return parts.flatMap((source) => {
    const inner = parsePart(source.replace(/^\r\n/, ""));
    return inner ? listLeaves(inner) : [];
  });
}

/** Returns the name of an attached file (RFC 2183), percent-encoded or not. */
function getFileName(headers: Map<string, string>): string | undefined {
  const disposition = headers.get("content-disposition") ?? "";
  const encoded = /filename\*=UTF-8''([^;\s]+)/i.exec(disposition)?.[1];
  if (encoded !== undefined) return decodeURIComponent(encoded);
  return /filename="((?:\\.|[^"\\])*)"/i.exec(disposition)?.[1]?.replace(/\\(.)/g, "$1");
}

function decodeContent(content: string, encoding: string): Buffer {
  if (/^base64$/i.test(encoding)) return Buffer.from(content, "base64");
  if (!/^quoted-printable$/i.test(encoding)) return Buffer.from(content, "latin1");
  const joined = content.replace(/=\r?\n/g, "");
  return Buffer.from(
    joined.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );
}

/** Decodes encoded words of UTF-8, in base64 or the Q encoding. */
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

import { isRecord, keepDigits } from "#protocol/json";

/** Fields that hold data of others, in which `null` is a value. */
const DATA_FIELDS = new Set(["structuredContent", "default", "const", "enum", "examples", "data", "requestState"]);

/** Deeper values are left as they are. */
const MAX_DEPTH = 100;

/**
 * Removes fields and list items that are `null` from a protocol message, since many servers send them for absent ones.
 */
export function dropNulls(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.filter((item) => item !== null).map((item) => dropNulls(item, depth + 1));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, value]) => {
      if (DATA_FIELDS.has(key)) return value === null && !NULLABLE_FIELDS.has(key) ? [] : [[key, value]];
      return value === null ? [] : [[key, dropNulls(value, depth + 1)]];
    }),
  );
}

/** Fields in which `null` itself is the value. */
const NULLABLE_FIELDS = new Set(["default", "const"]);

/** Parses JSON. An integer that a number cannot hold exactly, such as a 64-bit ID, becomes a text with its digits. */
export function parseMessage(text: string): unknown {
  const json = text.replace(/^\uFEFF/, "");
  return LONG_NUMBER.test(json)
    ? JSON.parse(json, keepDigits as (key: string, value: unknown) => unknown)
    : JSON.parse(json);
}

const LONG_NUMBER = /\d{16}/;

/** Splits the output of a program into lines. */
export type LineReader = {
  /** Returns the lines that a chunk completes. @throws Error when a line exceeds the limit */
  read(chunk: Buffer): string[];
  /** Returns what came after the last line break, once no more comes. */
  readRest(): string[];
};

/** Creates a reader. It drops the byte-order mark that some runtimes write before their first line. */
export function createLineReader(maxBytes: number): LineReader {
  const parts: Buffer[] = [];
  let length = 0;
  return {
    read: (chunk) => {
      const lines: string[] = [];
      let start = 0;
      for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", start)) {
        lines.push(toLine([...parts.splice(0), chunk.subarray(start, end)]));
        length = 0;
        start = end + 1;
      }
      length += chunk.length - start;
      if (length > maxBytes) throw new Error(`The line exceeds ${maxBytes} bytes.`);
      if (start < chunk.length) parts.push(chunk.subarray(start));
      return lines.filter((line) => line !== "");
    },
    readRest: () => [toLine(parts.splice(0))].filter((line) => line !== ""),
  };
}

function toLine(parts: Buffer[]): string {
  return Buffer.concat(parts)
    .toString("utf8")
    .replace(/^\uFEFF+/, "")
    .trim();
}

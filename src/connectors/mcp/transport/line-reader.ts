/** Splits the output of a program into lines. */
export type LineReader = {
  /** Returns the lines that a chunk completes. @throws Error when a line exceeds the limit */
  read(chunk: Buffer): string[];
};

/** Creates a reader. It drops the byte-order mark that some runtimes write before their first line. */
export function createLineReader(maxBytes: number): LineReader {
  let parts: Buffer[] = [];
  let length = 0;
  return {
    read: (chunk) => {
      const lines: string[] = [];
      let start = 0;
      for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", start)) {
        lines.push(toLine([...parts, chunk.subarray(start, end)]));
        parts = [];
        length = 0;
        start = end + 1;
      }
      length += chunk.length - start;
      if (length > maxBytes) throw new Error(`The line exceeds ${maxBytes} bytes.`);
      if (start < chunk.length) parts.push(chunk.subarray(start));
      return lines.filter((line) => line !== "");
    },
  };
}

function toLine(parts: Buffer[]): string {
  return Buffer.concat(parts)
    .toString("utf8")
    .replace(/^\uFEFF+/, "")
    .trim();
}

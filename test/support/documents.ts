import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A document of the repository: its path below the root, and its text. */
export type Document = { path: string; text: string };

/** The pages at the root of the repository and everything below docs. */
export function documents(): Document[] {
  return globSync(["*.md", "bench/*.md", "docs/**/*.md"], { cwd: root }).sort().map(read);
}

export function read(path: string): Document {
  return { path, text: readFileSync(root + path, "utf8") };
}

/** All files that match, in one text. */
export function sources(...patterns: string[]): string {
  const files = patterns.flatMap((pattern) => globSync(pattern, { cwd: root }));
  return files.map((path) => read(path).text).join("\n");
}

/**
 * Every command line that begins with `program` in code of a document, inline or in a block, as words; it ends where
 * the shell would start another one. Tables of errors are left out: their hints are the source's own.
 */
export function commandLines({ text }: Document, program: string): string[][] {
  const prose = text.replace(/<!-- errors -->[\s\S]*<!-- \/errors -->/, "");
  const blocks = [...prose.matchAll(/```(?:sh|text)\n([\s\S]*?)```/g)].flatMap(([, block = ""]) => block.split("\n"));
  const inline = [...prose.replaceAll(/```[\s\S]*?```/g, "").matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
  const start = new RegExp(`(?:^|[$(|] ?)${program} ([^|;#)]+)`);
  const lines = [...blocks, ...inline].map((line) => start.exec(line.replaceAll(/\s+/g, " "))?.[1] ?? "");
  return lines.map(words).filter((matches) => matches.length > 0);
}

function words(line: string): string[] {
  return [...line.matchAll(/"[^"]*"?|\S+/g)].map(([word]) => word);
}

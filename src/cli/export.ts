import { randomUUID } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Problem } from "#protocol/errors";
import type { NumberedPart } from "#protocol/events";
import { redactDocument, redactSecrets } from "#protocol/redact";
import { markdownOf } from "#ui/markdown-of";
import { reduce } from "#ui/reduce";
import { EMPTY } from "#ui/view";
import { line } from "#ui/words";
import { documentText } from "./json-text.ts";
import type { Kay, Link } from "./kay.ts";
import { nameNew } from "./new-file.ts";
import { targetOf, writeInto } from "./whole-file.ts";

/** Markdown to read, or JSON with every event. */
export type ExportFormat = "md" | "json";

/** A conversation as one document, and as a file's text. What looks like a secret is taken out. */
export async function exported(
  kay: Kay,
  link: Link,
  id: string,
  format: ExportFormat,
): Promise<{ document: unknown; text: string }> {
  const { conversation, parts } = await conversationOf(kay, link, id);
  const document = redactDocument(documentWith(conversation, parts));
  if (format === "json") return { document, text: documentText(document) };
  return { document, text: redactSecrets(markdownOf(parts.reduce(reduce, EMPTY), conversation)) };
}

/** All that a conversation has: as the list has it, and its events. */
export async function conversationOf(kay: Kay, link: Link, id: string) {
  const { note, warn } = kay.out;
  const parts: NumberedPart[] = [];
  for await (const part of link.api.events(id, { live: false, signal: kay.signal, note, warn })) parts.push(part);
  return { conversation: await link.api.session(id), parts };
}

/** The same as one document. */
export function documentWith(conversation: Record<string, unknown>, parts: NumberedPart[]): Record<string, unknown> {
  return { ...conversation, events: parts.map(({ number, part }) => ({ number, ...part })) };
}

/**
 * Write a file that only this user can read, whole or not at all. One that is there is replaced after a yes.
 *
 * @returns its absolute path
 * @throws Problem CANCELLED after a no, USAGE where it cannot be written
 */
export async function writeExport(
  kay: Kay,
  file: string,
  text: string,
  ask: (question: string) => Promise<boolean>,
): Promise<string> {
  const target = await targetOf(kay.cwd, file);
  const { path } = target;
  const made = join(dirname(path), `.kay-export-${randomUUID()}`);
  try {
    if (target.kind === "other") {
      await writeInto(target, text);
      return path;
    }
    await writeFile(made, text, { mode: 0o600, flag: "wx" });
    if (!(await nameNew(made, path))) {
      if (!(await ask(`${line(path)} is there already. Replace it?`)))
        throw new Problem("CANCELLED", "Nothing was written.");
      await rename(made, path);
    }
    return path;
  } catch (error) {
    if (error instanceof Problem) throw error;
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    throw new Problem("USAGE", `${line(path)} cannot be written (${code}).`, {
      hint: "Give another file.",
      cause: error,
    });
  } finally {
    await rm(made, { force: true });
  }
}

import { randomUUID } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { linkNewFile } from "#files/replace-file";
import { Problem } from "#protocol/errors";
import type { NumberedPart } from "#protocol/numbered-parts";
import { redactDocument, redactSecrets } from "#protocol/redact";
import { toMarkdown } from "#ui/text/transcript";
import { toLine } from "#ui/text/words";
import { reduceView } from "#ui/view/reduce";
import { EMPTY_VIEW } from "#ui/view/view";
import type { BackendHandle } from "../../backend/handle.ts";
import type { Kay } from "../../kay.ts";
import { formatJson } from "../../output/json.ts";
import { openOutputTarget, writeOutput } from "../../output/output-file.ts";

/** Markdown to read, or JSON with every event. */
export type ExportFormat = "md" | "json";

/** Exports a conversation as one document and as text, without anything that looks like a secret. */
export async function exportConversation(
  kay: Kay,
  link: BackendHandle,
  id: string,
  format: ExportFormat,
): Promise<{ document: unknown; text: string }> {
  const { conversation, parts } = await loadConversation(kay, link, id);
  const document = redactDocument(toConversationDocument(conversation, parts));
  if (format === "json") return { document, text: formatJson(document) };
  return { document, text: redactSecrets(toMarkdown(parts.reduce(reduceView, EMPTY_VIEW), conversation)) };
}

/** Loads all data of a conversation: its list entry and its events. */
export async function loadConversation(kay: Kay, link: BackendHandle, id: string) {
  const { writeProgress: note, warn } = kay.out;
  const parts: NumberedPart[] = [];
  for await (const part of link.api.events(id, { live: false, signal: kay.signal, note, warn })) parts.push(part);
  return { conversation: await link.api.session(id), parts };
}

/** Converts a conversation to one document. */
export function toConversationDocument(
  conversation: Record<string, unknown>,
  parts: NumberedPart[],
): Record<string, unknown> {
  return { ...conversation, events: parts.map(({ number, part }) => ({ number, ...part })) };
}

/**
 * Writes a file that only this user can read, atomically. Asks before replacing a file.
 *
 * @returns its absolute path
 * @throws Problem CANCELLED without the confirmation, USAGE when it cannot be written
 */
export async function writeExport(
  kay: Kay,
  file: string,
  text: string,
  ask: (question: string) => Promise<boolean>,
): Promise<string> {
  const target = await openOutputTarget(kay.cwd, file);
  const { path } = target;
  const folder = join(dirname(path), `.kay-export-${randomUUID()}`);
  try {
    if (target.kind === "other") {
      await writeOutput(target, text);
      return path;
    }
    await writeFile(folder, text, { mode: 0o600, flag: "wx" });
    if (!(await linkNewFile(folder, path))) {
      if (!(await ask(`${toLine(path)} already exists. Replace it?`)))
        throw new Problem("CANCELLED", "Nothing was written.");
      await rename(folder, path);
    }
    return path;
  } catch (error) {
    if (error instanceof Problem) throw error;
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    throw new Problem("USAGE", `Could not write ${toLine(path)} (${code}).`, {
      hint: "Choose another file.",
      cause: error,
    });
  } finally {
    await rm(folder, { force: true });
  }
}

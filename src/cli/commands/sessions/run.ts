import type { ConversationView } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import { createIdShortener, shortenId } from "#protocol/short-id";
import { loadHighlightingFor } from "#ui/markdown/highlight";
import { formatLocalTime } from "#ui/text/local-time";
import { formatTranscript } from "#ui/text/transcript";
import { formatStatus, toLine } from "#ui/text/words";
import { reduceView } from "#ui/view/reduce";
import { EMPTY_VIEW } from "#ui/view/view";
import { findConversationId } from "../../ask/conversation.ts";
import type { BackendHandle } from "../../backend/handle.ts";
import type { Kay } from "../../kay.ts";
import { canPick, missingArgumentProblem } from "../../prompt/pick.ts";
import { confirmOrThrow } from "../../prompt/question.ts";
import {
  type ExportFormat,
  exportConversation,
  loadConversation,
  toConversationDocument,
  writeExport,
} from "./export.ts";

/** Runs `kay sessions list`. */
export async function listSessions(kay: Kay, options: { page: string; limit: string }): Promise<void> {
  const page = getNumber("--page", options.page, 1, 1e6);
  const limit = getNumber("--limit", options.limit, 1, 100);
  const { api } = await kay.openBackend({ signedIn: true });
  const answer = await api.sessions({ page, limit });
  if (kay.flags.json) return kay.out.writeJson(answer);
  if (answer.data.length === 0) return kay.out.writeProgress("No conversations yet.");
  await kay.out.writeTable(SESSION_COLUMNS, toSessionRows(answer.data));
  if (answer.has_more) kay.out.writeProgress(`${answer.total} in all; --page ${page + 1} shows more.`);
}

/** Runs `kay sessions show`: prints a replay as text, at any width. */
export async function showSession(kay: Kay, name: string | undefined, { width }: { width?: string }): Promise<void> {
  const columns = width === undefined ? kay.terminal.stdout.columns() : getNumber("--width", width, 20, 1_000);
  const { link, id } = await findByName(kay, name, "show");
  const { conversation, parts } = await loadConversation(kay, link, id);
  if (kay.flags.json) return kay.out.writeJson(toConversationDocument(conversation, parts));
  const view = parts.reduce(reduceView, EMPTY_VIEW);
  await loadHighlightingFor(view.items.flatMap((item) => (item.kind === "text" ? [item.text] : [])));
  const text = formatTranscript(view, { width: columns, paint: kay.out.paint });
  if (text === "") kay.out.writeProgress("This conversation is empty.");
  else await kay.out.writeText(text);
}

/** Runs `kay sessions rename`. */
export async function renameSession(kay: Kay, name: string, title: string): Promise<void> {
  const { link, id } = await findByName(kay, name, "rename");
  const renamed = await link.api.renameSession(id, title);
  if (kay.flags.json) return kay.out.writeJson(renamed);
  kay.out.writeLine(formatRenamed(renamed));
}

/** Runs `kay sessions delete`. Asks first, because it cannot be undone. */
export async function deleteSession(kay: Kay, name: string | undefined): Promise<void> {
  const { link, id } = await findByName(kay, name, "delete");
  const { title } = await link.api.session(id);
  const label = title ? `“${toLine(title)}” (${shortenId(toLine(id))})` : shortenId(toLine(id));
  if (!(await confirmOrThrow(kay, `Permanently delete ${label}?`, "Use --yes.")))
    throw new Problem("CANCELLED", "Nothing was deleted.");
  await link.api.deleteSession(id);
  if (kay.flags.json) return kay.out.writeJson({ deleted: id });
  kay.out.writeLine(`Deleted ${label}.`);
}

/** Formats the result of renaming. */
export function formatRenamed({ id, title }: ConversationView): string {
  return `${shortenId(toLine(id))} is now “${toLine(title ?? "")}”.`;
}

export const SESSION_COLUMNS = ["ID", "TITLE", "STATUS", "UPDATED"];

/** Formats conversations as rows of {@link SESSION_COLUMNS}. */
export function toSessionRows(all: ConversationView[]): string[][] {
  const shorten = createIdShortener(all.map(({ id }) => id));
  return all.map(({ id, title, status, updated_at }) => [
    toLine(shorten(id)),
    toLine(title ?? ""),
    formatStatus(status),
    formatLocalTime(updated_at),
  ]);
}

/** Runs `kay sessions export`: writes to stdout or a file. */
export async function exportSession(
  kay: Kay,
  name: string | undefined,
  { format, output }: { format?: string; output?: string },
): Promise<void> {
  const wantedFormat: ExportFormat | undefined = FORMATS[format ?? (kay.flags.json ? "json" : "md")];
  if (!wantedFormat) throw new Problem("USAGE", "--format must be md or json.");
  const { link, id } = await findByName(kay, name, "export");
  const { document, text } = await exportConversation(kay, link, id, wantedFormat);
  if (output !== undefined) {
    const path = await writeExport(kay, output, text, (question) => confirmOrThrow(kay, question, "Use --yes."));
    if (kay.flags.json) return kay.out.writeJson({ exported: id, file: path, format: wantedFormat });
    return kay.out.writeProgress(`Written to ${toLine(path)}.`);
  }
  if (wantedFormat === "json") return kay.out.writeJson(document);
  if (kay.flags.json) return kay.out.writeJson({ id, format: wantedFormat, text });
  kay.terminal.stdout.write(text);
}

const FORMATS: Record<string, ExportFormat> = { md: "md", markdown: "md", json: "json" };

/** Finds the named conversation. Without a name, the user chooses one. */
async function findByName(
  kay: Kay,
  name: string | undefined,
  command: string,
): Promise<{ link: BackendHandle; id: string }> {
  if (name === undefined && !canPick(kay)) throw missingArgumentProblem(`sessions ${command}`, "conversation");
  const link = await kay.openBackend({ signedIn: true });
  if (name !== undefined) return { link, id: (await findConversationId(link, { resume: name })) ?? name };
  const { pickConversation } = await import("../../ask/conversation.ts");
  return { link, id: await pickConversation(kay, link) };
}

function getNumber(option: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new Problem("USAGE", `${option} must be a whole number from ${least} to ${most}.`);
}

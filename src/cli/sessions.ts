import type { ConversationView } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import { loadHighlighting } from "#ui/markdown/highlight";
import { reduce } from "#ui/reduce";
import { transcript } from "#ui/transcript";
import { EMPTY } from "#ui/view";
import { line } from "#ui/words";
import { conversationFor } from "./ask/conversation.ts";
import { conversationOf, documentWith, type ExportFormat, exported, writeExport } from "./export.ts";
import type { Kay, Link } from "./kay.ts";
import { askYesNo } from "./prompt.ts";

/** `kay sessions list`. */
export async function listSessions(kay: Kay, options: { page: string; limit: string }): Promise<void> {
  const page = numberOf("--page", options.page, 1, 1e6);
  const limit = numberOf("--limit", options.limit, 1, 100);
  const { api } = await kay.link({ signedIn: true });
  const answer = await api.sessions({ page, limit });
  if (kay.flags.json) return kay.out.json(answer);
  if (answer.data.length === 0) return kay.out.note("There is no conversation here.");
  await kay.out.table(SESSION_COLUMNS, answer.data.map(sessionRow));
  if (answer.has_more) kay.out.note(`${answer.total} in all; --page ${page + 1} shows more.`);
}

/** `kay sessions show`: a replay as text, at any width. */
export async function showSession(kay: Kay, name: string, { width }: { width?: string }): Promise<void> {
  const columns = width === undefined ? kay.terminal.stdout.columns() : numberOf("--width", width, 20, 1_000);
  const { link, id } = await named(kay, name);
  const { conversation, parts } = await conversationOf(kay, link, id);
  if (kay.flags.json) return kay.out.json(documentWith(conversation, parts));
  const view = parts.reduce(reduce, EMPTY);
  if (view.items.some((item) => item.kind === "text" && /^ *(?:```|~~~)\w/m.test(item.text))) await loadHighlighting();
  const text = transcript(view, { width: columns, paint: kay.out.paint });
  if (text === "") kay.out.note("Nothing was said in it yet.");
  else await kay.out.text(text);
}

/** `kay sessions rename`. */
export async function renameSession(kay: Kay, name: string, title: string): Promise<void> {
  const { link, id } = await named(kay, name);
  const renamed = await link.api.renameSession(id, title);
  if (kay.flags.json) return kay.out.json(renamed);
  kay.out.line(renamedText(renamed));
}

/** `kay sessions delete`. Asks first, since nothing brings it back. */
export async function deleteSession(kay: Kay, name: string): Promise<void> {
  const { link, id } = await named(kay, name);
  const { title } = await link.api.session(id);
  const shown = title ? `“${line(title)}” (${line(id)})` : line(id);
  if (!(await askYesNo(kay, `Delete ${shown} for good?`, "Use --yes.")))
    throw new Problem("CANCELLED", "Nothing was deleted.");
  await link.api.deleteSession(id);
  if (kay.flags.json) return kay.out.json({ deleted: id });
  kay.out.line(`Deleted ${shown}.`);
}

/** What became of it. */
export function renamedText({ id, title }: ConversationView): string {
  return `${line(id)} is now “${line(title ?? "")}”.`;
}

export const SESSION_COLUMNS = ["ID", "TITLE", "STATUS", "UPDATED"];

/** A conversation as a row of {@link SESSION_COLUMNS}. */
export function sessionRow({ id, title, status, updated_at }: ConversationView): string[] {
  const updated = line(updated_at).slice(0, 16).replace("T", " ");
  return [line(id), line(title ?? ""), (status ?? "").replaceAll("_", " "), updated];
}

/** `kay sessions export`: on stdout, or into a file. */
export async function exportSession(
  kay: Kay,
  name: string,
  { format, output }: { format?: string; output?: string },
): Promise<void> {
  const wanted: ExportFormat | undefined = FORMATS[format ?? (kay.flags.json ? "json" : "md")];
  if (!wanted) throw new Problem("USAGE", "--format is md or json.");
  const { link, id } = await named(kay, name);
  const { document, text } = await exported(kay, link, id, wanted);
  if (output !== undefined) {
    const path = await writeExport(kay, output, text, (question) => askYesNo(kay, question, "Use --yes."));
    if (kay.flags.json) return kay.out.json({ exported: id, file: path, format: wanted });
    return kay.out.note(`Written to ${line(path)}.`);
  }
  if (wanted === "json") return kay.out.json(document);
  if (kay.flags.json) return kay.out.json({ id, format: wanted, text });
  kay.terminal.stdout.write(text);
}

const FORMATS: Record<string, ExportFormat> = { md: "md", markdown: "md", json: "json" };

async function named(kay: Kay, name: string): Promise<{ link: Link; id: string }> {
  const link = await kay.link({ signedIn: true });
  return { link, id: (await conversationFor(link, { resume: name })) ?? name };
}

function numberOf(option: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new Problem("USAGE", `${option} takes a whole number from ${least} to ${most}.`);
}

import { Problem } from "#protocol/errors";
import { line } from "#ui/words";
import { conversationFor } from "../../ask/conversation.ts";
import { type ExportFormat, exported, writeExport } from "../../export.ts";
import { renamedText, SESSION_COLUMNS, sessionRow } from "../../sessions.ts";
import type { SlashContext } from "./command.ts";
import { rowsText } from "./rows.ts";

/** As many as have a number. */
const LISTED = 20;

/** `/sessions`, and `/sessions 2`, an id or a title: go on there. */
export async function sessions(context: SlashContext, argument: string): Promise<void> {
  const { api } = context.link;
  if (argument === "") {
    const { data } = await api.sessions({ page: 1, limit: LISTED });
    if (data.length === 0) return context.say("There is no conversation here.");
    const rows = data.map((one, index) => [String(index + 1), ...sessionRow(one)]);
    return context.say(`${rowsText(context, ["", ...SESSION_COLUMNS], rows)}\n/sessions NUMBER goes on in one.`);
  }
  await context.resume(await numbered(context, argument));
}

/** `/rename TITLE`. */
export async function rename({ link, session, say }: SlashContext, argument: string): Promise<void> {
  const id = begun(session(), "rename");
  if (argument === "") throw new Problem("USAGE", "Say the new title: /rename Open bugs.");
  say(renamedText(await link.api.renameSession(id, argument)));
}

/** `/export [md|json] [FILE]`. */
export async function exportTo(context: SlashContext, argument: string): Promise<void> {
  const { kay, link, session, say, ask } = context;
  const id = begun(session(), "export");
  const [, named, path = ""] = /^(md|json)?(?:^|\s+|$)(.*)$/.exec(argument) ?? [];
  const format: ExportFormat = named === "json" || (named === undefined && path.endsWith(".json")) ? "json" : "md";
  const file = path === "" ? `kay-${id.slice(-8)}.${format}` : path;
  const { text } = await exported(kay, link, id, format);
  say(`Written to ${line(await writeExport(kay, file, text, ask))}.`);
}

async function numbered({ link }: SlashContext, argument: string): Promise<string> {
  if (!/^\d{1,2}$/.test(argument)) return (await conversationFor(link, { resume: argument })) ?? argument;
  const { data } = await link.api.sessions({ page: 1, limit: LISTED });
  const found = data[Number(argument) - 1];
  if (found) return found.id;
  throw new Problem("SESSION_NOT_FOUND", `There is no conversation ${argument}.`, { hint: "/sessions shows them." });
}

function begun(id: string | undefined, verb: string): string {
  if (id !== undefined) return id;
  throw new Problem("USAGE", `There is nothing to ${verb} yet.`, { hint: "Say something first." });
}

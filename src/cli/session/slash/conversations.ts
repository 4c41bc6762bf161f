import { Problem } from "#protocol/errors";
import { toLine } from "#ui/text/words";
import { findConversationId, MOST_LISTED, toConversationChoices, WHICH_CONVERSATION } from "../../ask/conversation.ts";
import { type ExportFormat, exportConversation, writeExport } from "../../commands/sessions/export.ts";
import { formatRenamed, SESSION_COLUMNS, toSessionRows } from "../../commands/sessions/run.ts";
import type { SlashContext } from "./command.ts";
import { formatRows } from "./command.ts";

/** Maximum number of numbered entries. */
const LISTED = 20;

/** Handles `/sessions`, and `/sessions 2`, an ID or a title, which switches there. */
export async function runSessions(context: SlashContext, argument: string): Promise<void> {
  const { api } = context.link;
  if (argument === "") {
    const { data } = await api.sessions({ page: 1, limit: context.pick ? MOST_LISTED : LISTED });
    if (data.length === 0) return context.say("There is no conversation yet.");
    if (context.pick) {
      const [id] = (await context.pick(WHICH_CONVERSATION, toConversationChoices(data, context.kay.clock.now()))) ?? [];
      return id === undefined || id === context.session() ? undefined : context.resume(id);
    }
    const rows = toSessionRows(data).map((row, index) => [String(index + 1), ...row]);
    return context.say(`${formatRows(context, ["", ...SESSION_COLUMNS], rows)}\nContinue one with /sessions NUMBER.`);
  }
  await context.resume(await resolveNumber(context, argument));
}

/** Handles `/rename TITLE`. */
export async function runRename({ link, session, say }: SlashContext, argument: string): Promise<void> {
  const id = requireConversation(session(), "rename");
  if (argument === "") throw new Problem("USAGE", "Specify the new title: /rename Open bugs.");
  say(formatRenamed(await link.api.renameSession(id, argument)));
}

/** Handles `/export [md|json] [FILE]`. */
export async function runExport(context: SlashContext, argument: string): Promise<void> {
  const { kay, link, session, say, ask } = context;
  const id = requireConversation(session(), "export");
  const [, name, path = ""] = /^(md|json)?(?:^|\s+|$)(.*)$/.exec(argument) ?? [];
  const format: ExportFormat = name === "json" || (name === undefined && path.endsWith(".json")) ? "json" : "md";
  const file = path === "" ? `kay-${id.slice(-8)}.${format}` : path;
  const { text } = await exportConversation(kay, link, id, format);
  say(`Written to ${toLine(await writeExport(kay, file, text, ask))}.`);
}

/** Handles `/detach`. */
export async function runDetach({ detach, say }: SlashContext): Promise<void> {
  if (!(await detach())) say("Nothing is running. Use /quit to leave.");
}

async function resolveNumber({ link }: SlashContext, argument: string): Promise<string> {
  if (!/^\d{1,2}$/.test(argument)) return (await findConversationId(link, { resume: argument })) ?? argument;
  const { data } = await link.api.sessions({ page: 1, limit: LISTED });
  const conversation = data[Number(argument) - 1];
  if (conversation) return conversation.id;
  throw new Problem("SESSION_NOT_FOUND", `No conversation matches ${argument}.`, { hint: "/sessions lists them." });
}

function requireConversation(id: string | undefined, verb: string): string {
  if (id !== undefined) return id;
  throw new Problem("USAGE", `There is nothing to ${verb} yet.`, { hint: "Send a request first." });
}

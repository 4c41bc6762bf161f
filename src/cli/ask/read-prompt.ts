import { basename } from "node:path";
import type { AskRequest } from "#protocol/ask";
import { Problem } from "#protocol/errors";
import { splitShellWords } from "#protocol/shell";
import { isSlashCommand } from "#ui/session/open-cards";
import type { BackendHandle } from "../backend/handle.ts";
import { fillAlias, listAliases } from "../context/aliases.ts";
import { describeUntrusted, readProjectContext } from "../context/trust.ts";
import type { Kay } from "../kay.ts";
import { checkLimitsSupported } from "./allow-list.ts";

/** The prompt of a request. `typed` is the part that the user wrote, if others may have written the rest. */
export type ReadPrompt = Pick<AskRequest, "prompt" | "typed">;

/** Whether the words of a command line begin with an alias: `/standup`, then its arguments. */
export function isAliasCall([first = ""]: readonly string[]): boolean {
  return isSlashCommand(first);
}

/**
 * Builds the prompt from the user's words: `/standup KAY` becomes the prompt of the alias standup, and `//standup` the
 * text `/standup`.
 *
 * @param words one text; or the name of an alias with its slash, and its arguments
 * @throws Problem USAGE for arguments that do not fit, NOT_FOUND if the backend would take the text of a project for
 * the user's own
 */
export async function readPrompt(kay: Kay, link: BackendHandle, ...words: string[]): Promise<ReadPrompt> {
  const text = words.join(" ");
  if (!isAliasCall(words))
    return { prompt: text.startsWith("//") && isSlashCommand(text.slice(1)) ? text.slice(1) : text };
  const [, name = "", argument = ""] = /^\/(\S+)\s*([\s\S]*)$/.exec((words[0] ?? "").trim()) ?? [];
  const alias = (await listAliases(kay)).find((alias) => alias.name === name.toLowerCase());
  if (!alias) {
    await refuseUntrusted(kay, name);
    return { prompt: text };
  }
  const argv = words.length > 1 ? words.slice(1) : splitShellWords(argument);
  if (argv === undefined) throw new Problem("USAGE", `The arguments of /${name} have an unclosed quote.`, { hint: "" });
  const prompt = fillAlias(alias, argv);
  if (alias.origin === "person") return { prompt };
  const read = { prompt, typed: text };
  await checkLimitsSupported(link, read);
  return read;
}

/** Refuses an alias of an untrusted project. @throws Problem USAGE */
async function refuseUntrusted(kay: Kay, name: string): Promise<void> {
  const project = readProjectContext(kay);
  if (!project?.project.aliases.some(({ path }) => basename(path) === `${name}.md`)) return;
  const reason = describeUntrusted(project);
  if (reason !== undefined) throw new Problem("USAGE", reason, { hint: "Run `kay context trust`." });
}

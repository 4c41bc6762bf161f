import { suggestName } from "#protocol/closest-name";
import { Problem } from "#protocol/errors";
import { toLine } from "#ui/text/words";
import type { SlashCommand } from "./command.ts";
import { SLASH_COMMANDS } from "./table.ts";

/** Input of a session: a command, or text to send, which may be an alias. */
export type SlashInput = { kind: "command"; command: SlashCommand; argument: string } | { kind: "text"; text: string };

/** Matches `/word` or `/service:prompt`, alone or before its argument, in one line, but not a path (`/usr/bin`). */
const SHAPE = /^\/([a-z](?:[a-z\d-]*|[a-z\d@-]*:[^\s/]\S*))(?:[ \t]([^\n]*))?$/i;

/**
 * Distinguishes commands from text, which includes aliases.
 *
 * @param aliases names of the aliases
 * @throws Problem USAGE for an unknown command, with the nearest one
 */
export function parseSlash(line: string, aliases: readonly string[] = []): SlashInput {
  const [, word, argument = ""] = SHAPE.exec(line.trim()) ?? [];
  if (word === undefined) return { kind: "text", text: line };
  if (word.includes(":")) return { kind: "command", command: createPromptCommand(word), argument: argument.trim() };
  const name = ALSO[word.toLowerCase()] ?? word.toLowerCase();
  const command = SLASH_COMMANDS.find((command) => command.name === name);
  if (command) return { kind: "command", command, argument: argument.trim() };
  if (aliases.includes(name)) return { kind: "text", text: line };
  const names = [...SLASH_COMMANDS.map((command) => command.name), ...aliases];
  const guess = suggestName(name, names, (close) => `/${close}`) || "Run /help to see them all.";
  const hint = "To send text that starts with a slash, type two: //etc";
  throw new Problem("USAGE", `Unknown command /${toLine(word)}. ${guess}`, { hint });
}

/** Creates a command for a prompt of an MCP server: `linear:standup`. Whether it exists is checked when it runs. */
function createPromptCommand(word: string): SlashCommand {
  const colon = word.indexOf(":");
  const prompt = { service: word.slice(0, colon).toLowerCase(), name: word.slice(colon + 1) };
  return {
    name: word,
    args: "",
    does: "",
    run: async (context, argument) => (await import("./prompts.ts")).runServerPrompt(context, prompt, argument),
  };
}

/** Other words that leave the session. */
const ALSO: Record<string, string> = { exit: "quit", q: "quit", new: "clear" };

/** Names that mean a command of a session, so that no alias can have them. */
export const SLASH_NAMES: readonly string[] = [...SLASH_COMMANDS.map(({ name }) => name), ...Object.keys(ALSO)];

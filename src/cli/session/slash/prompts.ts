import { clean, cleanLine } from "#protocol/clean";
import { suggestName } from "#protocol/closest-name";
import { Problem } from "#protocol/errors";
import type { InputField } from "#protocol/interactions";
import { toLine } from "#ui/text/words";
import { loadTools } from "../../commands/tools/backend.ts";
import { listServerPrompts, type ServerPrompt } from "../server-lists.ts";
import type { SlashContext } from "./command.ts";

/** Handles `/prompts [SERVICE]`: lists the prompts of each MCP server, or its error. */
export async function runPrompts({ kay, link, say }: SlashContext, argument: string): Promise<void> {
  const tools = await loadTools(kay, argument === "" ? undefined : argument);
  const lists = tools.filter(({ name }) => name.endsWith(".prompts_list"));
  const texts = await Promise.all(
    lists.map(async ({ name, service }) => {
      const answer = await link.api
        .callTool(name, {}, { signal: kay.signal })
        .then(({ output }) => output.text)
        .catch((error: unknown) => (error instanceof Problem ? error.message : Promise.reject(error)));
      return `${toLine(service)}\n${clean(answer)}`;
    }),
  );
  say(texts.join("\n\n") || "No connected MCP server has prompts.");
}

/**
 * Handles `/linear:standup`: gets the text of a server's prompt, shows it, and sends it if the user agrees. The text is
 * sent as data that others wrote, never as the user's words.
 */
export async function runServerPrompt(
  context: SlashContext,
  { service, name }: { service: string; name: string },
  argument: string,
): Promise<void> {
  const { kay, link, say, ask, send } = context;
  const prompt = await findPrompt(context, service, name);
  const values = await completeArguments(context, prompt, parseArguments(prompt, argument));
  if (values === null) return say("Nothing was sent.");
  const { output } = await link.api.callTool(
    `${service}.prompts_get`,
    { name: prompt.name, arguments: JSON.stringify(values) },
    { signal: kay.signal },
  );
  const text = clean(output.text).trim();
  say(`The MCP server ${toLine(service)} wrote this prompt, not kay:\n\n${text}\n`);
  if (!(await ask(`Send this prompt of ${toLine(service)} to the model?`))) return say("Nothing was sent.");
  const title = `${service}:${cleanLine(prompt.name, 80)}`;
  // The sentence counts as the user's words and its mentions as theirs, so a name with other signs stays out of it.
  const label = /^[\w.-]+$/.test(prompt.name) ? title : service;
  await send(`Do what the prompt ${label} asks. Its text is in the context.`, { prompt: { name: title, text } });
}

async function findPrompt({ kay, link }: SlashContext, service: string, name: string): Promise<ServerPrompt> {
  const prompts = await listServerPrompts(kay, link, service);
  const lowerName = name.toLowerCase();
  const prompt =
    prompts.find((prompt) => prompt.name === name) ?? prompts.find((prompt) => prompt.name.toLowerCase() === lowerName);
  if (prompt) return prompt;
  const names = prompts.map((prompt) => prompt.name);
  const guess = suggestName(name, names, (close) => `/${service}:${toLine(close)}`) || "/prompts lists them.";
  throw new Problem(
    "USAGE",
    names.length === 0
      ? `No connected MCP server ${toLine(service)} has prompts.`
      : `${toLine(service)} has no prompt ${toLine(name)}. ${guess}`,
    { hint: "To send text that starts with a slash, type two: //etc" },
  );
}

/**
 * Reads `name=value` and values in the order of the prompt's arguments, with quotes where a value has spaces. The rest
 * belongs to the last value.
 */
export function parseArguments(
  { arguments: fields }: Pick<ServerPrompt, "arguments">,
  argument: string,
): Record<string, string> {
  const values: Record<string, string> = {};
  const free: string[] = [];
  for (const [word] of argument.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+|["']/g)) {
    const plain = word.replace(/"([^"]*)"|'([^']*)'/g, "$1$2");
    const field = fields.find(({ name }) => plain.startsWith(`${name}=`));
    if (field) values[field.name] = plain.slice(field.name.length + 1);
    else free.push(plain);
  }
  const open = fields.filter(({ name }) => values[name] === undefined);
  for (const [index, { name }] of open.entries()) {
    const value = index === open.length - 1 ? free.slice(index).join(" ") : free[index];
    if (value) values[name] = value;
  }
  if (fields.length === 0 && free.length > 0) throw new Problem("USAGE", "This prompt takes no arguments.");
  return values;
}

/** Asks for the arguments in a form if a required one is missing. Returns null if the user leaves it. */
async function completeArguments(
  { fill }: SlashContext,
  { service, name, arguments: fields }: ServerPrompt,
  values: Record<string, string>,
): Promise<Record<string, string> | null> {
  if (fields.every((field) => !field.required || values[field.name])) return values;
  const answers = await fill({
    title: `${service}:${cleanLine(name, 80)}`,
    prompt: `The prompt ${cleanLine(name, 80)} of the MCP server ${toLine(service)} needs more. Your answers go to that server.`,
    fields: fields.map(toField),
    values: values,
  });
  if (answers === null) return null;
  const entries = Object.entries(answers).filter(([, value]) => typeof value === "string" && value !== "");
  return Object.fromEntries(entries) as Record<string, string>;
}

function toField({ name, description, required }: ServerPrompt["arguments"][number]): InputField {
  return {
    id: name,
    type: "text",
    label: cleanLine(name, 120),
    ...(description ? { description: cleanLine(description, 200) } : {}),
    ...(required ? { required } : {}),
  };
}

import { toLine } from "#ui/text/words";
import { type Alias, listAliases, removeAlias, writeAlias } from "../../context/aliases.ts";
import type { Kay } from "../../kay.ts";
import { SLASH_NAMES } from "../../session/slash/read.ts";
import { readTypedValue } from "../../terminal/piped-input.ts";

/** Prints the user's aliases, and those of a trusted project. */
export async function showAliases(kay: Kay): Promise<void> {
  const aliases = await listAliases(kay);
  if (kay.flags.json) return kay.out.writeJson({ aliases });
  if (aliases.length === 0) kay.out.writeProgress('No aliases. Save one with `kay alias set standup "…"`.');
  else await kay.out.writeTable(["ALIAS", "FROM", "PROMPT"], aliases.map(toRow));
}

/**
 * Saves a prompt, which is read from the terminal or stdin if it is not given.
 *
 * @throws Problem USAGE for a name that a command has
 */
export async function setAlias(
  kay: Kay,
  { name, text: givenText, commands }: { name: string; text: string | undefined; commands: readonly string[] },
): Promise<void> {
  const isTyped = givenText === undefined || givenText === "-";
  const hint = 'Pass the prompt as an argument: kay alias set standup "what did I do yesterday?"';
  const text = isTyped ? await readTypedValue(kay, { label: "Prompt", patient: givenText === "-", hint }) : givenText;
  const alias = await writeAlias(kay, name, text, [...commands, ...RESERVED, ...SLASH_NAMES]);
  if (kay.flags.json) return kay.out.writeJson(alias);
  kay.out.writeProgress(`Saved. Run it with \`kay ${name}\`, or /${name} in a session.`);
}

/** Removes an alias. @throws Problem NOT_FOUND */
export async function deleteAlias(kay: Kay, name: string): Promise<void> {
  await removeAlias(kay, name);
  if (kay.flags.json) return kay.out.writeJson({ name, removed: true });
  kay.out.writeProgress(`Removed the alias ${name}.`);
}

/** Words that kay runs without a command of that name. */
const RESERVED = ["login", "version"];

function toRow({ name, text, origin }: Alias): string[] {
  return [name, origin === "person" ? "you" : "this project", toLine(text)];
}

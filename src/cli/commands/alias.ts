import { toLine } from "#ui/text/words";
import { Command } from "../command.ts";
import { type Alias, listAliases, removeAlias, writeAlias } from "../context/aliases.ts";
import type { Kay } from "../kay.ts";
import { readTypedValue } from "../prompt/value.ts";

/**
 * Creates `kay alias list|set|remove`, which manages saved prompts.
 *
 * @param commands names of commands, which no alias can have
 */
export function createAliasCommand(kay: Kay, commands: readonly string[]): Command {
  const command = new Command("alias").description("Save prompts and run them by name").helpCommand(false);
  command
    .command("list")
    .description("List aliases: yours, and those of a project that you trust")
    .action(async () => {
      const aliases = await listAliases(kay);
      if (kay.flags.json) return kay.out.writeJson({ aliases });
      if (aliases.length === 0) kay.out.writeProgress('No aliases. Save one with `kay alias set standup "…"`.');
      else await kay.out.writeTable(["ALIAS", "FROM", "PROMPT"], aliases.map(toRow));
    });
  command
    .command("set")
    .argument("<name>")
    .argument("[text]", "Prompt; omit it or use `-` to read it from stdin")
    .description("Save a prompt; $1 to $9 are its arguments, and $@ is all of them")
    .action(async (name: string, given: string | undefined) => {
      const { SLASH_NAMES } = await import("../session/slash/read.ts");
      const isTyped = given === undefined || given === "-";
      const hint = 'Pass the prompt as an argument: kay alias set standup "what did I do yesterday?"';
      const text = isTyped ? await readTypedValue(kay, { label: "Prompt", patient: given === "-", hint }) : given;
      const alias = await writeAlias(kay, name, text, [...commands, ...RESERVED, ...SLASH_NAMES]);
      if (kay.flags.json) return kay.out.writeJson(alias);
      kay.out.writeProgress(`Saved. Run it with \`kay ${name}\`, or /${name} in a session.`);
    });
  command
    .command("remove")
    .argument("<name>")
    .description("Remove an alias")
    .action(async (name: string) => {
      await removeAlias(kay, name);
      if (kay.flags.json) return kay.out.writeJson({ name, removed: true });
      kay.out.writeProgress(`Removed the alias ${name}.`);
    });
  return command;
}

/** Words that a command line turns into commands. */
const RESERVED = ["login", "version"];

function toRow({ name, text, origin }: Alias): string[] {
  return [name, origin === "person" ? "you" : "this project", toLine(text)];
}

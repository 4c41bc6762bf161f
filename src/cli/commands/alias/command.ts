import { Command } from "../../command.ts";
import type { Kay } from "../../kay.ts";

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
    .action(async () => (await import("./run.ts")).showAliases(kay));
  command
    .command("set")
    .argument("<name>")
    .argument("[text]", "Prompt; omit it or use `-` to read it from stdin")
    .description("Save a prompt; $1 to $9 are its arguments, and $@ is all of them")
    .action(async (name: string, text: string | undefined) =>
      (await import("./run.ts")).setAlias(kay, { name, text, commands }),
    );
  command
    .command("remove")
    .argument("<name>")
    .description("Remove an alias")
    .action(async (name: string) => (await import("./run.ts")).deleteAlias(kay, name));
  return command;
}

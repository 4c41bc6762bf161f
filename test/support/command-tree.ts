import type { Command } from "commander";
import type { Kay } from "#cli/kay";
import { buildProgram } from "#cli/program";

/** Every command of kay by its words, groups too, in the order of the tree; "" is kay alone. */
export function commandNames(): string[] {
  return namesBelow(
    buildProgram({ version: "0.0.0-test" } as Kay, () => {}),
    [],
  );
}

function namesBelow(command: Command, words: string[]): string[] {
  return [words.join(" "), ...command.commands.flatMap((child) => namesBelow(child, [...words, child.name()]))];
}

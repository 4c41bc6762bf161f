import type { Command } from "commander";
import { expect, test } from "vitest";
import { FREE_TEXT_SLOT, findSlot, getPlaceholder } from "#cli/completion/describe";
import { programAlone } from "#test/completion";

test("every argument and every option value is completed, or is free text", () => {
  const open = slots(programAlone(), []).filter(({ where, name, choices }) => {
    return Object.keys(findSlot(where, name, choices)).length === 0 && !FREE_TEXT_SLOT.includes(name);
  });
  expect(open).toEqual([]);
});

/** Everything that takes a value, with its command or option name. */
function slots(command: Command, above: string[]): { where: string; name: string; choices?: readonly string[] }[] {
  const words = command.parent ? [...above, command.name()] : [];
  const argumentSlots = command.registeredArguments.map((argument) => ({
    where: words.join(" "),
    name: argument.name(),
    choices: argument.argChoices,
  }));
  const valued = command.options
    .filter(({ required, optional, hidden }) => (required || optional) && !hidden)
    .map((option) => ({ where: option.long ?? "", name: getPlaceholder(option), choices: option.argChoices }));
  return [...argumentSlots, ...valued, ...command.commands.flatMap((child) => slots(child, words))];
}

import { Command } from "commander";
import { Problem } from "#protocol/errors";
import type { Kay } from "../kay.ts";
import { nearest } from "../nearest.ts";
import { TOPICS } from "../topics.ts";

/** `kay help [command or topic]`. */
export function helpCommand(kay: Kay): Command {
  const names = Object.keys(TOPICS);
  const command = new Command("help")
    .description(`Show help for a command, or for a topic: ${names.join(", ")}`)
    .argument("[name]", "a command or a topic");
  return command.action((name: string | undefined) => {
    const program = command.parent;
    if (!program) return;
    if (!name) return program.outputHelp();
    const topic = Object.hasOwn(TOPICS, name) ? TOPICS[name] : undefined;
    if (topic) return kay.flags.json ? kay.out.json({ help: topic.trim() }) : kay.out.line(topic.trim());
    const found = program.commands.find((one) => one.name() === name || one.aliases().includes(name));
    if (found) return found.outputHelp();
    const close = nearest(name, [...names, ...program.commands.map((one) => one.name())]);
    throw new Problem("USAGE", `There is no command or topic ${JSON.stringify(name)}.`, {
      hint: close ? `Did you mean \`kay help ${close}\`?` : "Run `kay help` to see them all.",
    });
  });
}

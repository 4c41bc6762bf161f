import { Command } from "commander";
import type { Kay } from "../../kay.ts";
import type { AnswerOptions } from "./options.ts";

/** `kay answer <id>`: answer what waits, from any process, and see what comes of it. */
export function createAnswerCommand(kay: Kay): Command {
  return new Command("answer")
    .description("Answer an approval, a form, or a request to connect")
    .argument("<id>", "as `kay pending` shows it")
    .option("--approve", "carry it out")
    .option("--scope <scope>", "how long the approval lasts: once, session or always")
    .option("--edit <json>", "carry it out with these arguments instead")
    .option("--deny", "do not carry it out")
    .option("--reason <text>", "why not")
    .option("--field <key=value>", "a field of the form; repeat it for more", collect, [])
    .option("--decline", "do not fill in the form")
    .option("--cancel", "cancel the form, or the request that waits for a connection")
    .addHelpText("after", AFTER)
    .action(async (id: string, options: AnswerOptions) => (await import("./run.ts")).runAnswer(kay, id, options));
}

function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

const AFTER = `
Examples:
  $ kay answer int_1 --approve --scope session
  $ kay answer int_1 --deny --reason "not in this channel"
  $ kay answer int_2 --field project=KAY --field urgent=yes
  $ kay answer gen_1              # connect what it waits for

Without an option it asks, on a terminal. Then it shows the answer of the
request up to its end or its next question, as \`kay ask\` does.`;

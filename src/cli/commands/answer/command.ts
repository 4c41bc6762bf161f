import { Command, collectValues } from "../../command.ts";
import type { Kay } from "../../kay.ts";
import type { AnswerOptions } from "./options.ts";

/** Creates `kay answer <id>`, which answers an open request from any process and follows the result. */
export function createAnswerCommand(kay: Kay): Command {
  return new Command("answer")
    .description("Answer a pending approval, form or connection request")
    .argument("[id]", "ID shown by `kay pending`, or its first characters (default: choose from a list)")
    .option("--approve", "Approve the request")
    .option("--scope <scope>", "How long the approval lasts: once, session or always")
    .option("--edit <json>", "Approve, but with these arguments")
    .option("--deny", "Deny the request")
    .option("--reason <text>", "Reason for denying")
    .option("--field <key=value>", "Set a form field; can be repeated", collectValues, [])
    .option("--decline", "Decline the form")
    .option("--cancel", "Cancel the form or the request that is waiting for a connection")
    .option("--link", "Print a link that lets another device answer, such as your phone")
    .addHelpText("after", AFTER)
    .action(async (id: string | undefined, options: AnswerOptions) =>
      (await import("./run.ts")).runAnswer(kay, id, options),
    );
}

const AFTER = `
Examples:
  $ kay answer                    # choose an open request and answer it
  $ kay answer 3f9a02 --approve --scope session
  $ kay answer 3f9a02 --deny --reason "not in this channel"
  $ kay answer 71bc4e --field project=KAY --field summary="Login loops"

Without options, kay prompts on a terminal. It then follows the request
until it ends or stops at the next open request, like \`kay ask\`.`;

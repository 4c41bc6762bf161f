import { Problem } from "#protocol/errors";
import { Command } from "../command.ts";
import type { Kay } from "../kay.ts";

type Options = { approve?: boolean; deny?: boolean };

/** Creates `kay confirm <token>`, which answers a confirmation that another process left open. */
export function createConfirmCommand(kay: Kay): Command {
  return new Command("confirm")
    .description("Approve or deny a plan from `kay ask --confirm`")
    .argument("<token>", "Token printed by `kay ask --confirm`")
    .option("--approve", "Approve and run the plan")
    .option("--deny", "Deny the plan")
    .action(async (token: string, options: Options) => {
      if (Boolean(options.approve) === Boolean(options.deny)) {
        throw new Problem("USAGE", "Specify --approve or --deny.", {
          hint: `Use exactly one of them.`,
        });
      }
      const link = await kay.openBackend({ signedIn: true });
      const { sendConfirmation, settleConfirmations } = await import("../ask/settle.ts");
      const answer = await sendConfirmation(kay, link, token, Boolean(options.approve));
      return settleConfirmations(kay, link, answer);
    });
}

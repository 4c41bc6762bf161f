import { Command } from "commander";
import { Problem } from "#protocol/errors";
import type { Kay } from "../kay.ts";

type Options = { approve?: boolean; deny?: boolean };

/** `kay confirm <token>`: answer a confirmation that another process, or another day, left open. */
export function createConfirmCommand(kay: Kay): Command {
  return new Command("confirm")
    .description("Answer a pending confirmation")
    .argument("<token>", "the confirmation token that `kay ask --confirm` printed")
    .option("--approve", "carry it out")
    .option("--deny", "do nothing, and say so")
    .action(async (token: string, options: Options) => {
      if (Boolean(options.approve) === Boolean(options.deny)) {
        throw new Problem("USAGE", "Say whether to carry it out.", { hint: `Give one of --approve and --deny.` });
      }
      const link = await kay.openBackend({ signedIn: true });
      const { sendConfirmation, settleConfirmations } = await import("../ask/settle.ts");
      const answer = await sendConfirmation(kay, link, token, Boolean(options.approve));
      await settleConfirmations(kay, link, answer);
    });
}

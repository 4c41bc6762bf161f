import { Command } from "../../command.ts";
import type { Kay } from "../../kay.ts";

/** Creates `kay pending`, which lists open requests of all conversations. */
export function createPendingCommand(kay: Kay): Command {
  return new Command("pending")
    .description("List approvals, forms and connection requests that need an answer")
    .action(async () => (await import("./run.ts")).showPending(kay));
}

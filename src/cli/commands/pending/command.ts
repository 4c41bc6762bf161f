import { Command } from "../../command.ts";
import type { Kay } from "../../kay.ts";

/** `kay pending`: approvals, forms and requests to connect that wait for an answer, wherever they were asked. */
export function createPendingCommand(kay: Kay): Command {
  return new Command("pending")
    .description("List approvals, forms and connection requests that need an answer")
    .action(async () => (await import("./run.ts")).showPending(kay));
}

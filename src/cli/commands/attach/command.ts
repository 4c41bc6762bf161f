import { Command } from "../../command.ts";
import type { Kay } from "../../kay.ts";
import type { ClientOptions } from "../../session/session-options.ts";

/** `kay attach [id]`: join a conversation that goes on, wherever it was begun. */
export function createAttachCommand(kay: Kay): Command {
  return new Command("attach")
    .description("Join a running conversation from another terminal")
    .argument("[conversation]", "Conversation ID or title (default: the one that is running, else the most recent)")
    .option("--read-only", "Watch only; use /interactive on to answer")
    .option("--name <name>", "Name that others see for this terminal")
    .option("--plain", "only text, nothing redrawn: for screen readers (ACCESSIBLE=1)")
    .addHelpText("after", AFTER)
    .action(async (conversation: string | undefined, options: ClientOptions) =>
      (await import("./run.ts")).runAttach(kay, conversation, options),
    );
}

const AFTER = `
Whoever answers an approval, a form or a request to connect first is heard;
everybody else sees the answer. Without a terminal it follows the newest request
to its end or its next stop, with the exit codes of \`kay ask\`; --json prints
each part as a line of JSON, and a line whenever somebody comes or leaves.`;

import { Command } from "../../command.ts";
import type { Kay } from "../../kay.ts";
import type { ClientOptions } from "../../session/session-options.ts";

/** Creates `kay attach [id]`, which joins a running conversation. */
export function createAttachCommand(kay: Kay): Command {
  return new Command("attach")
    .description("Join a running conversation from another terminal")
    .argument("[conversation]", "Conversation ID or title (default: the one that is running, else the most recent)")
    .option("--read-only", "Watch only; use /interactive on to answer")
    .option("--name <name>", "Name that others see for this terminal")
    .option("--plain", "Print plain text that is never redrawn, for screen readers (ACCESSIBLE=1)")
    .addHelpText("after", AFTER)
    .action(async (conversation: string | undefined, options: ClientOptions) =>
      (await import("./run.ts")).runAttach(kay, conversation, options),
    );
}

const AFTER = `
The first client to answer an approval, a form or a connection request decides;
all clients see the answer. Without a terminal, kay attach follows the newest
request until it ends or stops, and exits like \`kay ask\`. With --json it prints
each event as one line of JSON, including clients that join or leave.`;

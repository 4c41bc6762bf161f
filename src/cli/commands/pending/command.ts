import { Command } from "../../command.ts";
import type { Kay } from "../../kay.ts";

/** Creates `kay pending`, which lists open requests of all conversations. */
export function createPendingCommand(kay: Kay): Command {
  return new Command("pending")
    .description("List approvals, forms and connection requests that need an answer")
    .option("--watch", "Keep running, and show new ones as they open (as `kay inbox`)")
    .option("--link", "Print a link that lets another device answer, such as your phone")
    .action(async ({ watch, link }: { watch?: boolean; link?: boolean }) => {
      if (link) return (await import("./link.ts")).showAnswerLink(kay, await kay.openBackend({ signedIn: true }));
      const { showPending, watchPending } = await import("./run.ts");
      return watch ? watchPending(kay) : showPending(kay);
    });
}

/** Creates `kay inbox`, which answers open requests of all conversations as they open. */
export function createInboxCommand(kay: Kay): Command {
  return new Command("inbox")
    .description("Watch and answer everything that needs you, in all conversations")
    .addHelpText("after", AFTER)
    .action(async () => (await import("./run.ts")).watchPending(kay));
}

const AFTER = `
Examples:
  $ kay inbox                     # in a tmux pane: choose, read, edit, answer
  $ kay inbox | while read -r id kind what; do notify-send kay "$what"; done
  $ kay inbox --json              # one line of JSON for each new request`;

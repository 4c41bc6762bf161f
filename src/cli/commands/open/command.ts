import { Command } from "../../command.ts";
import type { Kay } from "../../kay.ts";

/** Creates `kay open`, which opens an issue, a pull request or the result of a change in the browser. */
export function createOpenCommand(kay: Kay): Command {
  return new Command("open")
    .description("Open an issue, a pull request or a recent change in the browser")
    .argument("<object>", "Issue key, repository#number, words of a change in `kay log`, or `latest`")
    .addHelpText("after", AFTER)
    .action(async (object: string) => (await import("./run.ts")).openObject(kay, object));
}

const AFTER = `
Examples:
  $ kay open KAY-1
  $ kay open kay-demo/kay-docs#1
  $ kay open "#general"           # the newest message kay sent there
  $ kay open latest --no-browser  # only print the link

kay opens only https links that belong to the service.`;

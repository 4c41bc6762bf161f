import { Command } from "../../command.ts";
import type { Kay } from "../../kay.ts";
import type { LogOptions } from "./run.ts";

/** Creates `kay log`, which lists the writes of all conversations. */
export function createLogCommand(kay: Kay): Command {
  return new Command("log")
    .description("List everything kay changed, in all conversations, newest first")
    .option("--since <time>", "Start at this time: 30m, 12h, 2d, 1w, or a date (2026-11-20)")
    .option("--service <service>", "Only changes in this service")
    .option("--limit <number>", "Number of changes", "30")
    .addHelpText("after", AFTER)
    .action(async (options: LogOptions) => (await import("./run.ts")).showLog(kay, options));
}

const AFTER = `
Examples:
  $ kay log --since 2d
  $ kay log --service slack --limit 5
  $ kay log --json --jq '.writes[] | select(.state == "unknown") | .url'

States:
  done      The service confirmed the change
  failed    The service refused it
  not sent  Nothing was sent to the service
  unknown   It may have been done; check before you try again
  running   kay is sending it now

Deleting a conversation deletes its entries.`;

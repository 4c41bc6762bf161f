import { Command } from "commander";
import type { Kay } from "../../kay.ts";
import type { ConnectOptions } from "./run.ts";

/** `kay connect <service...>`: consent in the browser, and then signed in. */
export function createConnectCommand(kay: Kay): Command {
  return new Command("connect")
    .description("Connect services, each through its own consent page in the browser")
    .argument("[service...]", "jira, confluence, bitbucket, …")
    .option("--site <name>", "which site, when the account has several (name or URL)")
    .option("--no-wait", "print the link and end; --poll finishes it later")
    .option("--poll <state>", "finish a connection that --no-wait began")
    .addHelpText(
      "after",
      `
Examples:
  $ kay connect jira
  $ kay connect jira confluence
  $ kay connect jira --no-wait --json   # the link, and what finishes it later`,
    )
    .action(async (services: string[], options: ConnectOptions) => {
      const { runConnect } = await import("./run.ts");
      await runConnect(kay, services, options);
    });
}

import { Command } from "../../command.ts";
import type { Kay } from "../../kay.ts";
import type { ConnectOptions } from "./run.ts";

/** Creates `kay connect <service...>`, which connects services in the browser and signs in. */
export function createConnectCommand(kay: Kay): Command {
  return new Command("connect")
    .description("Connect services in your browser")
    .argument("[service...]", "Services to connect, such as jira or slack")
    .option("--site <name>", "Site to use if your account has several (name or URL)")
    .option("--as <name>", "Connect another account of a service under this name")
    .option("--client-id <id>", "OAuth client that you registered for a known MCP server")
    .option("--client-secret", "Read the secret of that client from stdin")
    .option("--no-wait", "Print the link and exit; finish later with --poll")
    .option("--poll <state>", "Finish a connection started with --no-wait")
    .addHelpText(
      "after",
      `
Examples:
  $ kay connect jira
  $ kay connect jira confluence
  $ kay connect jira --as work          # a second account, called jira@work
  $ kay connect linear                  # an MCP server that kay knows by name
  $ kay connect jira --no-wait --json   # print the link and how to finish later

\`kay services show jira\` prints the redirect URL for your own OAuth client.`,
    )
    .action(async (services: string[], options: ConnectOptions) => {
      const { runConnect } = await import("./run.ts");
      await runConnect(kay, services, options);
    });
}

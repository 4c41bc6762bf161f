import { Command, collectValues } from "../../command.ts";
import type { Kay } from "../../kay.ts";

/** Defines `kay tools list|show|call`: lists tools and runs one without a model. */
export function createToolsCommand(kay: Kay): Command {
  const command = new Command("tools").description("List tools and run them directly").helpCommand(false);
  command
    .command("list")
    .option("--service <service>", "Show only tools of this service")
    .description("List tools")
    .action(async ({ service }: { service?: string }) => (await import("./show.ts")).listTools(kay, service));
  command
    .command("show")
    .argument("<tool>", "Tool name, such as jira.search")
    .description("Show a tool's fields and examples")
    .action(async (name: string) => (await import("./show.ts")).showTool(kay, name));
  command
    .command("call")
    .argument("<tool>", "Tool name, such as jira.search")
    .argument("[input]", "Tool input as JSON; use `-` to read from stdin")
    .option("--field <key=value>", "Set an input field; can be repeated", collectValues, [])
    .description("Run a tool")
    .addHelpText("after", AFTER_CALL)
    .action(async (name: string, input: string | undefined, { field }: { field: string[] }) =>
      (await import("./call.ts")).callTool(kay, { name, input, fields: field }),
    );
  return command;
}

const AFTER_CALL = `
Examples:
  $ kay tools call jira.search --field project=KAY --field status=open
  $ kay tools call jira.get_issue '{"issue": "KAY-1"}' --json
  $ jq .issue issue.json | kay tools call jira.create_issue -

A tool that cannot be undone asks first; in a script, pass --yes. With the
service's own token in <SERVICE>_ACCESS_TOKEN, the tool calls the real service
without a backend; <SERVICE>_SITE selects one of several sites. If a token or
connection is missing, kay prints {"error": {"code": "AUTH_REQUIRED", …}} and
exits with 4.`;

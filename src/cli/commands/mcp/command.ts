import { Command, collectValues } from "../../command.ts";
import type { Kay } from "../../kay.ts";

/** Creates `kay mcp`, which serves kay's tools to another agent on stdin and stdout. */
export function createMcpCommand(kay: Kay): Command {
  return new Command("mcp")
    .description("Let another agent use your connected services, with your approvals")
    .option("--service <name>", "List the tools of this service directly; repeat for more", collectValues)
    .addHelpText(
      "after",
      `
Speaks the Model Context Protocol on stdin and stdout. Every change waits for
your approval: answer it with \`kay answer\` in any terminal.

To use an MCP server in kay, run \`kay services add --mcp <url>\` instead.

Examples:
  $ claude mcp add kay -- kay mcp
  $ codex mcp add kay -- kay mcp
  $ kay mcp --service jira --service slack`,
    )
    .action(async (options: { service?: string[] }) => (await import("./run.ts")).serveMcp(kay, options.service ?? []));
}

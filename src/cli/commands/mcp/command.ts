import { Command, collectValues } from "../../command.ts";
import type { Kay } from "../../kay.ts";

/** Creates `kay mcp`, which serves kay's tools to another agent on stdin and stdout, and its commands for HTTP. */
export function createMcpCommand(kay: Kay): Command {
  const command = new Command("mcp")
    .description("Let another agent use your connected services, with your approvals")
    .helpCommand(false)
    .option("--service <name>", "List the tools of this service directly; can be repeated", collectValues)
    .addHelpText("after", AFTER)
    .action(async (options: { service?: string[] }) => (await import("./run.ts")).serveMcp(kay, options.service ?? []));
  command
    .command("authorize")
    .argument("<code>", "Code on the page that the program opened in your browser")
    .description("Let a program use kay over HTTP")
    .addHelpText("after", AFTER_AUTHORIZE)
    .action(async (code: string) => (await import("./programs.ts")).authorizeProgram(kay, code));
  command
    .command("list")
    .description("List the programs that may use kay over HTTP")
    .action(async () => (await import("./programs.ts")).listPrograms(kay));
  command
    .command("remove")
    .argument("[program]", "Name or ID shown by `kay mcp list` (default: choose from a list)")
    .description("End the access of a program")
    .action(async (program: string | undefined) => (await import("./programs.ts")).removeProgram(kay, program));
  return command;
}

const AFTER = `
Without a command, speaks the Model Context Protocol on stdin and stdout. Every
change waits for your approval: answer it with \`kay answer\` in any terminal.

A backend started with \`kay serve --mcp\` also serves it over HTTP. A program
then opens a page in your browser, and \`kay mcp authorize\` gives it access.

To use an MCP server in kay, run \`kay services add --mcp <url>\` instead.

Examples:
  $ claude mcp add kay -- kay mcp
  $ codex mcp add kay -- kay mcp
  $ kay mcp --service jira --service slack
  $ claude mcp add --transport http kay http://127.0.0.1:4000/mcp`;

const AFTER_AUTHORIZE = `
Shows the program and its address, asks you to confirm, and opens a link that
takes your browser back to the program. The program can then read everything
that your connected services show kay. Each change still waits for your approval.
Its access ends with \`kay mcp remove\`, with \`kay logout\`, or with your sign-in.

Prompts only on a terminal, so that no program can grant itself access.`;

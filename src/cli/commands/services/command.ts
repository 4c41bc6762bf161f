import { Command } from "commander";
import { Problem } from "#protocol/errors";
import type { Kay } from "../../kay.ts";

/** `kay services`: what can be connected, `kay services show <name>`: everything about one, and services of one's own. */
export function createServicesCommand(kay: Kay): Command {
  const command = new Command("services")
    .description("Show what can be connected, and add services of your own")
    .helpCommand(false)
    .action(async () => (await import("./run.ts")).listServices(kay));
  command
    .command("list")
    .description("every service: state, sandbox or real, account, site")
    .action(async () => (await import("./run.ts")).listServices(kay));
  command
    .command("show")
    .argument("<service>")
    .description("one service: scopes, tools, and where its OAuth client is set")
    .action(async (name: string) => (await import("./run.ts")).showService(kay, name));
  command
    .command("add")
    .argument("[file...]", "YAML or JSON that describes the service; `-` reads it from stdin")
    .option("--mcp [address]", "an MCP server instead: its address, or its command in quotes or after --")
    .option("--name <name>", "what the MCP server is called here")
    .option("--key-header <header>", "where the MCP server takes its key, if not as a bearer token")
    .option("--env <name>", "give the MCP server's program this variable of the environment", collect)
    .option("--dry-run", "only check it, and show what would change")
    .description("add a service of your own, or replace the one of its name")
    .addHelpText("after", AFTER_ADD)
    .action(async (files: string[], flags: AddFlags) => {
      const { mcp, dryRun = false } = flags;
      if (mcp !== undefined) return (await import("./mcp.ts")).addMcpServer(kay, files, { ...flags, mcp, dryRun });
      return (await import("./custom.ts")).addService(kay, oneFile(files, flags), { dryRun });
    });
  command
    .command("approve")
    .argument("<service>")
    .option("--dry-run", "only show what changed")
    .description("look at what an MCP server changed of its tools, and take it")
    .action(async (name: string, { dryRun = false }: { dryRun?: boolean }) =>
      (await import("./mcp.ts")).approveMcpServer(kay, name, { dryRun }),
    );
  command
    .command("remove")
    .argument("<service>")
    .description("forget a service of your own, and its connection")
    .action(async (name: string) => (await import("./custom.ts")).removeService(kay, name));
  command
    .command("export")
    .argument("<service>")
    .description("print the description of a service of your own; --json prints it as JSON")
    .action(async (name: string) => (await import("./custom.ts")).exportService(kay, name));
  return command;
}

type AddFlags = { mcp?: string | true; name?: string; keyHeader?: string; env?: string[]; dryRun?: boolean };

function collect(name: string, before: string[] = []): string[] {
  return [...before, name];
}

function oneFile([file, ...more]: string[], flags: AddFlags): string {
  if (file === undefined)
    throw new Problem("USAGE", "Give the file that describes the service, or an MCP server with --mcp.");
  if (more.length > 0) throw new Problem("USAGE", "Give one file at a time.");
  const wrong = (["name", "keyHeader", "env"] as const).find((flag) => flags[flag] !== undefined);
  if (wrong !== undefined)
    throw new Problem("USAGE", `--${wrong === "keyHeader" ? "key-header" : wrong} goes with --mcp only.`);
  return file;
}

const AFTER_ADD = `
Example, in tasks.yaml:

  name: tasks
  title: Tasks
  base_url: https://tasks.example.com/api
  auth: { type: bearer }
  tools:
    - name: tasks.list_tasks
      description: List your tasks.
      access: read
      method: GET
      path: /tasks
      examples: [show my tasks]

  $ kay services add tasks.yaml
  $ kay connect tasks

No key or token belongs into the file: \`kay connect\` gives a link to a page
where it is pasted. Added again, a changed file replaces the service.

An MCP server is added with the tools that it lists:

  $ kay services add --mcp https://mcp.example.com --name example
  $ kay services add --mcp -- npx -y @modelcontextprotocol/server-filesystem .
  $ kay services add --env GITHUB_TOKEN --mcp -- npx -y some-server
  $ kay services approve example`;

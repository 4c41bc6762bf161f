import { Problem } from "#protocol/errors";
import { Command, collectValues } from "../../command.ts";
import type { Kay } from "../../kay.ts";

/** Defines `kay services`: lists services, shows one (`kay services show <name>`), and manages custom ones. */
export function createServicesCommand(kay: Kay): Command {
  const command = new Command("services")
    .description("List services and add your own")
    .helpCommand(false)
    .action(async () => (await import("./run.ts")).listServices(kay));
  command
    .command("list")
    .option("--known", "List the MCP servers that `kay connect` knows by name")
    .description("List services with their state, account and site")
    .action(async ({ known }: { known?: boolean }) =>
      known ? (await import("./run.ts")).listKnown(kay) : (await import("./run.ts")).listServices(kay),
    );
  command
    .command("show")
    .argument("<service>")
    .description("Show a service: scopes, tools and OAuth client settings")
    .action(async (name: string) => (await import("./run.ts")).showService(kay, name));
  command
    .command("add")
    .argument("[file...]", "Service description in YAML or JSON; use `-` to read from stdin")
    .option("--mcp [address]", "Add an MCP server by URL, or by command (quoted or after --)")
    .option("--name <name>", "Name for the MCP server")
    .option("--key-header <header>", "Header that carries the API key (default: bearer token)")
    .option("--client-id <id>", "OAuth client that you registered for the MCP server")
    .option("--client-secret", "Read the secret of that client from stdin")
    .option("--env <name>", "Pass this environment variable to the MCP server", collectValues)
    .option("--trust-reads", "Run tools that the server marks as read-only without asking")
    .option("--dry-run", "Validate the file and show what would change")
    .description("Add or replace a custom service")
    .addHelpText("after", AFTER_ADD)
    .action(async (files: string[], flags: AddFlags) => {
      const { mcp, dryRun = false } = flags;
      if (mcp !== undefined) return (await import("./mcp.ts")).addMcpServer(kay, files, { ...flags, mcp, dryRun });
      return (await import("./custom.ts")).addService(kay, requireOneFile(files, flags), { dryRun });
    });
  command
    .command("approve")
    .argument("<service>")
    .option("--trust-reads", "Run tools that the server marks as read-only without asking")
    .option("--no-trust-reads", "Ask again before running any of its tools")
    .option("--dry-run", "Show the changes without approving them")
    .description("Review and approve changed tools of an MCP server")
    .action(async (name: string, { dryRun = false, trustReads }: { dryRun?: boolean; trustReads?: boolean }) =>
      (await import("./mcp.ts")).approveMcpServer(kay, name, { dryRun, trustReads }),
    );
  command
    .command("remove")
    .argument("<service>")
    .description("Remove a custom service and its connection")
    .action(async (name: string) => (await import("./custom.ts")).removeService(kay, name));
  command
    .command("client-document")
    .argument("[url]", "URL where you host it (default: the setting client-document)")
    .description("Print the OAuth client document to host for MCP servers")
    .addHelpText("after", AFTER_CLIENT_DOCUMENT)
    .action(async (url: string | undefined) => (await import("./client-options.ts")).printClientDocument(kay, url));
  command
    .command("export")
    .argument("<service>")
    .description("Print the description of a custom service")
    .action(async (name: string) => (await import("./custom.ts")).exportService(kay, name));
  return command;
}

type AddFlags = {
  mcp?: string | true;
  name?: string;
  keyHeader?: string;
  clientId?: string;
  clientSecret?: boolean;
  env?: string[];
  trustReads?: boolean;
  dryRun?: boolean;
};

function requireOneFile([file, ...extra]: string[], flags: AddFlags): string {
  if (file === undefined) throw new Problem("USAGE", "Specify a description file, or an MCP server with --mcp.");
  if (extra.length > 0) throw new Problem("USAGE", "Specify only one file.");
  const wrong = MCP_FLAGS.find(([flag]) => flags[flag] !== undefined);
  if (wrong !== undefined) throw new Problem("USAGE", `${wrong[1]} requires --mcp.`);
  return file;
}

const MCP_FLAGS = [
  ["name", "--name"],
  ["keyHeader", "--key-header"],
  ["clientId", "--client-id"],
  ["clientSecret", "--client-secret"],
  ["env", "--env"],
  ["trustReads", "--trust-reads"],
] as const;

const AFTER_CLIENT_DOCUMENT = `
Authorization servers that accept such a document need no registration.

Example:
  $ kay services client-document https://example.com/kay.json > kay.json
  $ kay config set client-document https://example.com/kay.json`;

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

Do not put keys or tokens in the file: \`kay connect\` prints a link to a page
where you paste them. To change the service, add the changed file again.

Add an MCP server with the tools that it lists:

  $ kay services add --mcp https://mcp.example.com --name example
  $ kay services add --mcp -- npx -y @modelcontextprotocol/server-memory
  $ kay services add --mcp https://mcp.example.com --client-id ID --client-secret
  $ kay services add --env GITHUB_TOKEN --mcp -- npx -y some-server
  $ kay services approve example`;

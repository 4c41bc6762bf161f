import { Command } from "commander";
import type { Kay } from "../kay.ts";

/** `kay services`: what can be connected, `kay services show <name>`: everything about one, and services of one's own. */
export function servicesCommand(kay: Kay): Command {
  const command = new Command("services")
    .description("Show what can be connected, and add services of your own")
    .helpCommand(false)
    .action(async () => (await import("../services.ts")).listServices(kay));
  command
    .command("list")
    .description("every service: state, sandbox or real, account, site")
    .action(async () => (await import("../services.ts")).listServices(kay));
  command
    .command("show")
    .argument("<service>")
    .description("one service: scopes, tools, and where its OAuth client is set")
    .action(async (name: string) => (await import("../services.ts")).showService(kay, name));
  command
    .command("add")
    .argument("<file>", "YAML or JSON that describes the service; `-` reads it from stdin")
    .option("--dry-run", "only check it, and show what would change")
    .description("add a service of your own, or replace the one of its name")
    .addHelpText("after", AFTER_ADD)
    .action(async (file: string, { dryRun = false }: { dryRun?: boolean }) =>
      (await import("../described.ts")).addService(kay, file, { dryRun }),
    );
  command
    .command("remove")
    .argument("<service>")
    .description("forget a service of your own, and its connection")
    .action(async (name: string) => (await import("../described.ts")).removeService(kay, name));
  command
    .command("export")
    .argument("<service>")
    .description("print the description of a service of your own; --json prints it as JSON")
    .action(async (name: string) => (await import("../described.ts")).exportService(kay, name));
  return command;
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
where it is pasted. Added again, a changed file replaces the service.`;

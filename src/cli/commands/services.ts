import { Command } from "commander";
import type { Kay } from "../kay.ts";

/** `kay services`: what can be connected, and `kay services show <name>`: everything about one. */
export function servicesCommand(kay: Kay): Command {
  const command = new Command("services")
    .description("Show what can be connected, and how to bring your own OAuth client")
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
  return command;
}

import { Command } from "commander";
import type { Kay } from "../../kay.ts";

/** `kay sessions list|show|rename|export|delete`: conversations. Where one is named, its id, its title or `latest` names it. */
export function createSessionsCommand(kay: Kay): Command {
  const command = new Command("sessions").description("Show and keep conversations").helpCommand(false);
  command
    .command("list")
    .option("--page <number>", "which page, from 1", "1")
    .option("--limit <number>", "how many on a page", "30")
    .description("conversations, newest first")
    .action(async (options: { page: string; limit: string }) => (await import("./run.ts")).listSessions(kay, options));
  command
    .command("show")
    .argument("<conversation>", "its id, its title, or latest")
    .option("--width <columns>", "lay it out for so many columns")
    .description("all of one, as text")
    .action(async (name: string, options: { width?: string }) =>
      (await import("./run.ts")).showSession(kay, name, options),
    );
  command
    .command("rename")
    .argument("<conversation>")
    .argument("<title...>")
    .description("give it another title")
    .action(async (name: string, title: string[]) =>
      (await import("./run.ts")).renameSession(kay, name, title.join(" ")),
    );
  command
    .command("export")
    .argument("<conversation>", "its id, its title, or latest")
    .option("--format <format>", "md or json (the default is md, with --json json)")
    .option("-o, --output <file>", "write it into this file, which only you can read")
    .description("all of one as Markdown or JSON, without secrets")
    .action(async (name: string, options: { format?: string; output?: string }) =>
      (await import("./run.ts")).exportSession(kay, name, options),
    );
  command
    .command("delete")
    .argument("<conversation>")
    .description("delete it, for good")
    .action(async (name: string) => (await import("./run.ts")).deleteSession(kay, name));
  return command;
}

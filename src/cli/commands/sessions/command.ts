import { Command } from "../../command.ts";
import type { Kay } from "../../kay.ts";

/** Defines `kay sessions list|show|rename|export|delete`. A conversation is named by its ID, its title or `latest`. */
export function createSessionsCommand(kay: Kay): Command {
  const command = new Command("sessions").description("Manage conversations").helpCommand(false);
  command
    .command("list")
    .option("--page <number>", "Page number", "1")
    .option("--limit <number>", "Conversations per page", "30")
    .description("List conversations, most recent first")
    .action(async (options: { page: string; limit: string }) => (await import("./run.ts")).listSessions(kay, options));
  command
    .command("show")
    .argument("[conversation]", "Conversation ID, title, or `latest` (default: choose from a list)")
    .option("--width <columns>", "Wrap the text at this width")
    .description("Print a conversation as text")
    .action(async (name: string | undefined, options: { width?: string }) =>
      (await import("./run.ts")).showSession(kay, name, options),
    );
  command
    .command("rename")
    .argument("<conversation>", "Conversation ID, title, or `latest`")
    .argument("<title...>")
    .description("Rename a conversation")
    .action(async (name: string, title: string[]) =>
      (await import("./run.ts")).renameSession(kay, name, title.join(" ")),
    );
  command
    .command("export")
    .argument("[conversation]", "Conversation ID, title, or `latest` (default: choose from a list)")
    .option("--format <format>", "Output format: md or json (default: md, or json with --json)")
    .option("-o, --output <file>", "Write to a file that only you can read")
    .description("Export a conversation as Markdown or JSON, with secrets removed")
    .action(async (name: string | undefined, options: { format?: string; output?: string }) =>
      (await import("./run.ts")).exportSession(kay, name, options),
    );
  command
    .command("delete")
    .argument("[conversation]", "Conversation ID, title, or `latest` (default: choose from a list)")
    .description("Permanently delete a conversation")
    .action(async (name: string | undefined) => (await import("./run.ts")).deleteSession(kay, name));
  return command;
}

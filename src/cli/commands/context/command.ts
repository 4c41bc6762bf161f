import { Command } from "../../command.ts";
import type { Kay } from "../../kay.ts";

/** Creates `kay context`, which shows what the model gets before a question, and `kay context trust|untrust`. */
export function createContextCommand(kay: Kay): Command {
  const command = new Command("context")
    .description("Show what the model gets before your question")
    .helpCommand(false)
    .action(async () => (await import("./run.ts")).showContext(kay));
  command
    .command("trust")
    .description("Trust the current KAY.md and aliases of this project")
    .action(async () => (await import("./run.ts")).changeTrust(kay, true));
  command
    .command("untrust")
    .description("Stop using the KAY.md and aliases of this project")
    .action(async () => (await import("./run.ts")).changeTrust(kay, false));
  return command;
}

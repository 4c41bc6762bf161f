import { Command } from "../../command.ts";
import type { Kay } from "../../kay.ts";

/** Creates `kay model` and `kay model list`, which show the model in use and the ones available. */
export function createModelCommand(kay: Kay): Command {
  const command = new Command("model")
    .description("Show which model is used and why")
    .option("--test", "Send a short test question (your provider may charge for it)")
    .helpCommand(false)
    .action(async ({ test = false }: { test?: boolean }) => {
      const { showModel, testModel } = await import("./run.ts");
      return test ? testModel(kay) : showModel(kay);
    });
  command
    .command("list")
    .description("List providers, what they need and their models")
    .action(async () => (await import("./run.ts")).listModels(kay));
  return command;
}

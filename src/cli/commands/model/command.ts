import { Command } from "commander";
import type { Kay } from "../../kay.ts";

/** `kay model`: which model answers and why, `--test` whether it works, and `kay model list`: what could answer. */
export function createModelCommand(kay: Kay): Command {
  const command = new Command("model")
    .description("Show which model answers, and why")
    .option("--test", "ask it one short question, which its provider may charge for")
    .helpCommand(false)
    .action(async ({ test = false }: { test?: boolean }) => {
      const { showModel, testModel } = await import("./run.ts");
      await (test ? testModel(kay) : showModel(kay));
    });
  command
    .command("list")
    .description("every provider, what it needs, and its models")
    .action(async () => (await import("./run.ts")).listModels(kay));
  return command;
}

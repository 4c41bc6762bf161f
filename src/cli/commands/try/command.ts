import { Command } from "../../command.ts";
import type { Kay } from "../../kay.ts";

/** Creates `kay try`, the guided tour. */
export function createTryCommand(kay: Kay): Command {
  return new Command("try").description("Take a guided tour with sandbox services").action(async () => {
    const { runTour } = await import("./run.ts");
    return runTour(kay);
  });
}

import { Command } from "commander";
import type { Kay } from "../../kay.ts";

/** `kay try`: the tour. */
export function createTryCommand(kay: Kay): Command {
  return new Command("try")
    .description("Take the tour: connect, ask, and confirm a change, on sandbox services")
    .action(async () => {
      const { runTour } = await import("./run.ts");
      await runTour(kay);
    });
}

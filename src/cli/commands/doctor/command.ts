import { Command } from "commander";
import type { Kay } from "../../kay.ts";
import type { DoctorOptions } from "./run.ts";

/** `kay doctor [service]`: look for what is wrong, and say what to do. */
export function createDoctorCommand(kay: Kay): Command {
  return new Command("doctor")
    .description("Look at all that kay needs, and say what to fix")
    .argument("[service]", "rehearse the connection of this service too")
    .option("--refresh", "rotate the sign-in's tokens too, to see that it works")
    .option("--bundle [file]", "write a report without secrets, for whoever helps you")
    .addHelpText("after", AFTER)
    .action(async (service: string | undefined, options: DoctorOptions) => {
      const { runDoctor } = await import("./run.ts");
      await runDoctor(kay, service, options);
    });
}

const AFTER = `
It ends within 15 seconds, opens and changes nothing, and exits 1 when something
failed, else 0. kay's own backend is started, and the model is asked one short
question, which its provider may charge for.

Examples:
  $ kay doctor
  $ kay doctor jira
  $ kay doctor --json
  $ kay doctor --bundle`;

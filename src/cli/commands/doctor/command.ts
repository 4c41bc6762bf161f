import { Command } from "../../command.ts";
import type { Kay } from "../../kay.ts";
import type { DoctorOptions } from "./run.ts";

/** Defines `kay doctor [service]`: finds problems and says how to fix them. */
export function createDoctorCommand(kay: Kay): Command {
  return new Command("doctor")
    .description("Check your setup and suggest fixes")
    .argument("[service]", "Also test the connection to this service")
    .option("--refresh", "Also test refreshing your sign-in")
    .option("--bundle [file]", "Write a diagnostic report without secrets")
    .addHelpText("after", AFTER)
    .action(async (service: string | undefined, options: DoctorOptions) => {
      const { runDoctor } = await import("./run.ts");
      return runDoctor(kay, service, options);
    });
}

const AFTER = `
Finishes within 15 seconds, and exits 1 if a check failed. Opens no browser and
changes no settings. Starts the local backend, and sends the model one short
question, for which your provider may charge.

Examples:
  $ kay doctor
  $ kay doctor jira
  $ kay doctor --json
  $ kay doctor --bundle`;

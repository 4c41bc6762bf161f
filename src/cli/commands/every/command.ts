import { Option } from "commander";
import { Problem } from "#protocol/errors";
import { checkAllowOptions } from "../../ask/allow-list.ts";
import { parseApprovalOption } from "../../ask/choices.ts";
import { Command, collectValues } from "../../command.ts";
import type { Kay } from "../../kay.ts";
import type { ScheduleOptions } from "./add.ts";

/** Creates `kay every`, which runs a request at set times, and `kay every list|pause|resume|remove|run`. */
export function createEveryCommand(kay: Kay): Command {
  const command = new Command("every")
    .description("Run a request at set times; list your schedules without one")
    .usage('[options] <when> "<prompt>"')
    .helpCommand(false)
    .argument(
      "[when...]",
      "Time and prompt: 2 hours, weekday at 9, monday 8:30 or first of the month at 9, then the prompt",
    )
    .option("--timezone <zone>", "Time zone of the time of day, such as Europe/Berlin (default: yours)")
    .option("--model <name>", "Answer with this model (provider:model, provider, or offline)")
    .option(
      "--allow <tool[:place]>",
      "Pre-approve a tool, optionally for one target (slack.send_message:#ci)",
      collectValues,
    )
    .option("--allow-file <file>", "Read pre-approved tools from a file, one per line", collectValues)
    .option("--max-steps <number>", "Stop after this many model calls (1 to 20)")
    .option("--approval-timeout <time>", "How long approvals wait for an answer: 30m, 24h, 7d", parseApprovalOption)
    .addOption(new Option("--file <file>").hideHelp())
    .addOption(new Option("--attach <file>").hideHelp())
    .addHelpText("after", AFTER)
    .action(async (words: string[], options: ScheduleOptions & { file?: string; attach?: string }) => {
      const wrong = options.file === undefined ? options.attach && "--attach" : "--file";
      if (wrong !== undefined)
        throw new Problem("USAGE", `Schedules do not accept files, so ${wrong} cannot be used.`, {
          hint: "Write the text into the prompt, or pipe the prompt: `kay every day 9:00 - < prompt.txt`.",
        });
      if (words.length === 0) return (await import("./run.ts")).listSchedules(kay);
      checkAllowOptions(options);
      if (options.model !== undefined) kay.choices.model = options.model;
      if (options.approvalTimeout !== undefined) kay.choices.approvalTimeout = options.approvalTimeout;
      return (await import("./add.ts")).addSchedule(kay, words, options);
    });
  command
    .command("list")
    .description("List schedules with their next time")
    .action(async () => (await import("./run.ts")).listSchedules(kay));
  command
    .command("pause")
    .argument("[schedule]", ID)
    .description("Stop running a schedule until you resume it")
    .action(async (id: string | undefined) => (await import("./run.ts")).pauseSchedule(kay, id, true));
  command
    .command("resume")
    .argument("[schedule]", ID)
    .description("Run a paused schedule again")
    .action(async (id: string | undefined) => (await import("./run.ts")).pauseSchedule(kay, id, false));
  command
    .command("remove")
    .argument("[schedule]", ID)
    .description("Remove a schedule")
    .action(async (id: string | undefined) => (await import("./run.ts")).removeSchedule(kay, id));
  command
    .command("run")
    .argument("[schedule]", ID)
    .description("Run a schedule now without changing its next time")
    .action(async (id: string | undefined) => (await import("./run.ts")).runSchedule(kay, id));
  return command;
}

const ID = "ID shown by `kay every list` (default: choose from a list)";

const AFTER = `
Examples:
  $ kay every weekday 9:00 "what is open in KAY"
  $ kay every 15m "show the open bugs in KAY"
  $ kay every "first of the month at 9" "list the bugs created last month"
  $ kay every monday 8:30 --timezone Europe/Berlin "what is open in KAY?"
  $ kay every list
  $ kay every pause               # choose from a list
  $ kay every run ID

Each run is a new conversation. Its questions wait in \`kay pending\`.
Your backend must be running: \`kay serve --install\` starts it when you log in.`;

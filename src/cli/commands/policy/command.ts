import { Command } from "../../command.ts";
import type { Kay } from "../../kay.ts";

/**
 * Creates `kay policy get|set`, which manages what kay may do without asking. The strictest matching policy applies.
 */
export function createPolicyCommand(kay: Kay): Command {
  const command = new Command("policy").description("Manage what kay may do without asking").helpCommand(false);
  command
    .command("get")
    .argument("[target]", "Service, tool, or * for everything")
    .description("Show all policies, or one")
    .action(async (target: string | undefined) => (await import("./run.ts")).showPolicies(kay, target));
  command
    .command("set")
    .argument(
      "<target>",
      "Service (slack), tool (slack.send_message), outside-text, * for everything, or approval-timeout",
    )
    .argument(
      "<mode>",
      "ask (always ask), reads (allow reads), everything (never ask), a time for approval-timeout, or unset",
    )
    .description("Set a policy, or how long approvals wait")
    .addHelpText("after", "\nExamples:\n  $ kay policy set slack ask\n  $ kay policy set approval-timeout 2h")
    .action(async (target: string, mode: string) => (await import("./run.ts")).setPolicy(kay, target, mode));
  return command;
}

import { Command } from "commander";
import type { Kay } from "../../kay.ts";

/** `kay policy get|set`: what kay may do by itself with a service or tool. The strictest of what applies counts. */
export function createPolicyCommand(kay: Kay): Command {
  const command = new Command("policy")
    .description("What kay may do by itself with a service or tool")
    .helpCommand(false);
  command
    .command("get")
    .argument("[target]", "a service, a tool, or *")
    .description("every policy, or one")
    .action(async (target: string | undefined) => (await import("./run.ts")).showPolicies(kay, target));
  command
    .command("set")
    .argument("<target>", "a service (slack), a tool (slack.send_message), or *")
    .argument("<mode>", "ask (every time), reads (run reads only), everything, or unset")
    .description("change one")
    .action(async (target: string, mode: string) => (await import("./run.ts")).setPolicy(kay, target, mode));
  return command;
}

import { Command } from "commander";
import type { PolicyMode } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import { line } from "#ui/words";
import type { Kay } from "../kay.ts";

/** `kay policy get|set`: what kay may do by itself with a service or tool. The strictest of what applies counts. */
export function policyCommand(kay: Kay): Command {
  const command = new Command("policy")
    .description("What kay may do by itself with a service or tool")
    .helpCommand(false);
  command
    .command("get")
    .argument("[target]", "a service, a tool, or *")
    .description("every policy, or one")
    .action((target: string | undefined) => getPolicies(kay, target));
  command
    .command("set")
    .argument("<target>", "a service (slack), a tool (slack.send_message), or *")
    .argument("<mode>", "ask (every time), reads (run reads only), everything, or unset")
    .description("change one")
    .action((target: string, mode: string) => setPolicy(kay, target, mode));
  return command;
}

async function getPolicies(kay: Kay, target: string | undefined): Promise<void> {
  const { api } = await kay.link({ signedIn: true });
  const all = await api.policies();
  const policies = target === undefined ? all : all.filter((each) => each.target === target);
  if (kay.flags.json) return kay.out.json({ policies });
  if (policies.length === 0) kay.out.note("No policy is set; what a tool asks for itself counts.");
  else
    await kay.out.table(
      ["TARGET", "MODE", ""],
      policies.map((one) => [line(one.target), one.mode, MODES[one.mode]]),
    );
}

async function setPolicy(kay: Kay, target: string, mode: string): Promise<void> {
  if (mode !== "unset" && !Object.hasOwn(MODES, mode))
    throw new Problem("USAGE", `There is no mode ${JSON.stringify(line(mode))}.`, {
      hint: "The modes are ask, reads, everything and unset.",
    });
  const { api } = await kay.link({ signedIn: true });
  const policies = await api.putPolicies([{ target, mode: mode === "unset" ? null : (mode as PolicyMode) }]);
  if (kay.flags.json) return kay.out.json({ policies });
  const words = mode === "unset" ? "unset" : `${mode} (${MODES[mode as PolicyMode]})`;
  kay.out.line(`${line(target)}: ${words}`);
}

const MODES: Record<PolicyMode, string> = {
  ask: "ask every time",
  reads: "run reads only",
  everything: "run everything",
};

import { Command } from "commander";
import type { Kay } from "../../kay.ts";

/** `kay approvals list|test|revoke`: what may run by itself because somebody said so. */
export function createApprovalsCommand(kay: Kay): Command {
  const command = new Command("approvals").description("Show, test and revoke approvals that last").helpCommand(false);
  command
    .command("list")
    .description("every approval that lasts, in the words of the yes")
    .action(async () => (await import("./run.ts")).listApprovals(kay));
  command
    .command("test")
    .argument("<tool>", "its name, as slack.send_message")
    .argument("[input]", "the input as JSON")
    .option("--session <conversation>", "in this conversation, whose own approvals count too")
    .description("say whether a call would ask, and why; nothing is run")
    .action(async (tool: string, input: string | undefined, { session }: { session?: string }) =>
      (await import("./run.ts")).testApproval(kay, { tool, input, session }),
    );
  command
    .command("revoke")
    .argument("<id>", "as the list shows it")
    .description("forget an approval, so that kay asks again")
    .action(async (id: string) => (await import("./run.ts")).revokeApproval(kay, id));
  return command;
}

import { Command } from "../../command.ts";
import type { Kay } from "../../kay.ts";

/** Creates `kay approvals list|test|revoke`, which manages saved approvals. */
export function createApprovalsCommand(kay: Kay): Command {
  const command = new Command("approvals").description("Manage saved approvals").helpCommand(false);
  command
    .command("list")
    .description("List saved approvals")
    .action(async () => (await import("./run.ts")).listApprovals(kay));
  command
    .command("test")
    .argument("<tool>", "Tool name, such as slack.send_message")
    .argument("[input]", "Tool input as JSON")
    .option("--session <conversation>", "Include approvals that apply only to this conversation")
    .description("Check whether a call would need approval, without running it")
    .action(async (tool: string, input: string | undefined, { session }: { session?: string }) =>
      (await import("./run.ts")).testApproval(kay, { tool, input, session }),
    );
  command
    .command("revoke")
    .argument("[id]", "ID shown by `kay approvals list` (default: choose from a list)")
    .description("Revoke an approval so that kay asks again")
    .action(async (id: string | undefined) => (await import("./run.ts")).revokeApproval(kay, id));
  return command;
}

import { Command } from "../../command.ts";
import type { Kay } from "../../kay.ts";

/** Creates `kay token create|list|revoke`, which manages script tokens. */
export function createTokenCommand(kay: Kay): Command {
  const command = new Command("token").description("Manage tokens for scripts and CI").helpCommand(false);
  command
    .command("create")
    .argument("<name>", "Name that tells the token from others, such as its job")
    .option("--expires <duration>", "Lifetime in days, up to 366d (default: 90d)")
    .description("Create a token and print it once")
    .addHelpText("after", AFTER_CREATE)
    .action(async (name: string, { expires }: { expires?: string }) =>
      (await import("./run.ts")).createToken(kay, name, expires),
    );
  command
    .command("list")
    .description("List tokens, without their secrets")
    .action(async () => (await import("./run.ts")).listTokens(kay));
  command
    .command("revoke")
    .argument("[id]", "ID or name shown by `kay token list` (default: choose from a list)")
    .description("Revoke a token")
    .action(async (id: string | undefined) => (await import("./run.ts")).revokeToken(kay, id));
  return command;
}

const AFTER_CREATE = `
Set the token as KAY_TOKEN, and the address of the backend as KAY_API_URL. A
script can then ask, call tools and answer requests with your connected
services. It cannot connect services, save approvals, or change policies and
schedules. \`kay logout\` revokes all tokens.

Examples:
  $ kay token create ci | gh secret set KAY_TOKEN
  $ kay token create nightly --expires 30d`;

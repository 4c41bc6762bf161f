import { Command } from "../../command.ts";
import type { Kay } from "../../kay.ts";

/** Defines `kay profile list|use|create|remove`: profiles separate settings and accounts. */
export function createProfileCommand(kay: Kay): Command {
  const command = new Command("profile")
    .description("Manage profiles, which keep accounts and settings separate")
    .helpCommand(false);
  command
    .command("list")
    .description("List profiles with their backend, sign-in state and accounts")
    .action(async () => (await import("./list.ts")).listProfiles(kay));
  command
    .command("use")
    .argument("<name>")
    .description("Make a profile the default")
    .action(async (name: string) => (await import("./use.ts")).useProfile(kay, name));
  command
    .command("create")
    .argument("<name>", "Profile name (lowercase letters, digits and hyphens)")
    .description("Create an empty profile")
    .action(async (name: string) => (await import("./use.ts")).createProfile(kay, name));
  command
    .command("remove")
    .argument("<name>")
    .description("Disconnect its services, sign out and delete the profile")
    .action(async (name: string) => (await import("./remove.ts")).removeProfile(kay, name));
  return command;
}

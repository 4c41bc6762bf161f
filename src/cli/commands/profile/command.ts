import { Command } from "commander";
import type { Kay } from "../../kay.ts";

/** `kay profile list|use|create|remove`: profiles keep settings and accounts apart. */
export function createProfileCommand(kay: Kay): Command {
  const command = new Command("profile").description("Keep accounts and settings apart").helpCommand(false);
  command
    .command("list")
    .description("every profile: its backend, whether it is signed in, and its accounts; asks no backend")
    .action(async () => (await import("./list.ts")).listProfiles(kay));
  command
    .command("use")
    .argument("<name>")
    .description("make it the profile of every command that names none")
    .action(async (name: string) => (await import("./use.ts")).useProfile(kay, name));
  command
    .command("create")
    .argument("<name>", "lower-case letters, digits and hyphens")
    .description("make an empty one")
    .action(async (name: string) => (await import("./use.ts")).createProfile(kay, name));
  command
    .command("remove")
    .argument("<name>")
    .description("disconnect its services, sign it out, and forget everything of it on this machine")
    .action(async (name: string) => (await import("./remove.ts")).removeProfile(kay, name));
  return command;
}

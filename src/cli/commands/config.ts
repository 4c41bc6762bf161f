import type { Setting } from "#client/settings/resolve";
import { parseSettingKey } from "#client/settings/settings";
import { Command, EXIT, type ExitCode } from "../command.ts";
import type { Kay } from "../kay.ts";
import { readTypedValue } from "../terminal/piped-input.ts";

/** Creates `kay config list|get|set|unset|path`, which manages the settings of the profile. */
export function createConfigCommand(kay: Kay): Command {
  const command = new Command("config").description("Manage settings").helpCommand(false);
  command
    .command("list")
    .description("List every setting, its value and its source")
    .action(async () => list(kay, (await kay.settings()).list()));
  command
    .command("get")
    .argument("<key>")
    .description("Print the value of a setting (exits 1 if it is not set)")
    .action(async (key: string) => show(kay, (await kay.settings()).get(parseSettingKey(key))));
  command
    .command("set")
    .argument("<key>")
    .argument("[value]", "Value; omit it or use `-` to read a secret from stdin")
    .description("Set a value for the current profile")
    .action(async (key: string, value: string | undefined) => {
      const text =
        value === undefined || value === "-"
          ? await readTypedValue(kay, { label: "Value", patient: value === "-", hint: VALUE_HINT })
          : value;
      const setting = await (await kay.settings()).set(parseSettingKey(key), text);
      warnOverridden(kay, setting);
      if (setting.secret && text === value)
        kay.out.warn("Secrets on the command line end up in your shell history. Omit the value to read it from stdin.");
      if (kay.flags.json) return kay.out.writeJson(toDocument(setting));
      kay.out.writeProgress(`Set ${setting.key} in profile ${(await kay.settings()).profile}.`);
    });
  command
    .command("unset")
    .argument("<key>")
    .description("Remove a value from the current profile")
    .action(async (key: string) => {
      const settings = await kay.settings();
      const existed = await settings.unset(parseSettingKey(key));
      if (kay.flags.json) return kay.out.writeJson(toDocument(settings.get(parseSettingKey(key))));
      kay.out.writeProgress(
        existed
          ? `Removed ${key} from profile ${settings.profile}.`
          : `${key} was not set in profile ${settings.profile}.`,
      );
    });
  command
    .command("path")
    .description("Print the path of the settings file")
    .action(async () => {
      const path = (await kay.settings()).path();
      if (kay.flags.json) return kay.out.writeJson({ path });
      kay.out.writeVerbatim(path);
    });
  return command;
}

async function list(kay: Kay, settings: Setting[]): Promise<void> {
  const { profile } = await kay.settings();
  if (kay.flags.json) return kay.out.writeJson({ profile, settings: settings.map(toDocument) });
  const from = { default: "", profile: `profile ${profile}` };
  const rows = settings.map(({ key, shown, source, where, describe }) => {
    return [key, shown, source in from ? from[source as keyof typeof from] : where, describe];
  });
  await kay.out.writeTable(["SETTING", "VALUE", "FROM", ""], rows);
}

function show(kay: Kay, setting: Setting): ExitCode {
  if (kay.flags.json) kay.out.writeJson(toDocument(setting));
  else if (setting.value !== undefined) kay.out.writeVerbatim(setting.shown);
  else kay.out.writeProgress(`${setting.key} is not set.\n  Set it with \`kay config set ${setting.key} <value>\`.`);
  return setting.value === undefined ? EXIT.failed : EXIT.ok;
}

function warnOverridden(kay: Kay, setting: Setting): void {
  if (setting.source === "environment" || setting.source === "flag") {
    kay.out.warn(`${setting.where} is also set and overrides the profile.`);
  }
}

const VALUE_HINT = "Pass it as an argument, or pass a secret on stdin.";

function toDocument({ key, value, secret, shown, source, where, describe }: Setting): Record<string, unknown> {
  return { key, value: secret ? shown || null : (value ?? null), source, where, description: describe };
}

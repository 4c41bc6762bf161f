import { type FileInspection, inspectFile } from "#files/inspect";
import { parseSettings } from "./file.ts";
import { type Entry, isSettingKey, SETTINGS } from "./table.ts";

/** A settings file as it lies there. */
export type SettingsInspection = FileInspection & {
  /** `profile: key` of each value that kay does not know. */
  unknown: string[];
  /** Values that must not be shown. */
  secrets: string[];
};

/** Look at a settings file without any of what reading it does. */
export function inspectSettings(path: string): Promise<SettingsInspection> {
  const read = (bytes: Buffer) => {
    const stored = parseSettings(bytes, path);
    return stored && getValues(stored.profiles ?? {});
  };
  return inspectFile(path, { unknown: [], secrets: [] }, { read, unreadable: "BROKEN_SETTINGS" });
}

function getValues(profiles: Record<string, Record<string, unknown>>): Pick<SettingsInspection, "unknown" | "secrets"> {
  const values = Object.entries(profiles).flatMap(([profile, own]) =>
    Object.entries(own).map(([key, value]) => ({ profile, key, value })),
  );
  const isSecret = (key: string) => isSettingKey(key) && (SETTINGS[key] as Entry).secret === true;
  return {
    unknown: values.filter(({ key }) => !isSettingKey(key)).map(({ profile, key }) => `${profile}: ${key}`),
    secrets: values.filter(({ key }) => isSecret(key)).map(({ value }) => String(value)),
  };
}

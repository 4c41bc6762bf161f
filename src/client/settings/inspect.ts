import { type Sight, sightOf } from "../sight.ts";
import { parseSettings } from "./file.ts";
import { type Entry, isSettingKey, SETTINGS } from "./table.ts";

/** A settings file as it lies there. */
export type SettingsSight = Sight & {
  /** `profile: key` of each value that kay does not know. */
  unknown: string[];
  /** Values that must not be shown. */
  secrets: string[];
};

/** Look at a settings file without any of what reading it does. */
export function inspectSettings(path: string): Promise<SettingsSight> {
  const read = (bytes: Buffer) => {
    const stored = parseSettings(bytes, path);
    return stored && valuesOf(stored.profiles ?? {});
  };
  return sightOf(path, { unknown: [], secrets: [] }, { read, unreadable: "BROKEN_SETTINGS" });
}

function valuesOf(profiles: Record<string, Record<string, unknown>>): Pick<SettingsSight, "unknown" | "secrets"> {
  const values = Object.entries(profiles).flatMap(([profile, own]) =>
    Object.entries(own).map(([key, value]) => ({ profile, key, value })),
  );
  const isSecret = (key: string) => isSettingKey(key) && (SETTINGS[key] as Entry).secret === true;
  return {
    unknown: values.filter(({ key }) => !isSettingKey(key)).map(({ profile, key }) => `${profile}: ${key}`),
    secrets: values.filter(({ key }) => isSecret(key)).map(({ value }) => String(value)),
  };
}

import { readFile, stat } from "node:fs/promises";
import { Problem } from "#protocol/errors";
import { parseSettings } from "./file.ts";
import { type Entry, isSettingKey, SETTINGS } from "./table.ts";

/** A settings file as it lies there. Nothing is mended or moved by looking. */
export type SettingsSight = {
  path: string;
  /** `damaged` is put aside by the next command that reads it; `foreign` is left as it is (another encoding, another shape). */
  state: "absent" | "fine" | "damaged" | "foreign" | "unreadable";
  /** What is wrong, in words. */
  problem?: Problem;
  /** Others may read or write it. */
  open: boolean;
  /** It belongs to another user. */
  owner?: number;
  /** `profile: key` of each value that kay does not know. */
  unknown: string[];
  /** Values that must not be shown. */
  secrets: string[];
};

/** Look at a settings file without any of what reading it does. */
export async function inspectSettings(path: string): Promise<SettingsSight> {
  const nothing = { path, open: false, unknown: [], secrets: [] };
  try {
    const [bytes, { mode, uid }] = await Promise.all([readFile(path), stat(path)]);
    const about = { ...nothing, open: (mode & 0o077) !== 0, owner: uid };
    try {
      const stored = parseSettings(bytes, path);
      if (stored === null) return { ...about, state: "damaged" };
      return { ...about, state: "fine", ...valuesOf(stored.profiles ?? {}) };
    } catch (error) {
      if (error instanceof Problem) return { ...about, state: "foreign", problem: error };
      throw error;
    }
  } catch (error) {
    const errno = (error as NodeJS.ErrnoException).code;
    if (errno === undefined) throw error;
    if (errno === "ENOENT") return { ...nothing, state: "absent" };
    const problem = new Problem("BROKEN_SETTINGS", `${path} cannot be read (${errno}).`);
    return { ...nothing, state: "unreadable", problem };
  }
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

import { chmodSync, constants, copyFileSync, lstatSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { getErrno } from "#files/errno";
import { ensurePrivateFolder, unusableProblem } from "#files/folders";
import { type FileInspection, inspectFile } from "#files/inspect";
import type { Warn } from "#net/ports";
import { Problem } from "#protocol/errors";
import { type Entry, isSettingKey, SETTINGS } from "./table.ts";

/** The settings file as it is kept: values by profile, and the profile that `kay profile use` chose. Other fields are left alone. */
export type Stored = {
  profile?: unknown;
  profiles?: Record<string, Record<string, unknown>>;
  [other: string]: unknown;
};

/** For a file that is damaged: who is told, and the time for its new name. */
type Ports = { warn: Warn; now(): number };

/**
 * Read the settings cheaply, without a library. A file that does not exist is an empty one. A damaged file (empty, cut, no object) is
 * kept aside as `config.json.corrupt-<time>` with one warning, and kay starts afresh (case S07).
 *
 * @throws Problem BROKEN_SETTINGS for a file in another encoding than UTF-8, which is left as it is (case S06), and for one that cannot be
 * read, with path and errno (case S11)
 */
export function readSettings(path: string, ports: Ports): Stored {
  const bytes = readBytes(path);
  if (bytes === null) return {};
  const stored = parseSettings(bytes, path);
  if (stored === null) setAside(path, ports);
  return stored ?? {};
}

/**
 * The settings in the bytes of their file; null when they are damaged.
 *
 * @throws Problem BROKEN_SETTINGS for another encoding, and for profiles that are no objects
 */
function parseSettings(bytes: Uint8Array, path: string): Stored | null {
  const stored = parse(decode(bytes, path));
  if (stored !== null) checkProfiles(stored, path);
  return stored;
}

/**
 * Replace the settings. By `conf`, loaded only here: atomic, mode 0600, and through a symbolic link (case S10).
 *
 * @param make the new settings, made of what the file holds just then: nothing is waited for between that and the write
 * @throws Problem STORE_UNREADABLE with path and errno
 */
export async function writeSettings(path: string, make: () => Stored): Promise<void> {
  ensurePrivateFolder(dirname(path));
  const { default: Conf } = await import("conf");
  const stored = make();
  try {
    const conf = new Conf({
      cwd: dirname(path),
      configName: "config",
      projectSuffix: "",
      configFileMode: 0o600,
      clearInvalidConfig: false,
      accessPropertiesByDotNotation: false,
      serialize: (value) => `${JSON.stringify(value, null, 2)}\n`,
      deserialize: (text) => JSON.parse(text.replace(/^\ufeff/, "")),
    });
    conf.store = stored;
  } catch (error) {
    throw unusableProblem(path, getErrno(error), "KAY_CONFIG_DIR", error);
  }
}

function readBytes(path: string): Uint8Array | null {
  try {
    return readFileSync(path);
  } catch (error) {
    const errno = getErrno(error);
    if (errno === "ENOENT") return null;
    throw new Problem("BROKEN_SETTINGS", `The settings file ${path} cannot be read (${errno}).`, {
      hint: "Make it readable, or set KAY_CONFIG_DIR to another folder.",
      details: { path, errno },
      cause: error,
    });
  }
}

/** The text of the file without a byte order mark. Windows editors save UTF-16; that is said, not guessed at. */
function decode(bytes: Uint8Array, path: string): string {
  const foreign = foreignEncoding(bytes);
  try {
    if (!foreign) return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // Falls through to the sentence.
  }
  throw new Problem("BROKEN_SETTINGS", `The settings file ${path} is ${foreign ?? "not UTF-8"}.`, {
    hint: "Save it as UTF-8; it was left as it is.",
    details: { path, encoding: foreign ?? "unknown" },
  });
}

function foreignEncoding([first, second]: Uint8Array): string | null {
  if ((first === 0xff && second === 0xfe) || (first === 0x7b && second === 0)) return "UTF-16 (little endian)";
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x7b)) return "UTF-16 (big endian)";
  return null;
}

function parse(text: string): Stored | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** Move a damaged file out of the way; a link stays a link, its target is emptied after it was copied. */
function setAside(path: string, { warn, now }: Ports): void {
  const aside = `${path}.corrupt-${new Date(now()).toISOString().slice(0, 19).replaceAll(":", "-")}`;
  try {
    if (lstatSync(path).isSymbolicLink()) {
      copyFileSync(path, aside, constants.COPYFILE_EXCL);
      writeFileSync(path, "{}\n", { mode: 0o600 });
    } else {
      renameSync(path, aside);
    }
    chmodSync(aside, 0o600);
    warn(`The settings file was damaged; it is kept as ${aside}, and kay starts with fresh settings.`);
  } catch (error) {
    // Gone already: another process was faster and has said so.
    if (getErrno(error) === "ENOENT") return;
    warn(`The settings file ${path} is damaged and cannot be set aside (${getErrno(error)}); it is ignored.`);
  }
}

function checkProfiles(stored: Record<string, unknown>, path: string): asserts stored is Stored {
  const { profiles } = stored;
  if (profiles === undefined || (isRecord(profiles) && Object.values(profiles).every(isRecord))) return;
  throw new Problem(
    "BROKEN_SETTINGS",
    `In the settings file ${path}, "profiles" must hold an object for each profile.`,
    {
      hint: "Correct or remove it by hand.",
      details: { path },
    },
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

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

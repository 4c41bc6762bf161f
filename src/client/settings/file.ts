import {
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  readFileSync,
  renameSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { ensurePrivateFolder, getErrno, unusableProblem } from "#files/folders";
import { type FileInspection, inspectFile } from "#files/inspect";
import { foreignProblem } from "#files/own-file";
import type { Warn } from "#net/ports";
import { Problem } from "#protocol/errors";
import { isRecord } from "#protocol/json";
import { findJsonMistake } from "./json-mistake.ts";
import { type Entry, isSettingKey, SETTINGS } from "./table.ts";

/**
 * Content of the settings file: values by profile, and the profile chosen with `kay profile use`. Unknown fields are
 * kept.
 */
export type SettingsContent = {
  profile?: unknown;
  profiles?: Record<string, Record<string, unknown>>;
  [other: string]: unknown;
};

/**
 * Ports for reading the file. `now` dates the copy of a damaged file. `uid` is the ID of this user; undefined on
 * Windows, where no owner is checked.
 */
type Ports = { warn: Warn; now(): number; uid?: number | undefined };

/**
 * Reads the settings without a library, which is fast. A missing file counts as empty. A damaged file (empty,
 * truncated, not an object) is set aside as `config.json.corrupt-<time>` with one warning.
 *
 * @throws Problem STORE_UNREADABLE if other users could have written it; BROKEN_SETTINGS for an unreadable file,
 * another encoding, or invalid JSON, none of which is changed
 */
export function readSettings(path: string, ports: Ports): SettingsContent {
  for (const name of [dirname(path), path]) checkOwner(name, ports.uid);
  const bytes = readBytes(path);
  if (bytes === null) return {};
  const content = parseSettings(bytes, path);
  if (content === null) setAside(path, ports);
  return content ?? {};
}

/**
 * Parses the bytes of the settings file; null if they are damaged.
 *
 * @throws Problem BROKEN_SETTINGS for another encoding, invalid JSON, and profiles that are not objects
 */
function parseSettings(bytes: Uint8Array, path: string): SettingsContent | null {
  const text = decodeText(bytes, path);
  const content = parseObject(text);
  if (content === null) checkHandwriting(text, path);
  else checkProfiles(content, path);
  return content;
}

/**
 * Replaces the settings with `conf`, which is loaded only here: atomically, with mode 0600, and through a symbolic
 * link.
 *
 * @param make returns the new settings; must read the current file itself, because nothing is awaited between that and
 * the write
 * @throws Problem STORE_UNREADABLE with path and errno
 */
export async function writeSettings(path: string, make: () => SettingsContent): Promise<void> {
  ensurePrivateFolder(dirname(path));
  const { default: Conf } = await import("conf");
  const content = make();
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
    conf.store = content;
  } catch (error) {
    throw unusableProblem(path, getErrno(error), "KAY_CONFIG_DIR", error);
  }
}

function readBytes(path: string): Uint8Array | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (getErrno(error) === "ENOENT") return null;
    throw unreadableProblem(path, error);
  }
}

function unreadableProblem(path: string, cause: unknown): Problem {
  const errno = typeof cause === "string" ? cause : getErrno(cause);
  return new Problem("BROKEN_SETTINGS", `Could not read the settings file ${path} (${errno}).`, {
    hint: "Make it readable, or set KAY_CONFIG_DIR to another folder.",
    details: { path, ...(cause instanceof Error ? { errno } : {}) },
    cause,
  });
}

/**
 * Checks that only this user or root can write the settings or their folder: they decide which backend gets the prompts
 * (like `~/.ssh/config`).
 *
 * @throws Problem STORE_UNREADABLE
 */
function checkOwner(path: string, uid: number | undefined): void {
  const info = uid === undefined ? undefined : inspectPath(path);
  if (!info) return;
  // Reading it would wait until someone writes to it.
  if (info.isFIFO()) throw unreadableProblem(path, "it is a pipe");
  if (info.uid !== 0 && info.uid !== uid) throw foreignProblem(path);
  if ((info.mode & 0o002) === 0) return;
  throw new Problem("STORE_UNREADABLE", `Cannot use ${path}: every user can write to it.`, {
    hint: "Check its content, then remove their access (`chmod o-w`).",
    details: { path },
  });
}

function inspectPath(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw unreadableProblem(path, error);
  }
}

/** Decodes the file without a byte order mark. Windows editors save UTF-16, which is reported rather than guessed. */
function decodeText(bytes: Uint8Array, path: string): string {
  const foreign = detectForeignEncoding(bytes);
  try {
    if (!foreign) return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // Reported below.
  }
  throw new Problem("BROKEN_SETTINGS", `The settings file ${path} is ${foreign ?? "not UTF-8"}.`, {
    hint: "Save it as UTF-8. It was not changed.",
    details: { path, encoding: foreign ?? "unknown" },
  });
}

function detectForeignEncoding([first, second]: Uint8Array): string | null {
  if ((first === 0xff && second === 0xfe) || (first === 0x7b && second === 0)) return "UTF-16 (little endian)";
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x7b)) return "UTF-16 (big endian)";
  return null;
}

function parseObject(text: string): SettingsContent | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** Moves a damaged file away. A symbolic link stays; its target is copied and emptied. */
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
    warn(`The settings file was damaged. A copy was saved as ${aside}, and kay starts with default settings.`);
  } catch (error) {
    // Another process has moved the file and reported it.
    if (getErrno(error) === "ENOENT") return;
    warn(`Ignoring the damaged settings file ${path}, which could not be moved (${getErrno(error)}).`);
  }
}

/**
 * Reports a mistake in a file that the user edited. Without its settings, kay would use another backend.
 *
 * @throws Problem BROKEN_SETTINGS with line and column
 */
function checkHandwriting(text: string, path: string): void {
  const mistake = findJsonMistake(text);
  if (!mistake) return;
  const { what, line, column } = mistake;
  throw new Problem(
    "BROKEN_SETTINGS",
    `The settings file ${path} is not valid JSON: ${what} at line ${line}, column ${column}.`,
    {
      hint: "Correct it there. It was not changed.",
      details: { path, line, column },
    },
  );
}

function checkProfiles(content: Record<string, unknown>, path: string): asserts content is SettingsContent {
  const { profiles } = content;
  if (profiles === undefined || (isRecord(profiles) && Object.values(profiles).every(isRecord))) return;
  throw new Problem(
    "BROKEN_SETTINGS",
    `In the settings file ${path}, "profiles" must contain an object for each profile.`,
    {
      hint: "Correct or remove it manually.",
      details: { path },
    },
  );
}

/** State of a settings file. */
export type SettingsInspection = FileInspection & {
  /** `profile: key` of each unknown setting. */
  unknown: string[];
  /** Values that must not be shown. */
  secrets: string[];
};

/** Inspects a settings file without the side effects of reading it. */
export function inspectSettings(path: string): Promise<SettingsInspection> {
  const read = (bytes: Buffer) => {
    const content = parseSettings(bytes, path);
    return content && getValues(content.profiles ?? {});
  };
  return inspectFile(path, { unknown: [], secrets: [] }, { read, unreadable: "BROKEN_SETTINGS" });
}

function getValues(profiles: Record<string, Record<string, unknown>>): Pick<SettingsInspection, "unknown" | "secrets"> {
  const values = Object.entries(profiles).flatMap(([profile, values]) =>
    Object.entries(values).map(([key, value]) => ({ profile, key, value })),
  );
  const isSecret = (key: string) => isSettingKey(key) && (SETTINGS[key] as Entry).secret === true;
  return {
    unknown: values.filter(({ key }) => !isSettingKey(key)).map(({ profile, key }) => `${profile}: ${key}`),
    secrets: values.filter(({ key }) => isSecret(key)).map(({ value }) => String(value)),
  };
}

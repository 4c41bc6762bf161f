import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createPaths, type PathsInput } from "#client/paths";
import { cleanLine } from "#protocol/clean";
import { readKnown } from "./known.ts";
import { type Look, type Suggestions, suggest } from "./suggest.ts";
import { KNOWN_KINDS, type KnownKind, type Table, type Value, type ValueKind } from "./table.ts";

/** The outside world of completion: folders, the table of this build, and the time. */
export type CompletionWorld = PathsInput & { table: string; now: number };

/**
 * `kay __complete <shell> <index> [word...]`: what the scripts in `completions` ask at each TAB. A program of its own beside the bundle, so
 * that it starts in a fraction of the time. Nothing is written, started or asked.
 *
 * @param args the shell; the place of the word to complete, counted from 1 after `kay`; the words up to it (an empty one may be left out,
 * since some shells cannot pass it on)
 * @returns a line `files`, `folders` or `values` with what stands before the value in the word, then a line for each value: the whole
 * word, a tab, and words about it
 */
export function complete(args: string[], world: CompletionWorld): string {
  const [shell = "", index = "", ...rest] = args;
  const place = Number(index);
  if (!/^\d+$/.test(index) || place < 1 || place > 1_000) return "";
  const words = Array.from({ length: place }, (_, at) => unquoted(rest[at] ?? ""));
  const table = JSON.parse(readFileSync(world.table, "utf8")) as Table;
  return printed(suggest(table, words, lookAround(world)), shell);
}

/** A word as it was typed, without quotes and backslashes. Nothing is expanded. */
function unquoted(word: string): string {
  return word.replace(/\\(.)|["']/g, "$1");
}

function printed({ values, paths, prefix }: Suggestions, shell: string): string {
  const about = ([value, text]: Value) =>
    shell === "bash" && text.length > 60 ? [value, `${text.slice(0, 59)}…`] : [value, text];
  const lines = values.map((value) =>
    about(value)
      .map((part) => cleanLine(part))
      .join("\t"),
  );
  return [`${paths ?? "values"}\t${prefix}`, ...lines].join("\n");
}

function lookAround(world: CompletionWorld): Look {
  const paths = createPaths(world);
  const own = world.env.KAY_PROFILE || "default";
  const profiles = quietly(() => profilesOf(paths.config())) ?? {};
  return {
    profiles: () => [...new Set(["default", ...Object.keys(profiles)])].map((name): Value => [name, ""]),
    known: (kind, given) => {
      const profile = given ?? own;
      if (!isKnownKind(kind)) return null;
      const backend = backendOf(world.env.KAY_API_URL?.trim() || profiles[profile]?.["api-url"]);
      return readKnown(kind, { state: paths.state, profile, backend, now: () => world.now });
    },
  };
}

function isKnownKind(kind: ValueKind): kind is KnownKind {
  return (KNOWN_KINDS as readonly string[]).includes(kind);
}

type Profiles = Record<string, Record<string, unknown> | undefined>;

function profilesOf(folder: string): Profiles {
  const stored: unknown = JSON.parse(readFileSync(join(folder, "config.json"), "utf8").replace(/^\ufeff/, ""));
  const { profiles } = (stored ?? {}) as { profiles?: Profiles };
  return Object(profiles) as Profiles;
}

/** As a link names it: the origin, or `embedded` for kay's own. */
function backendOf(address: unknown): string {
  if (!address) return "embedded";
  return URL.canParse(String(address)) ? new URL(String(address)).origin : "";
}

/** No folder, no file, a damaged one: then nothing is known. */
function quietly<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}

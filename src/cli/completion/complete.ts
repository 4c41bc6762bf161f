import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createPaths, type PathsInput } from "#client/paths";
import { cleanLine } from "#protocol/clean";
import { readCompletionCache, tryOrNull } from "./cache.ts";
import { type Suggestions, suggestCompletions, type ValueLookup } from "./suggest.ts";
import { CACHED_KINDS, type CachedKind, type CompletionTable, type CompletionValue, type ValueKind } from "./table.ts";

/** Ports of completion: folders, the table of this build, and the time. */
export type CompletionPorts = PathsInput & { table: string; now: number };

/**
 * Answers `kay __complete <shell> <index> [word...]`, which the scripts in `completions` call at each Tab. Writes and
 * starts nothing. A separate program, because the bundle starts too slowly.
 *
 * @param args the shell; the position of the word to complete, counted from 1 after `kay`; the words up to it (an empty
 * one may be missing, because some shells cannot pass it)
 */
export function runComplete(args: string[], ports: CompletionPorts): string {
  const [shell = "", index = "", ...rest] = args;
  const current = Number(index);
  if (!/^\d+$/.test(index) || current < 1 || current > 1_000) return "";
  const words = Array.from({ length: current }, (_, index) => removeQuotes(rest[index] ?? ""));
  const table = JSON.parse(readFileSync(ports.table, "utf8")) as CompletionTable;
  return print(suggestCompletions(table, words, lookAround(ports)), shell);
}

/** Removes quotes and backslashes from a typed word. Expands nothing. */
function removeQuotes(word: string): string {
  return word.replace(/\\(.)|["']/g, "$1");
}

function print({ values, paths, prefix }: Suggestions, shell: string): string {
  const shortenText = ([value, text]: CompletionValue) =>
    shell === "bash" && text.length > 60 ? [value, `${text.slice(0, 59)}…`] : [value, text];
  const lines = values.map((value) =>
    shortenText(value)
      .map((part) => cleanLine(part))
      .join("\t"),
  );
  return [`${paths ?? "values"}\t${prefix}`, ...lines].join("\n");
}

function lookAround(ports: CompletionPorts): ValueLookup {
  const paths = createPaths(ports);
  const defaultProfile = ports.env.KAY_PROFILE || "default";
  const profiles = tryOrNull(() => getProfiles(paths.config())) ?? {};
  return {
    profiles: () => [...new Set(["default", ...Object.keys(profiles)])].map((name): CompletionValue => [name, ""]),
    aliases: () =>
      (tryOrNull(() => readdirSync(join(paths.config(), "commands"))) ?? [])
        .filter((name) => /^[a-z][a-z0-9-]*\.md$/.test(name))
        .map((name): CompletionValue => [name.slice(0, -3), "alias"]),
    listKnown: (kind, givenProfile) => {
      const profile = givenProfile ?? defaultProfile;
      if (!isKnownKind(kind)) return null;
      const backend = getBackend(ports.env.KAY_API_URL?.trim() || profiles[profile]?.["api-url"]);
      return readCompletionCache(kind, { state: paths.state, profile, backend, now: () => ports.now });
    },
  };
}

function isKnownKind(kind: ValueKind): kind is CachedKind {
  return (CACHED_KINDS as readonly string[]).includes(kind);
}

type Profiles = Record<string, Record<string, unknown> | undefined>;

function getProfiles(folder: string): Profiles {
  const config: unknown = JSON.parse(readFileSync(join(folder, "config.json"), "utf8").replace(/^\ufeff/, ""));
  const { profiles } = (config ?? {}) as { profiles?: Profiles };
  return Object(profiles) as Profiles;
}

/** Returns the backend: its origin, or `embedded` for the local one. */
function getBackend(address: unknown): string {
  if (!address) return "embedded";
  return URL.canParse(String(address)) ? new URL(String(address)).origin : "";
}

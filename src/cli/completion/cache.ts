import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ensurePrivateFolder } from "#files/folders";
import { cleanLine } from "#protocol/clean";
import type { CachedKind, CompletionValue } from "./table.ts";

/** Age in ms after which values are not offered: an hour for open requests, a month for the rest. */
const AGES: Partial<Record<CachedKind, number>> = { pending: 60 * 60_000 };
const AGE = 30 * 24 * 60 * 60_000;

/** Unchanged values are written again after this fraction of their maximum age, so that they stay valid. */
const RENEWED = 1 / 30;

const MOST = 100;

/** Values of characters that no shell interprets. Other values are not offered. */
const SAFE = /^[A-Za-z0-9][A-Za-z0-9._:@/+-]{0,199}$/;

/**
 * The owner of values: one profile at one backend (an origin, or `embedded` for the local one). `state` is kay's state
 * folder.
 */
export type CacheOwner = { state(): string; profile: string; backend: string; now(): number };

/** Values that are stored for completion. It is a cache, so errors are ignored. */
export type CompletionCache = {
  /** Returns the values of a kind; null if none are stored. */
  read(kind: CachedKind): CompletionValue[] | null;
  write(kind: CachedKind, values: readonly CompletionValue[]): void;
  /** Removes everything of the profile, so that the next user does not see another one's values. */
  forget(): void;
};

/**
 * Opens the values that commands store for completion, in `<state>/completion/<profile>/<kind>.json`, private to the
 * user. Ignores a damaged or outdated file, or one of another backend. Writes are atomic but not synced, because lost
 * values are collected again.
 *
 * @param unique part of a temporary file's name
 */
export function openCompletionCache(owner: CacheOwner, unique: () => string): CompletionCache {
  return {
    read: (kind) => readCompletionCache(kind, owner),
    write: (kind, values) => {
      tryOrNull(() => {
        const path = join(getFolder(owner), `${kind}.json`);
        const entry = { backend: owner.backend, at: owner.now(), values: tidy(values) };
        if (isKnown(kind, owner, entry.values)) return;
        replace(path, `${JSON.stringify(entry)}\n`, unique());
      });
    },
    forget: () => void tryOrNull(() => rmSync(getFolder(owner), { recursive: true, force: true })),
  };
}

/** Reads the values of one kind; null if there are none, or they are outdated or of another backend. */
export function readCompletionCache(kind: CachedKind, owner: CacheOwner): CompletionValue[] | null {
  return readYounger(kind, owner, getAge(kind));
}

/**
 * Whether the same values were stored recently. Most lists are the same each time, and a read costs less than a write.
 */
function isKnown(kind: CachedKind, owner: CacheOwner, values: CompletionValue[]): boolean {
  return JSON.stringify(readYounger(kind, owner, getAge(kind) * RENEWED)) === JSON.stringify(values);
}

const getAge = (kind: CachedKind) => AGES[kind] ?? AGE;

function readYounger(kind: CachedKind, owner: CacheOwner, limit: number): CompletionValue[] | null {
  return tryOrNull(() => {
    const entry: unknown = JSON.parse(readFileSync(join(getFolder(owner), `${kind}.json`), "utf8"));
    const { backend, at, values } = (entry ?? {}) as Record<string, unknown>;
    const age = owner.now() - Number(at);
    const isGood = backend === owner.backend && age >= 0 && age < limit && Array.isArray(values);
    return isGood ? tidy(values) : null;
  });
}

/** Returns the folder of a profile. Checks the name, which comes from a command line. */
function getFolder({ state, profile }: CacheOwner): string {
  if (!/^[a-z0-9-]{1,32}$/.test(profile)) throw new TypeError("no name for a profile");
  return join(state(), "completion", profile);
}

function replace(path: string, text: string, unique: string): void {
  const temporary = `${path}.${unique}.tmp`;
  ensurePrivateFolder(dirname(path));
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
    renameSync(temporary, path);
  } catch {
    rmSync(temporary, { force: true });
  }
}

/** Keeps only values that are safe as a word in any shell, each once, with a clean description of one line. */
function tidy(values: readonly unknown[]): CompletionValue[] {
  const tidied = new Map<string, string>();
  for (const entry of values) {
    const [value, description] = Array.isArray(entry) ? entry : [];
    if (typeof value !== "string" || !SAFE.test(value) || tidied.size >= MOST) continue;
    tidied.set(value, typeof description === "string" ? cleanLine(description, 80) : "");
  }
  return [...tidied];
}

export function tryOrNull<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

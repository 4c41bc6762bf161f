import { parsePeriod } from "./period.ts";

/** An inconsistent seed: the place, and one sentence. The loader converts it to a Problem. */
export class SeedError extends Error {
  readonly path: string;

  constructor(path: string, sentence: string) {
    super(sentence);
    this.name = "SeedError";
    this.path = path;
  }
}

/** @throws SeedError if two items of the list at `path` have the same value in a field */
export function requireUnique<Name extends string, Item extends Record<Name, unknown>>(
  items: Item[],
  path: string,
  name: Name,
): void {
  requireUniqueValues(
    items.map((item) => String(item[name])),
    (index) => `${path}[${index}].${name}`,
  );
}

/** @throws SeedError if a value occurs twice. `getPath` returns the place of the value at an index. */
export function requireUniqueValues(values: string[], getPath: (index: number) => string): void {
  const index = values.findIndex((value, index) => values.indexOf(value) !== index);
  if (index >= 0) throw new SeedError(getPath(index), `"${values[index]}" occurs twice`);
}

/**
 * Parses a time in a seed: ISO 8601, or relative to now ("-3d", "-2h", "-10m", "-1w").
 *
 * @param path its place in the seed, for the message
 * @returns ISO 8601 in UTC
 * @throws SeedError for anything else
 */
export function parseMoment(value: string, now: number, path: string): string {
  const shift = parsePeriod(value);
  const time = shift === undefined ? Date.parse(value) : now + shift;
  if (Number.isNaN(time)) throw new SeedError(path, `"${value}" is not a time: write 2026-01-31T09:00:00Z or -3d`);
  return new Date(time).toISOString();
}

/** Finds the item that a seed refers to by one of its names. @throws SeedError */
export function findNamed<Item>(
  items: Item[],
  getNames: (item: Item) => (string | undefined)[],
  reference: string,
  path: string,
  noun: string,
): Item {
  const match = items.find((item) => getNames(item).includes(reference));
  if (!match) throw new SeedError(path, `there is no ${noun} "${reference}"`);
  return match;
}

/** Looks up accounts and times of a seed, and names the place of an invalid one. */
export type SeedLookup = {
  now: number;
  /** Time of events without one. */
  longAgo: string;
  /** Returns the ID of the account with an ID, a name or an address. */
  person(reference: string, path: string): string;
  people(references: string[] | undefined, path: string): string[];
  time(value: string | null | undefined, fallback: string, path: string): string;
};

/**
 * Creates the lookup of a seed.
 *
 * @param accounts the IDs of accounts, with the names that a seed may use instead
 * @param days age of events without a time
 * @param noun the service's word for an account, for messages
 */
export function createSeedLookup(
  accounts: { id: string; names: string[] }[],
  { now, days, noun = "account" }: { now: number; days: number; noun?: string },
): SeedLookup {
  const person: SeedLookup["person"] = (reference, path) =>
    findNamed(accounts, ({ id, names }) => [id, ...names], reference, path, noun).id;
  return {
    now,
    longAgo: new Date(now - days * 86_400_000).toISOString(),
    person,
    people: (references = [], path) => references.map((reference, index) => person(reference, `${path}[${index}]`)),
    time: (value, fallback, path) => (value ? parseMoment(value, now, path) : fallback),
  };
}

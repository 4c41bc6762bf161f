import { SeedError } from "../provider.ts";
import { parseMoment } from "../seed-time.ts";
import type { Account } from "./state.ts";

/** Looking up people and times of a seed, with the place named when they do not fit. */
export type SeedLookup = {
  /** Account id of an account id, an email address or a display name. */
  person(wanted: string, path: string): string;
  time(value: string | undefined, fallback: string, path: string): string;
  /** Two weeks before now: when things happened that say nothing about it. */
  longAgo: string;
  /** The first account, who did whatever a seed names nobody for. */
  first: string;
};

/** Look people and times up among these accounts. */
export function createSeedLookup(accounts: Account[], now: number): SeedLookup {
  return {
    first: accounts[0]?.accountId ?? "",
    longAgo: new Date(now - 14 * 86_400_000).toISOString(),
    time: (value, fallback, path) => (value === undefined ? fallback : parseMoment(value, now, path)),
    person(wanted, path) {
      const found = accounts.find(({ accountId, emailAddress, displayName }) =>
        [accountId, emailAddress, displayName].includes(wanted),
      );
      if (!found) throw new SeedError(path, `there is no account "${wanted}"`);
      return found.accountId;
    },
  };
}

/** Refuse a list in which something stands twice. */
export function assertUnique(values: string[], path: (index: number) => string): void {
  const index = values.findIndex((value, at) => values.indexOf(value) !== at);
  if (index >= 0) throw new SeedError(path(index), `"${values[index]}" stands there twice`);
}

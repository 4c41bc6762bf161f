import { createHash } from "node:crypto";
import { buildSite } from "./build-site.ts";
import { assertUnique, createSeedLookup } from "./lookup.ts";
import type { AtlassianSeed } from "./seed.ts";
import type { AtlassianState } from "./state.ts";

/** Fill in an Atlassian seed. @throws SeedFault */
export function buildAtlassian(seed: AtlassianSeed, now: number): AtlassianState {
  const accounts = seed.accounts.map((account) => ({ timeZone: "UTC", active: true, ...account }));
  assertUnique(
    accounts.map(({ accountId }) => accountId),
    (index) => `accounts[${index}].accountId`,
  );
  assertUnique(
    seed.sites.map(({ name }) => name.toLowerCase()),
    (index) => `sites[${index}].name`,
  );
  const lookup = createSeedLookup(accounts, now);
  const sites = seed.sites.map((site, index) =>
    buildSite({ id: cloudId(site.name), ...site }, lookup, `sites[${index}]`),
  );
  assertUnique(
    sites.map(({ id }) => id),
    (index) => `sites[${index}].id`,
  );
  return { accounts, sites };
}

/** A cloud id in the form of a UUID, the same for the same name every time. */
function cloudId(name: string): string {
  const hex = createHash("sha256").update(`site ${name}`).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}

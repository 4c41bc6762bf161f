import type { Identity } from "#connectors/oauth";
import { Problem } from "#protocol/errors";
import type { BackendPorts } from "../../ports.ts";
import type { Grant } from "../../store/grants.ts";
import { listKnownAccounts } from "../../store/installations.ts";
import type { DbConnection } from "../../store/schema.ts";
import { type AuthorizationState, hasEarnedTokens } from "../../store/states.ts";
import { hasLiveFamily } from "../../store/token-families.ts";

/**
 * A caller that knows only the session ID of an installation may add a service and reconnect the same account. It must
 * not replace the current or former account with another one.
 *
 * @throws Problem ACCOUNT_MISMATCH
 */
export async function requireReplaceable(
  db: DbConnection,
  state: AuthorizationState,
  formerGrant: Grant | undefined,
  { accountId }: Identity,
): Promise<void> {
  if (state.signed_in || formerGrant === undefined || formerGrant.account_id === accountId) return;
  const accounts = await listKnownAccounts(db, state.installation_id);
  const isKnown = accounts.some(
    ({ provider, account_id }) => provider === formerGrant.provider && account_id === accountId,
  );
  if (accounts.length === 0 || isKnown) return;
  const message = "Another account is connected. Only a client that is signed in can change it.";
  throw new Problem("ACCOUNT_MISMATCH", message);
}

/**
 * Whether this consent earns tokens of kay: the installation has no live sign-in left, or the client lost them.
 *
 * @throws Problem ACCOUNT_MISMATCH when a stranger's account would open the installation
 */
export async function earnsTokens(
  ports: BackendPorts,
  db: DbConnection,
  state: AuthorizationState,
  { provider, identity }: { provider: string; identity: Identity },
): Promise<boolean> {
  const now = new Date(ports.clock.now());
  const isSignedIn = async () =>
    (await hasLiveFamily(db, state.installation_id, now)) || (await hasEarnedTokens(db, state.installation_id, now));
  if (!state.needs_tokens && (await isSignedIn())) return false;
  const accounts = await listKnownAccounts(db, state.installation_id);
  const isKnown = accounts.some(
    (account) => account.provider === provider && account.account_id === identity.accountId,
  );
  if (accounts.length === 0 || isKnown) return true;
  const expected = accounts.map((account) => `${account.label} (${account.provider})`).join(" or ");
  throw new Problem("ACCOUNT_MISMATCH", `This kay belongs to another account: sign in as ${expected}.`, {
    details: { expected: accounts.map(({ provider, label }) => ({ provider, label })) },
  });
}

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
  before: Grant | undefined,
  { accountId }: Identity,
): Promise<void> {
  if (state.signed_in || before === undefined || before.account_id === accountId) return;
  const known = await listKnownAccounts(db, state.installation_id);
  const isKnown = known.some(({ provider, account_id }) => provider === before.provider && account_id === accountId);
  if (known.length === 0 || isKnown) return;
  const message = "Another account is connected. Only a client that is signed in can change it.";
  throw new Problem("ACCOUNT_MISMATCH", message);
}

/**
 * Whether this consent earns tokens of kay: the installation has no live sign-in left, or the client lost them. Then a stranger's account
 * must not open what belongs to another.
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
  const known = await listKnownAccounts(db, state.installation_id);
  const isKnown = known.some((account) => account.provider === provider && account.account_id === identity.accountId);
  if (known.length === 0 || isKnown) return true;
  const expected = known.map((account) => `${account.label} (${account.provider})`).join(" or ");
  throw new Problem("ACCOUNT_MISMATCH", `This kay belongs to another account: sign in as ${expected}.`, {
    details: { expected: known.map(({ provider, label }) => ({ provider, label })) },
  });
}

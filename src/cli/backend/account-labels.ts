import { clean } from "#protocol/clean";
import type { Connection } from "#protocol/connections";
import { Problem } from "#protocol/errors";
import type { BackendHandle } from "./handle.ts";

/**
 * Stores the account of each service with the sign-in, so that `kay profile list` needs no backend. Other services keep
 * their labels, unless `whole` is set. Ignores a store that cannot be written.
 */
export async function saveAccountLabels(
  link: BackendHandle,
  connections: Record<string, Connection>,
  { whole = false }: { whole?: boolean } = {},
): Promise<void> {
  if (link.usesEnvironmentToken) return;
  try {
    const { accounts = {}, session_id } = (await link.credentials.read(link.origin)).signIn;
    const next = merge(whole ? {} : accounts, connections);
    if (!session_id || hasSameEntries(accounts, next)) return;
    // A newer sign-in of another installation has stored its labels.
    await link.credentials.update(link.origin, (signIn) =>
      signIn.session_id === session_id
        ? withAccounts(signIn, merge(whole ? {} : (signIn.accounts ?? {}), connections))
        : signIn,
    );
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}

function merge(accounts: Record<string, string>, connections: Record<string, Connection>): Record<string, string> {
  const entries = new Map(Object.entries(accounts));
  for (const [service, connection] of Object.entries(connections)) {
    if (connection.connected) entries.set(service, formatAccount(connection));
    else entries.delete(service);
  }
  return Object.fromEntries(entries);
}

function withAccounts<T extends { accounts?: Record<string, string> }>(signIn: T, accounts: Record<string, string>): T {
  const { accounts: _, ...rest } = signIn;
  return (Object.keys(accounts).length > 0 ? { ...rest, accounts } : rest) as T;
}

function hasSameEntries(a: Record<string, string>, b: Record<string, string>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/** Returns the display name of a connection's account: name and address, otherwise what the provider reports. */
export function formatAccount(connection: Connection): string {
  const user = connection.user ?? {};
  const name = user.name ?? user.display_name ?? user.username ?? "";
  const detail = user.email ?? (user.username !== name ? user.username : "") ?? "";
  const text = name && detail ? `${name} (${detail})` : name || detail || user.account_id || "";
  return clean(text, { lines: false });
}

/** Returns the site or workspace of the connection. */
export function formatSite(connection: Connection): string {
  const metadata = connection.metadata ?? {};
  const site = metadata.url ?? metadata.workspace ?? metadata.workspace_id ?? "";
  return clean(String(site), { lines: false });
}

/** Returns the previous connection if it had another account; null if it had the same one, or there was none. */
export function findReplacedAccount(previous: Connection | undefined, now: Connection): Connection | null {
  if (!previous?.connected) return null;
  const [was, is] = [previous.user?.account_id, now.user?.account_id];
  const isSame = was && is ? was === is : formatAccount(previous) === formatAccount(now);
  return isSame ? null : previous;
}

import { clean } from "#protocol/clean";
import type { Connection } from "#protocol/connections";

/** How a connection's account is named to a person: name and address, else whatever the provider tells. */
export function formatAccount(connection: Connection): string {
  const user = connection.user ?? {};
  const name = user.name ?? user.display_name ?? user.username ?? "";
  const detail = user.email ?? (user.username !== name ? user.username : "") ?? "";
  const text = name && detail ? `${name} (${detail})` : name || detail || user.account_id || "";
  return clean(text, { lines: false });
}

/** Where the account works: the site or workspace of the connection. */
export function formatSite(connection: Connection): string {
  const metadata = connection.metadata ?? {};
  const place = metadata.url ?? metadata.workspace ?? metadata.workspace_id ?? "";
  return clean(String(place), { lines: false });
}

/** The connection before, where it was another account's than the one now; null where it was the same, or there was none. */
export function findReplacedAccount(before: Connection | undefined, now: Connection): Connection | null {
  if (!before?.connected) return null;
  const [was, is] = [before.user?.account_id, now.user?.account_id];
  const isSame = was && is ? was === is : formatAccount(before) === formatAccount(now);
  return isSame ? null : before;
}

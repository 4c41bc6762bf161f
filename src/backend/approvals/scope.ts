import { hash } from "node:crypto";
import type { Account } from "#connectors/oauth";
import { cleanLine } from "#protocol/clean";
import { toCanonicalJson } from "#protocol/json";
import type { BackendPorts } from "../ports.ts";
import type { Grant } from "../store/grants.ts";
import { findApprovalTimeout } from "../store/installations.ts";

/** Returns the account of a connection with its site or workspace. Another site of the same user is another account. */
export function toAccount({
  provider,
  account_id: id,
  user,
  metadata,
}: Pick<Grant, "provider" | "account_id" | "user" | "metadata">): Account {
  const name = formatFirst([user.name, user.display_name, user.username, user.email]) ?? id;
  const place = formatFirst([metadata.site, metadata.workspace_name, metadata.workspace, metadata.portal]);
  const words = place === undefined ? name : `${name} (${place})`;
  return { id: toCanonicalJson([provider, id, metadata]), words: cleanLine(words) };
}

/** Returns an opaque ID that distinguishes accounts without naming them. */
export function hashAccount({ id }: Account): string {
  return hash("sha256", id, "base64url").slice(0, 22);
}

function formatFirst(candidates: unknown[]): string | undefined {
  const candidate = candidates.find((text): text is string => typeof text === "string" && text.trim() !== "");
  return candidate?.trim();
}

/** Begins the description of a call's target if it cannot be read. */
export const UNREADABLE = "could not be looked up";

/** Lists the IDs in a description of a call's target: `“Budget” (1qc3Z)`, `“Dentist” (event 5d2d)`. */
export function listTargetIds(target: string): string[] {
  return [...target.matchAll(/\((?:[^()\s]+ )*([^()\s]*\d[^()\s]*)\)/g)].flatMap(([, id]) => id ?? []);
}

/**
 * Whether a description is of the objects with these IDs. An unreadable target counts as the same: the call itself
 * then fails.
 */
export function isSameObject(description: string, ids: string[]): boolean {
  return description.startsWith(UNREADABLE) || listTargetIds(description).join() === ids.join();
}

/** How long a request waits by default, in seconds: until the same time of the next day. */
const DEFAULT_SECONDS = 24 * 3_600;

/** How long a request waits in ms, and whether it stays open longer while a client that can answer is attached. */
export type Lifetime = { ms: number; stays: boolean };

/**
 * Returns how long a request waits: the caller's choice, else the user's policy, else the operator's setting. A chosen
 * time is exact. Without one, a request also stays while a client is attached.
 *
 * @param policyRows the user's policy, if it was just read
 */
export async function findLifetime(
  ports: Pick<BackendPorts, "db" | "approvalTimeout">,
  installationId: string,
  chosen: number | undefined,
  policyRows?: { approval_timeout: number | null }[],
): Promise<Lifetime> {
  const find = async () =>
    policyRows ? policyRows[0]?.approval_timeout : await findApprovalTimeout(ports.db, installationId);
  const seconds = chosen ?? (await find()) ?? ports.approvalTimeout?.();
  return seconds === undefined ? { ms: DEFAULT_SECONDS * 1_000, stays: true } : { ms: seconds * 1_000, stays: false };
}

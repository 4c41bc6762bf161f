import { createHash } from "node:crypto";
import type { Account } from "#connectors/oauth";
import { toCanonicalJson } from "#protocol/canonical-json";
import { cleanLine } from "#protocol/clean";
import type { Grant } from "../store/grants.ts";

/**
 * The account of a connection, and its site or workspace. Another site of the same person counts as another account.
 */
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
  return createHash("sha256").update(id).digest("base64url").slice(0, 22);
}

function formatFirst(candidates: unknown[]): string | undefined {
  const found = candidates.find((text): text is string => typeof text === "string" && text.trim() !== "");
  return found?.trim();
}

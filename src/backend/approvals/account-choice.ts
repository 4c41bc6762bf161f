import type { Access } from "#connectors/tool";
import { getBaseName } from "#protocol/tool-names";
import type { BackendPorts } from "../ports.ts";
import type { CallFacts } from "../store/call-facts.ts";
import { listGrants } from "../store/grants.ts";
import type { Provenance } from "./provenance.ts";

/**
 * A call, and whether a model chose its tool. `allow`: the tools that the caller allowed. `facts`: the connections, if
 * they were just read.
 */
type ChosenCall = {
  installationId: string;
  tool: { service: string; access: Access };
  provenance?: Provenance;
  isModelChoice?: boolean;
  allow?: string[];
  facts?: Pick<CallFacts, "grants">;
};

/**
 * Returns the connected accounts of a call's service if a model chose one that the user did not name. Reads are not
 * asked about: they say what they read, and change nothing.
 */
export async function findUnclearAccounts(
  { db }: Pick<BackendPorts, "db">,
  { installationId, tool, provenance, isModelChoice, allow = [], facts }: ChosenCall,
): Promise<string[] | undefined> {
  if (!isModelChoice || tool.access === "read" || provenance === undefined) return undefined;
  const grants = facts?.grants ?? (await listGrants(db, installationId));
  const base = getBaseName(tool.service);
  const accounts = grants
    .filter(({ service, status }) => status === "connected" && getBaseName(service) === base)
    .map(({ service }) => service);
  if (accounts.length < 2) return undefined;
  // A list of tools of one account names that account.
  const allowedAccounts = accounts.filter((account) => allow.some((entry) => entry.trim().startsWith(`${account}.`)));
  if (allowedAccounts.length === 1 && allowedAccounts[0] === tool.service) return undefined;
  const namingText = provenance.userTexts.findLast((text) => listNamedAccounts(text, accounts).length > 0) ?? "";
  return listNamedAccounts(namingText, accounts).includes(tool.service) ? undefined : accounts.sort();
}

/** Lists the accounts that a text in lower case names: "jira@work", "my work account", "jira (work)", "in jira". */
function listNamedAccounts(text: string, accounts: string[]): string[] {
  let remaining = text;
  // Without the others, what remains of "jira@work" would be the account called jira.
  const labeledAccounts = accounts.filter((account) => {
    const [base = "", label] = account.split("@").map((part) => part.replaceAll("-", "[ -]"));
    if (label === undefined) return false;
    const previous = remaining;
    remaining = remaining.replace(toPattern(`${base}(?:@|_at_| at | \\()${label}|${label} (?:${base}|account)`), " ");
    return remaining !== previous;
  });
  const baseAccounts = accounts.filter(
    (account) => !account.includes("@") && toPattern(account.replaceAll("-", "[ -]")).test(remaining),
  );
  return [...labeledAccounts, ...baseAccounts];
}

/** A pattern of whole words: not a part of another name or address. */
function toPattern(pattern: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}@_-])(?:${pattern})(?![\\p{L}\\p{N}@_-])`, "gu");
}

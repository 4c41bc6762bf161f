import type { Account, Tool, ToolMode } from "#connectors/service";
import type { Grant } from "#protocol/conversations";
import type { BackendPorts } from "../ports.ts";
import { listPolicies } from "../store/policies.ts";
import { findAllowEntry } from "./allow-list.ts";
import { findGrant, type GrantOffer, peekGrant, toGrantOffer } from "./grants.ts";
import { type ModeQuestion, resolveMode } from "./policies.ts";

/** A call that is about to run. `input` as the tool's schema gave it. */
export type CallQuestion = {
  installationId: string;
  /** Approvals for a session count only in theirs. */
  conversationId?: string;
  tool: ModeQuestion["tool"] & Pick<Tool, "modeOf" | "resource">;
  input: Record<string, unknown>;
  /** Who the service is connected as. */
  account?: Account;
  writes: ModeQuestion["writes"];
  /** Entries that the caller of this turn allowed. */
  allow?: string[];
  /** Only wants to know: an approval that would answer is not noted as used. */
  peek?: boolean;
};

/**
 * The decision about a call. `grant` is the saved approval that covers it, `allowed` the caller's entry that does, and
 * `offer` what a user who is asked may approve.
 */
export type Decision = { mode: ToolMode; why: string; offer: GrantOffer; grant?: Grant; allowed?: string };

/**
 * Decides whether a call needs a user, from the tool, its arguments, the user's policies and saved approvals. A saved
 * approval answers only a question before the call, and never where a policy says to ask every time; then only `once`
 * is offered. An entry of the caller's list answers likewise, but never a question that the arguments raised: no user
 * has seen those.
 */
export async function decideCall(ports: Pick<BackendPorts, "db" | "clock">, question: CallQuestion): Promise<Decision> {
  const { installationId, conversationId, tool, input, account, writes, allow = [], peek } = question;
  const fromInput = tool.modeOf?.(input);
  const policies = await listPolicies(ports.db, installationId);
  const { mode, why, everyTime } = resolveMode({
    tool,
    policies,
    writes,
    ...(fromInput === undefined ? {} : { fromInput }),
  });
  // A question that the arguments raise was not part of an earlier approval of the same resource.
  const isPlain = fromInput === undefined || fromInput === "auto";
  const resource = isPlain ? tool.resource?.(input) : undefined;
  const all = toGrantOffer({
    tool: tool.name,
    input,
    access: tool.access,
    ...(resource === undefined ? {} : { resource }),
    ...(account ? { account } : {}),
  });
  const offer = everyTime ? { ...all, scopes: all.scopes.filter(({ scope }) => scope === "once") } : all;
  if (mode !== "confirm_before_execution" || everyTime) return { mode, why, offer };
  const allowed = isPlain ? findAllowEntry(allow, tool.name, resource) : undefined;
  if (allowed !== undefined)
    return { mode: floorAfter(tool.mode, fromInput), why: `it is allowed by --allow ${allowed}`, offer, allowed };
  const find = peek ? peekGrant : findGrant;
  const grant = await find(ports, { installationId, key: offer.key, ...(conversationId ? { conversationId } : {}) });
  if (!grant) return { mode, why, offer };
  // Approved was the call before it runs, not what it comes to.
  return { mode: floorAfter(tool.mode, fromInput), why: `you approved ${grant.words}`, offer, grant };
}

function floorAfter(...modes: (ToolMode | undefined)[]): ToolMode {
  return modes.includes("confirm_after_execution") ? "confirm_after_execution" : "auto";
}

import type { Account } from "#connectors/oauth";
import { narrowPlace } from "#connectors/place";
import type { Tool, ToolMode } from "#connectors/tool";
import { cleanLine } from "#protocol/clean";
import type { Grant, Policy } from "#protocol/conversations";
import type { BackendPorts } from "../ports.ts";
import type { CallFacts } from "../store/call-facts.ts";
import { listPolicies } from "../store/policies.ts";
import { findUnclearAccounts } from "./account-choice.ts";
import { findAllowEntry } from "./allow-list.ts";
import { hasOwnField, listForeignFields } from "./foreign-fields.ts";
import { type GrantOffer, noteGrantUse, peekApproval, toGrantOffer, toGrantView } from "./grants.ts";
import { isTrusted, type ModeQuestion, resolveMode } from "./policies.ts";
import { createProvenance, type Provenance } from "./provenance.ts";
import { isSameObject } from "./scope.ts";

/** A call that is about to run. `input` is the output of the tool's schema. */
export type CallQuestion = {
  installationId: string;
  /** Approvals for a session count only in theirs. */
  conversationId?: string;
  tool: ModeQuestion["tool"] &
    Pick<Tool, "chooseMode" | "resource" | "object" | "schema" | "egress" | "takesAttachments" | "placeIsTarget">;
  input: Record<string, unknown>;
  /** The input as the model wrote it. */
  rawInput?: unknown;
  /** Who wrote the values of the input. Without it, all of them count as the user's. */
  provenance?: Provenance;
  /** Who the service is connected as. */
  account?: Account;
  writes: ModeQuestion["writes"];
  /** Entries that the caller of this turn allowed. */
  allow?: string[];
  /** Policies, connections and the saved approvals of the tool, if they were just read. */
  facts?: Pick<CallFacts, "policies" | "approvals" | "grants">;
  /** A model chose the tool, and with it the account. */
  isModelChoice?: boolean;
  /** Describes what the call reaches, if its tool can. */
  readTarget?: (() => Promise<string | undefined>) | undefined;
  /** Lists the destinations of the call that kay has never written to. */
  findNewDestinations?: () => Promise<string[]>;
  /** Only evaluates the decision: a saved approval that covers the call is not recorded as used, nor its target read. */
  peek?: boolean;
};

/**
 * The decision about a call. `grant` is the saved approval that covers it, `allowed` the caller's entry that does, and
 * `offer` what a user who is asked may approve.
 */
export type Decision = {
  mode: ToolMode;
  why: string;
  offer: GrantOffer;
  grant?: Grant;
  allowed?: string;
  /** Set if the call asks only because of values that are not the user's. */
  guarded?: boolean;
};

/**
 * Decides whether a call needs a user, from the tool, its arguments, the user's policies and saved approvals. A saved
 * approval answers only a question before the call, and never where a policy says to ask every time; then only `once`
 * is offered. An entry of the caller's list answers likewise, but never a question that the arguments raised: no user
 * has seen those. Once the model has read text of others, none of them covers values that are not the user's
 * (docs/decisions/outside-text.md). None covers a change with an account that the model chose and the user did not name
 * (docs/decisions/accounts.md).
 */
export async function decideCall(ports: Pick<BackendPorts, "db" | "clock">, question: CallQuestion): Promise<Decision> {
  const { installationId, conversationId, tool, input, account, writes, allow = [], peek, facts } = question;
  const fromInput = tool.chooseMode?.(input);
  const policies = facts?.policies ?? (await listPolicies(ports.db, installationId));
  const { mode, why, everyTime } = resolveMode({
    tool,
    policies,
    writes,
    ...(fromInput === undefined ? {} : { fromInput }),
  });
  // A question that the arguments raise was not part of an earlier approval of the same resource.
  const isPlain = fromInput === undefined || fromInput === "auto";
  const resource = isPlain ? tool.resource?.(input) : undefined;
  const place = tool.object ? narrowPlace(resource, tool.object(input)) : resource;
  const fullOffer = toGrantOffer({
    tool: tool.name,
    input,
    access: tool.access,
    ...(place === undefined ? {} : { resource: place }),
    ...(account ? { account } : {}),
    ...(tool.placeIsTarget ? { placeIsTarget: true } : {}),
  });
  const offer = everyTime
    ? { ...fullOffer, scopes: fullOffer.scopes.filter(({ scope }) => scope === "once") }
    : fullOffer;
  const guard = (cover?: string, approvedPlace?: string) =>
    guardCall({ question, policies, offer, place, cover, approvedPlace });
  const accounts = await findUnclearAccounts(ports, question);
  const accountDecision: Decision | undefined = accounts && {
    mode: "confirm_before_execution",
    why: `you did not say which account: ${accounts.join(" or ")}`,
    offer,
    guarded: true,
  };
  if (mode !== "confirm_before_execution") return accountDecision ?? (await guard()) ?? { mode, why, offer };
  if (everyTime) return { mode, why, offer };
  const allowed = isPlain ? findAllowEntry(allow, tool.name, resource) : undefined;
  if (allowed !== undefined) {
    const runDecision = {
      mode: getLeastMode(tool.mode, fromInput),
      why: `it is allowed by --allow ${allowed}`,
      offer,
      allowed,
    };
    return (
      accountDecision ??
      (await guard(`--allow ${allowed}`, allowed.includes(":") ? resource : undefined)) ??
      runDecision
    );
  }
  const approvalQuestion = { installationId, key: offer.key, ...(conversationId ? { conversationId } : {}) };
  const savedApproval = await peekApproval(ports, approvalQuestion, facts?.approvals);
  if (!savedApproval) return { mode, why, offer };
  // A name can stand for another object by now.
  const currentTarget = savedApproval.target === null || peek ? undefined : await question.readTarget?.();
  if (currentTarget && savedApproval.target && !isSameObject(currentTarget, savedApproval.target.split(" ")))
    return {
      mode,
      why: `your approval of ${savedApproval.words} was for another object of that name`,
      offer,
      guarded: true,
    };
  const guardDecision = offer.exact ? undefined : await guard(`your approval of ${savedApproval.words}`, place);
  const askDecision = accountDecision ?? guardDecision;
  if (askDecision) return askDecision;
  const grant = peek ? toGrantView(savedApproval) : await noteGrantUse(ports, savedApproval);
  if (!grant) return { mode, why, offer };
  // The approval covers the call before it runs, not its result.
  return { mode: getLeastMode(tool.mode, fromInput), why: `you approved ${grant.words}`, offer, grant };
}

/**
 * Returns the decision to ask although something covers the call: its values may come from text that others wrote, and
 * no user has seen them; or it reaches a place that neither an earlier write nor the approval names.
 *
 * @param cover the approval or entry that would let the call run; absent where none is needed
 * @param approvedPlace the place that an approval names; values that are part of it are the user's
 */
async function guardCall({
  question: { tool, input, rawInput, provenance, findNewDestinations },
  policies,
  offer,
  place,
  cover,
  approvedPlace,
}: {
  question: CallQuestion;
  policies: Policy[];
  offer: GrantOffer;
  place: string | undefined;
  cover: string | undefined;
  approvedPlace: string | undefined;
}): Promise<Decision | undefined> {
  if (!provenance?.tainted || isTrusted(policies, tool.access)) return undefined;
  const buildAskDecision = (why: string): Decision => ({ mode: "confirm_before_execution", why, offer, guarded: true });
  const foreignFields = listForeignFields({ tool, input, rawInput, provenance, approvedPlace, place });
  if (foreignFields.length === 0) {
    const isUnsaid =
      cover === undefined && tool.access !== "read" && !hasOwnField({ tool, input, rawInput, provenance });
    if (isUnsaid) return buildAskDecision("you said no value of it, and kay has read text that you did not write");
    const coverProvenance = createProvenance({ own: approvedPlace === undefined ? [] : [approvedPlace], foreign: [] });
    const newDestination = (await findNewDestinations?.())?.find((name) => !coverProvenance.isOwn(name));
    if (newDestination === undefined) return undefined;
    const destination = `${cleanLine(newDestination, 60)}, where kay has never written before`;
    return buildAskDecision(
      cover === undefined ? `it would write to ${destination}` : `${cover} does not cover ${destination}`,
    );
  }
  const source = foreignFields
    .map((name) => provenance.findSource(input[name]))
    .find((candidate) => candidate !== undefined);
  const kind =
    tool.takesAttachments && foreignFields.join() === "attachments"
      ? "a file that you did not name"
      : "text that you did not write";
  const words = source === undefined ? kind : `text that came from ${cleanLine(source, 60)}`;
  return buildAskDecision(cover === undefined ? `it would send ${words}` : `${cover} does not cover ${words}`);
}

/** Turns a reason into a sentence. */
export function toSentence(why: string): string {
  return `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
}

function getLeastMode(...modes: (ToolMode | undefined)[]): ToolMode {
  return modes.includes("confirm_after_execution") ? "confirm_after_execution" : "auto";
}

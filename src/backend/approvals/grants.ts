import type { Account } from "#connectors/oauth";
import type { Access } from "#connectors/tool";
import { cleanLine } from "#protocol/clean";
import type { Grant } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import type { ApprovalScope } from "#protocol/interactions";
import { toCanonicalJson } from "#protocol/json";
import type { BackendPorts } from "../ports.ts";
import {
  type Approval,
  type ApprovalQuestion,
  deleteApprovals,
  findApproval,
  insertApproval,
  listApprovals,
  touchApproval,
} from "../store/approvals.ts";
import { listTargetIds } from "./scope.ts";

/** Maximum lifetime of an approval for a conversation, in ms: one day. */
const SESSION_LIFE = 86_400_000;

/** Lifetime of an approval for always, in ms: 90 days, as its text says. */
const ALWAYS_LIFE = 90 * 86_400_000;

type Ports = Pick<BackendPorts, "db" | "clock">;

/**
 * A call: `input` as the tool's schema parsed it, `resource` in the tool's words with their preposition ("to
 * #general").
 */
export type GrantedCall = {
  tool: string;
  input: Record<string, unknown>;
  resource?: string;
  account?: Account;
  access: Access;
  /** See `Tool.placeIsTarget`. */
  placeIsTarget?: boolean;
};

/** An approval that the user can save, and its text. Calls have the same `key` exactly if the approval covers them. */
export type GrantOffer = {
  tool: string;
  key: string;
  /** Set if it covers only calls with exactly these arguments. */
  exact: boolean;
  words: string;
  /** Set if it covers only the object that the call reached when it was approved. */
  holdsTarget: boolean;
  account?: string;
  scopes: { scope: ApprovalScope; words: string }[];
};

/**
 * Returns the approval that the user can save for this call: it covers calls of the same tool and account, for the same
 * resource or with the same arguments. A destructive call is approved only with the same arguments, and never for always.
 */
export function toGrantOffer({
  tool,
  input,
  resource,
  account,
  access,
  placeIsTarget = false,
}: GrantedCall): GrantOffer {
  // A place is wider than the object that would be gone for good.
  const place = resource?.trim() && access !== "destructive" ? resource : undefined;
  // A resource is a text and arguments are an object, so neither can be mistaken for the other.
  const key = toCanonicalJson([tool, account?.id ?? null, place ?? input]);
  const accountText = account ? ` as ${account.words}` : "";
  const words = cleanLine(`${tool} ${place ?? "with exactly these arguments"}${accountText}`);
  const always = { scope: "always" as const, words: `always, for 90 days: ${words}` };
  return {
    tool,
    key,
    exact: place === undefined,
    holdsTarget: place === undefined || placeIsTarget,
    words,
    ...(account ? { account: cleanLine(account.words) } : {}),
    scopes: [
      { scope: "once", words: "once" },
      { scope: "session", words: `this session: ${words}` },
      ...(access === "destructive" ? [] : [always]),
    ],
  };
}

/** Records that an approval was used. Returns undefined if it was revoked in the meantime. */
export async function noteGrantUse({ db, clock }: Ports, approval: Approval): Promise<Grant | undefined> {
  const now = clock.now();
  return (await touchApproval(db, approval.id, now))
    ? toGrantView({ ...approval, last_used_at: new Date(now) })
    : undefined;
}

/**
 * Returns the saved approval that covers the call, if any. Its use is not recorded yet.
 *
 * @param approvals those of the tool, if they were just read
 */
export async function peekApproval(
  { db, clock }: Ports,
  question: ApprovalQuestion,
  approvals?: Approval[],
): Promise<Approval | undefined> {
  return approvals ? approvals.find(({ key }) => key === question.key) : await findApproval(db, question, clock.now());
}

/**
 * Saves what the user approved. Saves nothing for `once`.
 *
 * @throws Problem INVALID_REQUEST for a scope that was not offered, SESSION_NOT_FOUND when the conversation is gone
 */
export async function rememberGrant(
  { db, clock }: Ports,
  {
    installationId,
    conversationId,
    scope,
    offer,
    target,
  }: {
    installationId: string;
    conversationId: string;
    scope: ApprovalScope;
    offer: GrantOffer;
    /** The target that the card showed. */
    target?: string | undefined;
  },
): Promise<Grant | undefined> {
  if (!offer.scopes.some((offered) => offered.scope === scope)) {
    throw new Problem("INVALID_REQUEST", `${offer.tool} cannot be approved in this scope: ${scope}.`);
  }
  if (scope === "once") return undefined;
  const now = clock.now();
  const approval = await insertApproval(db, {
    installation_id: installationId,
    conversation_id: scope === "session" ? conversationId : null,
    key: offer.key,
    tool: offer.tool,
    words: offer.words,
    account: offer.account ?? null,
    target: (offer.holdsTarget && target && listTargetIds(target).join(" ")) || null,
    created_at: new Date(now),
    expires_at: new Date(now + (scope === "session" ? SESSION_LIFE : ALWAYS_LIFE)),
  });
  if (!approval) throw new Problem("SESSION_NOT_FOUND", "No conversation has this ID.");
  return toGrantView(approval);
}

/** Lists the approvals that are still valid, newest first. */
export async function listGrants({ db, clock }: Ports, installationId: string): Promise<Grant[]> {
  return (await listApprovals(db, installationId, clock.now())).map(toGrantView);
}

/** Revokes one approval. @throws Problem APPROVAL_NOT_FOUND for an unknown, expired or foreign one */
export async function revokeGrant({ db, clock }: Ports, installationId: string, id: string): Promise<Grant> {
  const exists = (await listApprovals(db, installationId, clock.now())).some((approval) => approval.id === id);
  const [revoked] = exists ? await deleteApprovals(db, installationId, [id]) : [];
  if (!revoked) throw new Problem("APPROVAL_NOT_FOUND", "No approval has this ID.");
  return toGrantView(revoked);
}

/** Revokes every approval of a tool (`slack.send_message`), of a service (`slack`), or all (`*`). */
export async function revokeGrants({ db, clock }: Ports, installationId: string, target: string): Promise<Grant[]> {
  const matches = (await listApprovals(db, installationId, clock.now())).filter(
    ({ tool }) => target === "*" || tool === target || tool.startsWith(`${target}.`),
  );
  const ids = matches.map(({ id }) => id);
  const revoked = await deleteApprovals(db, installationId, ids);
  return revoked.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id)).map(toGrantView);
}

/** Returns a saved approval as clients see it. */
export function toGrantView(row: Approval): Grant {
  return {
    id: row.id,
    scope: row.conversation_id === null ? "always" : "session",
    tool: row.tool,
    words: row.words,
    ...(row.account === null ? {} : { account: row.account }),
    ...(row.conversation_id === null ? {} : { session_id: row.conversation_id }),
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
  };
}

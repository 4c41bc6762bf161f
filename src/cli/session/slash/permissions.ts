import { Problem } from "#protocol/errors";
import { APPROVAL_COLUMNS, approvalRow, NO_APPROVAL, revokeAsked, revokedText } from "../../approvals.ts";
import { allPending, NOTHING_PENDING, PENDING_COLUMNS, pendingRows } from "../../ask/pending.ts";
import { changePolicy, knownMode, NO_POLICY, POLICY_COLUMNS, policyRow, policyText } from "../../policy.ts";
import type { SlashContext } from "./command.ts";
import { rowsText } from "./rows.ts";

/** `/policy`, `/policy TARGET`, `/policy TARGET MODE`. */
export async function policy(context: SlashContext, argument: string): Promise<void> {
  const { api } = context.link;
  const [target, mode, more] = argument.split(/\s+/).filter((word) => word !== "" && word !== "set" && word !== "get");
  if (more !== undefined) throw new Problem("USAGE", "/policy takes a target and a mode: /policy slack ask.");
  if (target !== undefined && mode !== undefined) {
    const known = knownMode(mode);
    await changePolicy(api, target, known);
    return context.say(policyText(target, known));
  }
  const all = await api.policies();
  const shown = all.filter((each) => target === undefined || each.target === target);
  context.say(shown.length === 0 ? NO_POLICY : rowsText(context, POLICY_COLUMNS, shown.map(policyRow)));
}

/** `/approvals`, `/approvals revoke ID`. */
export async function approvals(context: SlashContext, argument: string): Promise<void> {
  const { api } = context.link;
  const [verb = "list", id] = argument.split(/\s+/).filter(Boolean);
  if (verb === "revoke" && id !== undefined) return context.say(revokedText(await revokeAsked(api, id, context.ask)));
  if (verb !== "list") throw new Problem("USAGE", "It is /approvals, or /approvals revoke ID.");
  const all = await api.approvals();
  context.say(all.length === 0 ? NO_APPROVAL : rowsText(context, APPROVAL_COLUMNS, all.map(approvalRow)));
}

/** `/pending`. */
export async function pending(context: SlashContext): Promise<void> {
  const all = await allPending(context.link);
  const rows = pendingRows(context.kay, all);
  context.say(rows.length === 0 ? NOTHING_PENDING : rowsText(context, PENDING_COLUMNS, rows));
}

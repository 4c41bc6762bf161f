import { Problem } from "#protocol/errors";
import {
  APPROVAL_COLUMNS,
  confirmAndRevoke,
  formatRevoked,
  NO_APPROVALS_TEXT,
  toApprovalRow,
} from "../../commands/approvals/run.ts";
import { fetchModel, formatModel, formatModelTest, toModelProblem } from "../../commands/model/run.ts";
import {
  listPendingRequests,
  NOTHING_PENDING_TEXT,
  PENDING_COLUMNS,
  toPendingRows,
} from "../../commands/pending/run.ts";
import {
  changePolicy,
  formatPolicy,
  NO_POLICIES_TEXT,
  POLICY_COLUMNS,
  parsePolicyMode,
  toPolicyRow,
} from "../../commands/policy/run.ts";
import type { SlashContext } from "./command.ts";
import { formatRows } from "./command.ts";

/** `/policy`, `/policy TARGET`, `/policy TARGET MODE`. */
export async function runPolicy(context: SlashContext, argument: string): Promise<void> {
  const { api } = context.link;
  const [target, mode, more] = argument.split(/\s+/).filter((word) => word !== "" && word !== "set" && word !== "get");
  if (more !== undefined) throw new Problem("USAGE", "/policy takes a target and a mode: /policy slack ask.");
  if (target !== undefined && mode !== undefined) {
    const known = parsePolicyMode(mode);
    await changePolicy(api, target, known);
    return context.say(formatPolicy(target, known));
  }
  const all = await api.policies();
  const shown = all.filter((each) => target === undefined || each.target === target);
  context.say(shown.length === 0 ? NO_POLICIES_TEXT : formatRows(context, POLICY_COLUMNS, shown.map(toPolicyRow)));
}

/** `/approvals`, `/approvals revoke ID`. */
export async function runApprovals(context: SlashContext, argument: string): Promise<void> {
  const { api } = context.link;
  const [verb = "list", id] = argument.split(/\s+/).filter(Boolean);
  if (verb === "revoke" && id !== undefined)
    return context.say(formatRevoked(await confirmAndRevoke(api, id, context.ask)));
  if (verb !== "list") throw new Problem("USAGE", "It is /approvals, or /approvals revoke ID.");
  const all = await api.approvals();
  context.say(all.length === 0 ? NO_APPROVALS_TEXT : formatRows(context, APPROVAL_COLUMNS, all.map(toApprovalRow)));
}

/** `/pending`. */
export async function runPending(context: SlashContext): Promise<void> {
  const all = await listPendingRequests(context.link);
  const rows = toPendingRows(context.kay, all);
  context.say(rows.length === 0 ? NOTHING_PENDING_TEXT : formatRows(context, PENDING_COLUMNS, rows));
}

/** `/model`, `/model test`. */
export async function runModel({ kay, link, say }: SlashContext, argument: string): Promise<void> {
  if (argument === "test") return say(formatModelTest(await link.api.testModel({ signal: kay.signal })));
  if (argument !== "")
    throw new Problem("USAGE", "It is /model, or /model test.", {
      hint: "Another model is chosen with `kay config set model`.",
    });
  const found = await fetchModel(kay, link);
  const { text, warning } = formatModel(kay, found, link);
  say(warning === undefined ? text : `${text}\n${warning}`);
  if (found.problem) throw toModelProblem(found);
}

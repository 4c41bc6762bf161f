import type { CheckedCall, GateResult } from "#agent/calls/checked-call";
import { formatAccountChange } from "#agent/calls/run-tool";
import type { Outcome, Wait } from "#agent/events";
import { DENIAL_TEXT } from "#agent/limits";
import type { Account } from "#connectors/oauth";
import { clean } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import type { InteractionResponse } from "#protocol/interactions";
import { rememberGrant } from "../../approvals/grants.ts";
import { hashAccount } from "../../approvals/scope.ts";
import { settleCallSql } from "../../store/calls.ts";
import { findInteractionAt, type StoredInteraction } from "../../store/interactions.ts";
import { AFTER_CALL, BEFORE_CALL, type CallContext, toAsker } from "./call-context.ts";
import { ensureInteraction, toWait } from "./interact.ts";
import { describeTarget, findEdit, findQuestion, findTargetChange } from "./late-check.ts";
import { askAnew, askFirst, decide, toPreview } from "./questions.ts";
import { toStoredRun } from "./stored-outcomes.ts";

/**
 * Decides whether a call runs. Once the user has been asked, the answer decides, even if policies or approvals have
 * changed.
 *
 * @throws Problem ACCOUNT_MISMATCH when another account was connected since the question
 */
export async function gateCall(
  context: CallContext,
  call: CheckedCall,
  account: Account | undefined,
): Promise<GateResult> {
  const run: GateResult = { kind: "run", input: call.parsed };
  if (context.progress().approval === "granted" || call.tool.own) return run;
  const question =
    context.closed.get(call.toolCallId) ??
    (context.asked.has(call.toolCallId)
      ? await findQuestion(context.ports.db, context.row.id, call.toolCallId)
      : undefined);
  const interaction = question ?? (await askFirst(context, call, account));
  if ("allowed" in interaction) return { ...run, ...interaction };
  if (interaction.status === "open") return { kind: "wait", wait: toWait(interaction) };
  const { response } = interaction;
  if (interaction.status !== "answered" || response === null)
    return { kind: "denied", reason: describeNoAnswer(interaction.status) };
  if (response.action !== "approve") return { kind: "denied", reason: getReason(response) };
  const change = getAccountChange(interaction, call, account);
  // No user denied it: for a script, it is a failed write.
  if (change !== undefined) throw new Problem("ACCOUNT_MISMATCH", change, { hint: "" });
  const targetChange = await findTargetChange(context, call, account, interaction);
  if (targetChange)
    return {
      kind: "wait",
      wait: toWait(await askAnew(context, call, account, { question: interaction, ...targetChange })),
    };
  return await readApproval(context, call, account, interaction, response);
}

/** Returns why an approval does not count: the connected account is not the one on the card. */
function getAccountChange(
  { request }: StoredInteraction,
  { tool }: CheckedCall,
  account: Account | undefined,
): string | undefined {
  const { account: shownAccount, account_id: id } = request.preview ?? {};
  if (id === undefined || (account && hashAccount(account) === id)) return undefined;
  return formatAccountChange(tool.title, shownAccount ?? "another account", account?.words ?? "no account");
}

/** Runs an approved call as it was shown, or exactly as it was edited. A saved approval covers what runs. */
async function readApproval(
  context: CallContext,
  call: CheckedCall,
  account: Account | undefined,
  { request, ordinal }: StoredInteraction,
  { edited_args: editedArgs, approval_scope: scope = "once" }: InteractionResponse,
): Promise<GateResult> {
  const edited =
    ordinal === BEFORE_CALL ? editedArgs : await findEdit(context.ports.db, context.row.id, call.toolCallId);
  const input = edited ? call.tool.parse(edited) : call.parsed;
  const { installation_id: installationId, conversation_id: conversationId } = context.row;
  if (scope !== "once") {
    const { offer } = await decide(context, { ...call, parsed: input }, account);
    const target = edited ? await describeTarget({ ...call, parsed: input }, account) : request.preview?.target;
    const shownWords = request.approval_scopes?.find((offered) => offered.scope === scope)?.words;
    // A saved approval covers what the card said, or the user's edit of it.
    if (offer.scopes.some((offered) => offered.scope === scope && (edited || offered.words === shownWords)))
      await rememberGrant(context.ports, { installationId, conversationId, scope, offer, target });
  }
  const { target } = request.preview ?? {};
  return { kind: "run", input, ...(edited ? { edited: true } : target ? { target } : {}) };
}

/** Holds the result of a tool with `confirm_after_execution` until the user has reviewed it. */
export async function gateResult(context: CallContext, call: CheckedCall, outcome: Outcome): Promise<Outcome | Wait> {
  if (!("output" in outcome) || call.tool.own) return outcome;
  // A result under review is already stored.
  const isStored = context.ran.has(call.toolCallId);
  const review = isStored
    ? await findInteractionAt(context.ports.db, context.row.id, call.toolCallId, AFTER_CALL)
    : undefined;
  if (review === undefined && !(await needsReview(context, call))) return outcome;
  await storeRun(context, outcome);
  const asker = toAsker(context, call);
  const interaction = await ensureInteraction(asker, AFTER_CALL, {
    type: "approval",
    prompt: `${call.summary}. Use the result?`,
    preview: { ...toPreview(context, call, undefined), result: clean(outcome.output.text) },
    approvalScopes: [{ scope: "once", words: "use the result" }],
  }).catch((error: unknown) => {
    // No client can review it now. The call has run in any case, and the answer says so.
    if (error instanceof Problem && error.code === "INTERACTION_UNAVAILABLE") return undefined;
    throw error;
  });
  if (interaction === undefined) return outcome;
  if (interaction.status === "open") return toWait(interaction);
  if (interaction.response?.action === "approve") return outcome;
  const reason = interaction.response ? getReason(interaction.response) : describeNoAnswer(interaction.status);
  const words = `It was done (${call.summary}), but the user does not want to use the result: ${reason}`;
  return { call: outcome.call, problem: new Problem("DENIED", words, { hint: "" }) };
}

/** Whether the user must review the result: only the tool or its arguments can require it. */
async function needsReview(context: CallContext, call: CheckedCall): Promise<boolean> {
  const { tool, parsed } = call;
  if (![tool.mode, tool.chooseMode?.(parsed)].includes("confirm_after_execution")) return false;
  // The call has run, so it does not matter if its service was disconnected since then.
  const account = await tool.ready?.().catch(() => undefined);
  return (await decide(context, call, account)).mode === "confirm_after_execution";
}

/** Stores the result for the model, so that the tool does not run again. */
async function storeRun({ writer, ran }: CallContext, outcome: Outcome): Promise<void> {
  const { toolCallId } = outcome.call;
  if (ran.has(toolCallId)) return;
  await writer.commit([], { rows: [settleCallSql(toolCallId, toStoredRun(outcome))] });
  ran.set(toolCallId, outcome);
}

function getReason({ reason, client }: InteractionResponse): string {
  const clientText = client ? ` (${clean(client, { lines: false })})` : "";
  return reason ? `${DENIAL_TEXT}: ${clean(reason)}${clientText}` : `${DENIAL_TEXT}${clientText}.`;
}

function describeNoAnswer(status: string): string {
  return status === "expired"
    ? "No answer before the deadline, so it was not run."
    : "The request was canceled before it was answered.";
}

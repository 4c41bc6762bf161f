import { randomBytes } from "node:crypto";
import type { Allowance, CheckedCall } from "#agent/calls/checked-call";
import type { Wait } from "#agent/events";
import type { InteractionPrompt } from "#connectors/interaction";
import type { Account } from "#connectors/oauth";
import { Problem } from "#protocol/errors";
import type { CallNotes } from "#protocol/input-fields";
import type { Preview } from "#protocol/interactions";
import { type CallQuestion, type Decision, decideCall, toSentence } from "../../approvals/decide.ts";
import { listChosenFields } from "../../approvals/foreign-fields.ts";
import { hashAccount } from "../../approvals/scope.ts";
import type { TurnLimits } from "../../store/generation-state.ts";
import type { StoredInteraction } from "../../store/interactions.ts";
import type { ClaimedGeneration } from "../work.ts";
import { BEFORE_CALL, BEFORE_CALL_ANEW, type CallContext, toAsker } from "./call-context.ts";
import { findNewDestinations, readCallNotes } from "./call-notes.ts";
import { openInteraction, openInteractions, toWait } from "./interact.ts";
import { describeTarget, findEdit, type TargetChange } from "./late-check.ts";
import { traceFields } from "./provenance.ts";

/**
 * Asks for approval if the call needs it. Otherwise returns what allowed the call.
 *
 * @throws Problem when the call cannot succeed, before the user is asked
 */
export async function askFirst(
  context: CallContext,
  call: CheckedCall,
  account: Account | undefined,
): Promise<StoredInteraction | { allowed: Allowance | undefined }> {
  const decision = await decide(context, call, account);
  if (!isAsked(context, call, decision)) return { allowed: await recordAllowance(context, call, decision, account) };
  return await openInteraction(
    toAsker(context, call),
    BEFORE_CALL,
    await writeQuestion(context, call, account, decision),
  );
}

/**
 * Asks about several writes of a step as one plan: all questions are stored and sent together, or none. Each is a
 * separate approval. A call whose service is not connected, that was asked before, or that names what does not exist
 * (yet), is left to its turn.
 */
export async function askTogether(context: CallContext, calls: CheckedCall[]): Promise<Wait[]> {
  if (context.progress().approval === "granted") return [];
  const prompts = await Promise.all(
    calls.map(async (call) => {
      if (call.tool.own || context.asked.has(call.toolCallId)) return [];
      const connection = await (call.tool.ready?.() ?? Promise.resolve(undefined)).then(
        (account) => ({ account }),
        () => undefined,
      );
      const decision = connection && (await decide(context, call, connection.account, { peek: true }));
      if (!decision || !isAsked(context, call, decision)) return [];
      try {
        return [{ call, prompt: await writeQuestion(context, call, connection.account, decision) }];
      } catch (error) {
        if (error instanceof Problem) return [];
        throw error;
      }
    }),
  );
  const questions = prompts.flat();
  const id = `plan_${randomBytes(8).toString("hex")}`;
  const requests = questions.map(({ call, prompt }, index) => ({
    asker: toAsker(context, call),
    ordinal: BEFORE_CALL,
    prompt,
    ...(questions.length > 1 ? { plan: { id, n: index + 1, of: questions.length } } : {}),
  }));
  const interactions = await openInteractions(requests).catch((error: unknown) => {
    // This then becomes the outcome of each call.
    if (error instanceof Problem && error.code === "INTERACTION_UNAVAILABLE") return [];
    throw error;
  });
  return interactions.map(toWait);
}

/** Under `confirm` every call is asked, in plan mode every call but reads. Otherwise the decision counts. */
function isAsked({ request }: CallContext, { access }: CheckedCall, { mode, grant }: Decision): boolean {
  const isBound = request.confirm && !(request.plan && access === "read");
  return isBound || (mode === "confirm_before_execution" && grant === undefined);
}

async function writeQuestion(
  context: CallContext,
  call: CheckedCall,
  account: Account | undefined,
  decision: Decision,
): Promise<InteractionPrompt> {
  const notes = await readCallNotes(context.ports, context.row.installation_id, call, account, { mustExist: true });
  const why = decision.guarded ? { why: toSentence(decision.why) } : {};
  return toQuestion(context, call, account, { decision, preview: { ...notes, ...why } });
}

/** Asks again for an approval because the target changed since the question. */
export async function askAnew(
  context: CallContext,
  call: CheckedCall,
  account: Account | undefined,
  { question, target, why }: TargetChange & { question: StoredInteraction },
): Promise<StoredInteraction> {
  context.closed.delete(call.toolCallId);
  const { request } = question;
  const edited = await findEdit(context.ports.db, context.row.id, call.toolCallId);
  const parsed = edited && call.tool.parse(edited);
  const checked = parsed ? { ...call, parsed, summary: call.tool.summary(parsed) } : call;
  const decision = await decide(context, checked, account);
  const ordinal = Math.max(question.ordinal + 1, BEFORE_CALL_ANEW);
  const newDestinations = request.preview?.new_destinations;
  const preview = {
    why,
    ...(target ? { target } : {}),
    ...(newDestinations ? { new_destinations: newDestinations } : {}),
  };
  return await openInteraction(
    toAsker(context, call),
    ordinal,
    toQuestion(context, checked, account, { decision, preview }),
  );
}

function toQuestion(
  context: CallContext,
  call: CheckedCall,
  account: Account | undefined,
  { decision, preview }: { decision: Decision; preview: CallNotes & { why?: string } },
): InteractionPrompt {
  return {
    type: "approval",
    prompt: call.summary,
    preview: { ...toPreview(context, call, account), ...preview },
    editable: true,
    approvalScopes: decision.offer.scopes,
  };
}

/** Records which entry of the caller's list allowed a call, and its account, for the receipt. */
export async function recordAllowance(
  { advance }: Pick<ClaimedGeneration, "advance">,
  { toolCallId }: CheckedCall,
  { allowed: allowed_by }: Decision,
  account: Account | undefined,
): Promise<Allowance | undefined> {
  if (allowed_by === undefined) return undefined;
  const allowance = { allowed_by, ...(account ? { account: account.words } : {}) };
  await advance({ type: "allowed", toolCallId, allowance });
  return allowance;
}

/** Decides about a call of a generation that can ask. In plan mode nothing is approved for longer than once. */
export async function decide(
  context: CallContext,
  call: CheckedCall,
  account: Account | undefined,
  { peek = false } = {},
): Promise<Decision> {
  const { ports, request } = context;
  const facts = context.facts.current();
  const decision = await decideCall(ports, {
    ...toCallQuestion(context, call, account),
    writes: "confirm_before_execution",
    peek,
    ...(facts ? { facts } : {}),
  });
  if (!request.plan) return decision;
  const scopes = decision.offer.scopes.filter(({ scope }) => scope === "once");
  return { ...decision, offer: { ...decision.offer, scopes } };
}

/** Builds the question whether a call of a generation may run. */
export function toCallQuestion(
  { ports, row, request, provenance }: Pick<CallContext, "ports" | "row" | "request" | "provenance">,
  call: CheckedCall,
  account: Account | undefined,
): Omit<CallQuestion, "writes"> {
  return {
    installationId: row.installation_id,
    conversationId: row.conversation_id,
    tool: call.tool,
    input: call.parsed,
    rawInput: call.input,
    provenance: provenance(),
    isModelChoice: request.call === undefined,
    allow: isAllowedAs(request.limits, call, account) ? (request.limits.allow ?? []) : [],
    readTarget: () => describeTarget(call, account),
    findNewDestinations: () => findNewDestinations(ports, row.installation_id, call),
    ...(account ? { account } : {}),
  };
}

/** Whether the caller's list was made for this account. A schedule keeps its list if another account is connected later. */
function isAllowedAs({ allowedAs }: TurnLimits, { tool }: CheckedCall, account: Account | undefined): boolean {
  return allowedAs === undefined || (account !== undefined && allowedAs[tool.service] === hashAccount(account));
}

/** Builds the preview of a call: its summary and each field. */
export function toPreview(
  { provenance }: Pick<CallContext, "provenance">,
  call: CheckedCall,
  account: Account | undefined,
): Preview {
  return {
    summary: call.summary,
    service: call.tool.service,
    access: call.access,
    ...(account ? { account: account.words, account_id: hashAccount(account) } : {}),
    fields: traceFields(call.parsed, provenance(), listChosenFields(call.tool.schema, call.input, provenance())),
  };
}

import type { CheckedCall } from "#agent/calls/checked-call";
import { UNATTENDED_CONTEXT } from "#agent/tool";
import type { Account } from "#connectors/oauth";
import { cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { isSameObject, listTargetIds, UNREADABLE } from "../../approvals/scope.ts";
import type { BackendPorts } from "../../ports.ts";
import { findApprovedPlan } from "../../store/confirmations.ts";
import { findNewestInteraction, listInteractions, type StoredInteraction } from "../../store/interactions.ts";
import type { DbConnection } from "../../store/schema.ts";
import { BEFORE_CALL, BEFORE_CALL_ANEW, type CallContext, isBeforeCall } from "./call-context.ts";

/** Time limit for describing the target of a call, in ms. */
const TARGET_LIMIT = 5_000;

/** Time in ms after which an approval counts only for exactly the described target. */
const LATE_MS = 5 * 60_000;

/** Most characters of a description. The ID is often at its end. */
const LONGEST = 200;
const LONGEST_END = 80;

/** The current target of a call, and why it needs another approval. */
export type TargetChange = { target: string | undefined; why: string };

/**
 * Describes what a call reaches. If the lookup fails, the card says so.
 *
 * @param mustExist whether a target that does not exist is an error
 * @throws Problem the call's own, when the lookup shows that it cannot succeed
 */
export async function describeTarget(
  { tool, parsed, toolCallId }: CheckedCall,
  account: Account | undefined,
  { mustExist = false } = {},
): Promise<string | undefined> {
  if (!tool.describeTarget) return undefined;
  const signal = AbortSignal.timeout(TARGET_LIMIT);
  const context = { ...UNATTENDED_CONTEXT, toolCallId, signal, report: () => {}, ...(account ? { account } : {}) };
  const target = await tool.describeTarget(parsed, context).catch((error: unknown) => {
    if (mustExist && isHopeless(error)) throw error;
    const reason = error instanceof Problem && !signal.aborted ? ` (${error.message.replace(/\.$/, "")})` : "";
    return `${UNREADABLE}${reason}`;
  });
  return shorten(cleanLine(target)) || undefined;
}

/** Whether a call fails in any case: its values name nothing, or the service has no such object. */
function isHopeless(error: unknown): error is Problem {
  if (!(error instanceof Problem)) return false;
  const { service_status: status } = error.details ?? {};
  return error.code === "INVALID_REQUEST" || status === 404 || status === 410;
}

/**
 * Reads again what an approved call reaches, and returns what changed since the question. Soon after the question only
 * another object counts: a name can stand for another one by then, also by an earlier write of the same plan. Long
 * after it, or at another node, every change counts.
 */
export async function findTargetChange(
  { ports }: Pick<CallContext, "ports">,
  call: CheckedCall,
  account: Account | undefined,
  { request, node, created_at }: StoredInteraction,
): Promise<TargetChange | undefined> {
  const shownTarget = request.preview?.target;
  if (shownTarget === undefined || !call.tool.describeTarget) return undefined;
  const isHere = node === null || node === (await ports.node.number());
  const isSoon = isHere && ports.clock.now() - created_at.getTime() <= LATE_MS;
  if (isSoon && listTargetIds(shownTarget).length === 0) return undefined;
  const currentTarget = await describeTarget(call, account);
  if (
    currentTarget === shownTarget ||
    (isSoon && (!currentTarget || isSameObject(currentTarget, listTargetIds(shownTarget))))
  )
    return undefined;
  const target = currentTarget?.startsWith(UNREADABLE) ? undefined : currentTarget;
  const why =
    target === undefined
      ? `The target can no longer be read. Before: ${shownTarget}.`
      : `The target changed since the question. Before: ${shownTarget}. Now: ${target}.`;
  return { target, why };
}

/**
 * Creates the check of calls that a confirmation approved: each must still reach the object that was shown.
 *
 * @throws from the check: Problem DENIED
 */
export function createTargetCheck(
  { db }: Pick<BackendPorts, "db">,
  generationId: string,
): (call: CheckedCall) => Promise<void> {
  let plan: Promise<unknown> | undefined;
  return async (call) => {
    plan ??= findApprovedPlan(db, generationId);
    const { targets = {} } = Object(await plan) as { targets?: Record<string, string> };
    const shownTarget = targets[call.toolCallId];
    if (shownTarget === undefined || listTargetIds(shownTarget).length === 0) return;
    const currentTarget = await describeTarget(call, await call.tool.ready?.());
    if (!currentTarget || isSameObject(currentTarget, listTargetIds(shownTarget))) return;
    const words = `Nothing was sent: the target changed since you approved it. Before: ${shownTarget}. Now: ${currentTarget}.`;
    throw new Problem("DENIED", words, { hint: "Ask again." });
  };
}

function shorten(line: string): string {
  const characters = Array.from(line);
  if (characters.length <= LONGEST) return line;
  return `${characters.slice(0, LONGEST - LONGEST_END - 1).join("")}…${characters.slice(-LONGEST_END).join("")}`;
}

/** Returns kay's newest question before a call. */
export function findQuestion(
  db: DbConnection,
  generationId: string,
  toolCallId: string,
): Promise<StoredInteraction | undefined> {
  return findNewestInteraction(db, { generationId, toolCallId }, { place: BEFORE_CALL, from: BEFORE_CALL_ANEW });
}

/** Returns the arguments of a call as the user last edited them, in any of the questions before it. */
export async function findEdit(
  db: DbConnection,
  generationId: string,
  toolCallId: string,
): Promise<Record<string, unknown> | undefined> {
  const questions = (await listInteractions(db, generationId))
    .filter((question) => question.tool_call_id === toolCallId && isBeforeCall(question.ordinal))
    .sort((a, b) => a.ordinal - b.ordinal);
  return questions.findLast(({ response }) => response?.edited_args)?.response?.edited_args;
}

import type { CheckedCall } from "#agent/calls/checked-call";
import { UNATTENDED_CONTEXT } from "#agent/tool";
import type { Account } from "#connectors/oauth";
import { cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { findNewestInteraction, listInteractions, type StoredInteraction } from "../../store/interactions.ts";
import type { DbConnection } from "../../store/schema.ts";
import { BEFORE_CALL, BEFORE_CALL_ANEW, type CallContext, isBeforeCall } from "./call-context.ts";

/** Milliseconds that a card waits for the description of what its call reaches. */
const TARGET_LIMIT = 5_000;

const UNREADABLE = "could not be looked up";

/** Milliseconds after which an approval is checked before its call runs. */
const LATE_MS = 5 * 60_000;

/** What a call reaches now, and why it is asked for again. */
export type TargetChange = { target: string | undefined; why: string };

/** Describes what a call reaches. A card that says that it could not be looked up is better than none. */
export async function describeTarget(
  { tool, parsed, toolCallId }: CheckedCall,
  account: Account | undefined,
): Promise<string | undefined> {
  if (!tool.describeTarget) return undefined;
  const signal = AbortSignal.timeout(TARGET_LIMIT);
  const context = { ...UNATTENDED_CONTEXT, toolCallId, signal, report: () => {}, ...(account ? { account } : {}) };
  const target = await tool.describeTarget(parsed, context).catch((error: unknown) => {
    const reason = error instanceof Problem && !signal.aborted ? ` (${error.message.replace(/\.$/, "")})` : "";
    return `${UNREADABLE}${reason}`;
  });
  return cleanLine(target, 200) || undefined;
}

/**
 * Reads again what an approved call reaches, if it runs long after the question or at another node. Returns
 * what changed since the question.
 */
export async function findTargetChange(
  { ports }: Pick<CallContext, "ports">,
  call: CheckedCall,
  account: Account | undefined,
  { request, node, created_at }: StoredInteraction,
): Promise<TargetChange | undefined> {
  const before = request.preview?.target;
  if (before === undefined || !call.tool.describeTarget) return undefined;
  const isHere = node === null || node === (await ports.node.number());
  if (isHere && ports.clock.now() - created_at.getTime() <= LATE_MS) return undefined;
  const now = await describeTarget(call, account);
  if (now === before) return undefined;
  const target = now?.startsWith(UNREADABLE) ? undefined : now;
  const why =
    target === undefined
      ? `What it is about can no longer be read. Before: ${before}.`
      : `What it is about changed since the question. Before: ${before}. Now: ${target}.`;
  return { target, why };
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
  const questions = (await listInteractions(db, generationId)).filter(
    (one) => one.tool_call_id === toolCallId && isBeforeCall(one.ordinal),
  );
  return questions.findLast(({ response }) => response?.edited_args)?.response?.edited_args;
}

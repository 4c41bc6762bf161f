import type { Call, Outcome } from "#agent/events";
import type { Provenance } from "../../approvals/provenance.ts";
import type { StoredInteraction } from "../../store/interactions.ts";
import type { CallFactsReader } from "../../tools/call-facts.ts";
import type { ClaimedGeneration } from "../work.ts";
import type { Asker } from "./interact.ts";

/** Ordinals of kay's own requests within a call. Those of the tool lie between them. */
export const BEFORE_CALL = 0;
export const DURING_CALL = 1;
export const AFTER_CALL = 10_000;
/** First ordinal of an approval that is asked again before the call. */
export const BEFORE_CALL_ANEW = 1_000_000;

/** The context that all calls of a generation share. */
export type CallContext = Omit<ClaimedGeneration, "advanceChange"> & {
  /** Returns who wrote the values of a call, from what the model has seen so far. */
  provenance(): Provenance;
  settled: Map<string, Outcome>;
  /** Calls that have run and still need a review. */
  ran: Map<string, Outcome>;
  /** By call: kay's latest question before it, if that has ended. The result does not change, so it is read once. */
  closed: Map<string, StoredInteraction>;
  /** Calls that the user was asked about. Only the node that works on a generation asks, so it knows them all. */
  asked: Set<string>;
  facts: CallFactsReader;
  onChange(again: () => void): () => void;
};

/** Whether kay asks at this place before the call. */
export function isBeforeCall(ordinal: number): boolean {
  return ordinal === BEFORE_CALL || ordinal >= BEFORE_CALL_ANEW;
}

/** Returns the asker of a call's requests. */
export function toAsker(
  {
    ports,
    writer,
    row,
    request,
    asked,
    facts,
  }: Pick<ClaimedGeneration, "ports" | "writer" | "row" | "request"> & Partial<Pick<CallContext, "asked" | "facts">>,
  { toolCallId, toolName }: Pick<Call, "toolCallId" | "toolName">,
): Asker {
  return {
    ports,
    writer,
    installationId: row.installation_id,
    conversationId: row.conversation_id,
    generationId: row.id,
    toolCallId,
    toolName,
    asks: request.mode === "stream",
    approvalTimeout: request.approvalTimeout,
    ...(asked ? { asked } : {}),
    ...(facts ? { facts } : {}),
  };
}

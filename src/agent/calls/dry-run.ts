import { isReadRequest } from "#connectors/http/target";
import type { Account } from "#connectors/oauth";
import type { ServiceHttp } from "#connectors/service-http";
import { Problem } from "#protocol/errors";
import type { Planned } from "#protocol/interactions";
import type { AgentEvent, Outcome } from "../events.ts";
import type { CheckedCall } from "./checked-call.ts";

/** Returns what a call would do if the dry run blocks it, or undefined if the call may run. */
export type DryRun = (call: CheckedCall, account: Account | undefined) => Promise<Planned | undefined>;

/**
 * Returns the outcome of a blocked call. The model learns that nothing was sent; clients see what would have been sent.
 */
export function toPlannedOutcome(
  { toolCallId, toolName, input }: CheckedCall,
  planned: Planned,
  push: (event: AgentEvent) => void,
): Outcome {
  const { tool, summary } = planned;
  push({ type: "data-planned", id: toolCallId, data: planned });
  push({ type: "data-receipt", data: { tool_call_id: toolCallId, tool, effect: "planned", summary } });
  const text = `${NOT_SENT} Planned call: ${summary}.`;
  return { call: { toolCallId, toolName, input }, output: { from: "kay", text, data: null, planned } };
}

/** Creates the error for a write that a tool attempts during a dry run. */
export function notSentProblem(summary: string): Problem {
  return new Problem("DENIED", `${NOT_SENT} Blocked call: ${summary}.`, { hint: "" });
}

/** Lets only reads through, whatever access the tool declares. */
export function restrictToReads(http: ServiceHttp, summary: string): ServiceHttp {
  return {
    ...http,
    request: async (request) => {
      if (!isReadRequest(request)) throw notSentProblem(summary);
      return await http.request(request);
    },
  };
}

const NOT_SENT = "Dry run: nothing was sent.";

import type { Account, ServiceHttp } from "#connectors/service";
import { Problem } from "#protocol/errors";
import type { Planned } from "#protocol/events";
import type { CheckedCall } from "./calls.ts";
import type { AgentEvent, Outcome } from "./events.ts";

/** What a call would do, where a dry run keeps it from being made; undefined where it may be made. */
export type DryRun = (call: CheckedCall, account: Account | undefined) => Promise<Planned | undefined>;

/** How a call that was not made ends: the model is told that nothing was sent, and whoever follows sees what would have been. */
export function toPlannedOutcome(
  { toolCallId, toolName, input }: CheckedCall,
  planned: Planned,
  push: (event: AgentEvent) => void,
): Outcome {
  const { tool, summary } = planned;
  push({ type: "data-planned", id: toolCallId, data: planned });
  push({ type: "data-receipt", data: { tool_call_id: toolCallId, tool, effect: "planned", summary } });
  const text = `${NOT_SENT} It would: ${summary}.`;
  return { call: { toolCallId, toolName, input }, output: { from: "kay", text, data: null, planned } };
}

/** The same, found out where only reads can leave: whatever led there, nothing is sent. */
export function notSentProblem(summary: string): Problem {
  return new Problem("DENIED", `${NOT_SENT} It was: ${summary}.`, { hint: "" });
}

/** Lets reads through and nothing else, whatever a tool says of itself. */
export function restrictToReads(http: ServiceHttp, summary: string): ServiceHttp {
  return {
    ...http,
    request: async (request) => {
      if ((request.method ?? "GET") !== "GET" && request.reads !== true) throw notSentProblem(summary);
      return await http.request(request);
    },
  };
}

const NOT_SENT = "This is a dry run: it was not sent.";

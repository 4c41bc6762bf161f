import type { Interactive } from "#connectors/interaction";
import type { Account } from "#connectors/oauth";
import type { Access } from "#connectors/tool";
import type { Problem } from "#protocol/errors";
import type { AgentEvent, Call, HeldCall, Outcome, Wait } from "../events.ts";
import type { AgentTool } from "../tool.ts";

/** A call with its tool and validated input. */
export type CheckedCall = Omit<HeldCall, "service"> & { tool: AgentTool };

export type RejectedCall = { call: Call; access?: Access; problem: Problem };

/** Returns the call as the model made it, whether it was accepted or rejected. */
export function toCall(call: CheckedCall | RejectedCall): Call {
  if ("problem" in call) return call.call;
  const { toolCallId, toolName, input } = call;
  return { toolCallId, toolName, input };
}

/** The caller's rule that allows a call without asking, and the account the call runs as. */
export type Allowance = { allowed_by: string; account?: string };

/** Whether a call may run, and with which input. `target` is the target that the approval named. */
export type GateResult =
  | { kind: "run"; input: Record<string, unknown>; edited?: boolean; target?: string; allowed?: Allowance }
  | { kind: "denied"; reason: string }
  | { kind: "wait"; wait: Wait };

/** How the calls of a step reach the user. Without it, calls run immediately and a missing connection is a result. */
export type CallPorts = {
  /** Returns the outcome if an earlier run of this step finished the call. */
  findOutcome(toolCallId: string): Outcome | undefined;
  /** Returns the outcome of a call that has run but still needs the user's review. */
  findUnreviewedOutcome(toolCallId: string): Outcome | undefined;
  /** Returns the open requests by tool call ID. These calls are not tried. `tools`: the names of the tools that are called. */
  loadOpenRequests(tools: string[]): Promise<Map<string, Wait>>;
  /**
   * Asks about the writes of a step together, before the first of them runs. Calls that run unasked, or were asked
   * before, are left out.
   */
  askTogether(calls: CheckedCall[]): Promise<Wait[]>;
  /** Decides before each attempt whether the call may run. `account` is the account it would run as. */
  gate(call: CheckedCall, account: Account | undefined): Promise<GateResult>;
  /** Handles a missing connection: returns a wait, or the problem that ends the call. */
  handleMissingConnection(call: Call, integrations: string[], reason: string): Wait | Problem;
  /** Reviews the outcome of a call before the model sees it. */
  reviewOutcome(call: CheckedCall, outcome: Outcome): Promise<Outcome | Wait>;
  /** Returns how a tool talks to the user. `waiting` resolves when the tool has asked and the answer is still open. */
  attend(call: CheckedCall, push: (event: AgentEvent) => void): Interactive & { waiting: Promise<Wait> };
  /** Subscribes to changes that may unblock a waiting call. Returns the function that unsubscribes. */
  onChange(retry: () => void): () => void;
};

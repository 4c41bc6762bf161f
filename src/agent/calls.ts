import type { Interactive } from "#connectors/interaction";
import type { Account } from "#connectors/service";
import type { Problem } from "#protocol/errors";
import type { AgentEvent, Call, HeldCall, Outcome, Wait } from "./events.ts";
import type { AgentTool } from "./tool.ts";

/** A call with its tool and checked input, or why it cannot be run. */
export type CheckedCall = Omit<HeldCall, "service"> & { tool: AgentTool };

export type RejectedCall = { call: Call; problem: Problem };

/** What the caller of the turn allowed beforehand, and in whose name it is done. */
export type Allowance = { allowed_by: string; account?: string };

/** Whether a call may run, and with which input. */
export type GateResult =
  | { kind: "run"; input: Record<string, unknown>; edited?: boolean; allowed?: Allowance }
  | { kind: "denied"; reason: string }
  | { kind: "wait"; wait: Wait };

/** How the calls of a step meet people. Without it they run at once, and a missing connection is a result. */
export type CallPorts = {
  /** How a call ended before this run of the step, if it did. */
  settled(toolCallId: string): Outcome | undefined;
  /** What a call came to that has run, where a person is still to look at it. */
  ran(toolCallId: string): Outcome | undefined;
  /** What calls wait for whose requests are still open; these are not tried. */
  open(): Promise<Map<string, Wait>>;
  /** Asked before a call runs, each time anew. `account` is whose name it would run in. */
  gate(call: CheckedCall, account: Account | undefined): Promise<GateResult>;
  /** A connection is missing: whether it is waited for, or how the call ends. */
  missing(call: Call, integrations: string[], reason: string): Wait | Problem;
  /** Asked when a call ran, before the model sees what it came to. */
  after(call: CheckedCall, outcome: Outcome): Promise<Outcome | Wait>;
  /** What a tool speaks to people with; `waiting` resolves when it asked and there is no answer yet. */
  attend(call: CheckedCall, push: (event: AgentEvent) => void): Interactive & { waiting: Promise<Wait> };
  /** Called back whenever something that a call waits for may have come. */
  onChange(again: () => void): () => void;
};

import type { ModelMessage } from "ai";
import type { Access } from "#connectors/tool";
import type { AgentPart } from "#protocol/agent-parts";
import type { Receipt } from "#protocol/ask";
import type { Problem } from "#protocol/errors";
import type { Planned } from "#protocol/interactions";
import type { OutputMismatch } from "./output.ts";

/**
 * The events of the agent loop, in order. Names and fields follow the AI SDK's UI message stream (docs/protocol.md).
 * `held`, `step` and the `problem` of `error` stay inside the backend.
 */
export type AgentEvent =
  | { type: "start" }
  | { type: "start-step" }
  /** Parts that a remote agent server may send as well. */
  | Exclude<AgentPart, { type: "tool-output-available" }>
  | { type: "tool-input-start"; toolCallId: string; toolName: string }
  | { type: "tool-input-delta"; toolCallId: string; inputTextDelta: string }
  | { type: "tool-output-available"; toolCallId: string; output: ToolOutput }
  | { type: "tool-output-denied"; toolCallId: string; reason: string }
  | { type: "data-tool-log"; data: { tool_call_id: string; entries: { at?: string; text: string }[] } }
  | { type: "data-receipt"; data: Receipt }
  | { type: "data-notice"; data: { text: string } }
  | { type: "data-planned"; id: string; data: Planned }
  | { type: "finish-step" }
  /** The provider's count of a model call. Stays inside the backend. */
  | { type: "usage"; model: string; tokens: Tokens }
  /** The model's part of a step is complete. Must be stored before any of its calls runs. */
  | { type: "step-open"; step: OpenStep }
  /** A call has ended. Must be stored before its output is sent. */
  | { type: "outcome"; outcome: Outcome }
  /** Some calls wait for the user or a connection; the rest of the step is done. Always the last event. */
  | { type: "waiting"; waits: Wait[] }
  /**
   * The messages of a finished step: the model's, and one with all call results. Stored together or not at all.
   * `mismatch` is set for an answer that must be corrected; it leaves no message.
   */
  | { type: "step"; messages: ModelMessage[]; mismatch?: OutputMismatch }
  /**
   * The step needs the user's approval and none of its calls ran. `message` is the model's message to continue from.
   */
  | { type: "held"; message: ModelMessage; calls: HeldCall[] }
  /** Services that this step's calls need but that are not connected. */
  | { type: "auth-needed"; integrations: string[] }
  | { type: "finish"; finishReason: "stop" | "other" | "held" | "auth"; output?: { value: unknown } }
  | { type: "error"; errorText: string; problem: Problem }
  | { type: "abort" };

/** A step whose calls are running: the model's message and its calls. */
export type OpenStep = { message: ModelMessage; calls: Call[] };

/** How a call ended. */
export type Outcome =
  | { call: Call; output: ToolOutput }
  | { call: Call; problem: Problem }
  | { call: Call; denied: string };

/** Why a call waits. `expiresAt` is in ms since the epoch. */
export type Wait =
  | { kind: "approval" | "input"; toolCallId: string; expiresAt: number }
  | { kind: "auth"; toolCallId: string; integrations: string[]; reason: string };

/** A call as the model made it: kay's name for the tool and the unvalidated input. */
export type Call = { toolCallId: string; toolName: string; input: unknown };

/** A call that needs approval, with the details shown to the user. */
export type HeldCall = Call & { access: Access; summary: string; parsed: Record<string, unknown>; service: string };

/** A tool's output, marked with the service it came from. */
export type ToolOutput = {
  from: string;
  text: string;
  data: unknown;
  url?: string;
  /** The arguments after the user edited them. */
  edited?: Record<string, unknown>;
  /** The effect that the call would have had. Set in a dry run, where nothing is sent. */
  planned?: Planned;
  /** The same call was made before, so this one was not made. */
  repeated?: true;
};

/** Tokens that a model call used, if the provider reports them. */
export type Tokens = { input?: number; output?: number };

/**
 * Why a model stopped: at the end of its answer, at its output limit, because its provider's filter stopped it, because
 * it refuses, or because the stream ended in the middle.
 */
export type AnswerEnd = "whole" | "unanswered" | "length" | "filter" | "refusal" | "broken";

/** The result of one model call. */
export type StepResult =
  | { kind: "answer"; message: ModelMessage; text: string; calls: Call[]; end: AnswerEnd; tokens: Tokens }
  | { kind: "aborted" }
  | { kind: "failed"; problem: Problem };

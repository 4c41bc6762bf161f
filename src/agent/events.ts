import type { ModelMessage } from "ai";
import type { Access } from "#connectors/service";
import type { AgentPart } from "#protocol/agent-parts";
import type { Receipt } from "#protocol/ask";
import type { Problem } from "#protocol/errors";
import type { Planned } from "#protocol/events";
import type { OutputMismatch } from "./output.ts";

/**
 * What the loop yields, in order. Names and fields are those of the AI SDK's UI message stream (protocol section 2), so that a stream is
 * these events written out; `held`, `step` and the `problem` of `error` are for the backend itself.
 */
export type AgentEvent =
  | { type: "start" }
  | { type: "start-step" }
  /** What an agent server elsewhere may tell as well. */
  | Exclude<AgentPart, { type: "tool-output-available" }>
  | { type: "tool-input-start"; toolCallId: string; toolName: string }
  | { type: "tool-input-delta"; toolCallId: string; inputTextDelta: string }
  | { type: "tool-output-available"; toolCallId: string; output: ToolOutput }
  | { type: "tool-output-denied"; toolCallId: string; reason: string }
  | { type: "data-tool-log"; data: { tool_call_id: string; entries: { at?: string; text: string }[] } }
  | { type: "data-receipt"; data: Receipt }
  | { type: "data-planned"; id: string; data: Planned }
  | { type: "finish-step" }
  /** The model's part of a step is whole: to be stored before any of its calls runs. */
  | { type: "step-open"; step: OpenStep }
  /** A call is over: to be stored before its output is told. */
  | { type: "outcome"; outcome: Outcome }
  /** Calls of the step wait for a person or a connection; everything else of it is done. The last event. */
  | { type: "waiting"; waits: Wait[] }
  /**
   * The messages of a finished step: the model's, and one with the result of each of its calls. Stored together or not at all. `mismatch`: it
   * was an answer that is to be mended, and leaves no message.
   */
  | { type: "step"; messages: ModelMessage[]; mismatch?: OutputMismatch }
  /** The step needs a person's yes; nothing of it was run. `message` is the model's, to go on from. */
  | { type: "held"; message: ModelMessage; calls: HeldCall[] }
  /** Services that calls of this step need and that are not connected. */
  | { type: "auth-needed"; integrations: string[] }
  | { type: "finish"; finishReason: "stop" | "held" | "auth" | "length"; output?: { value: unknown } }
  | { type: "error"; errorText: string; problem: Problem }
  | { type: "abort" };

/** A step whose calls are under way: what the model said, with its calls. */
export type OpenStep = { message: ModelMessage; calls: Call[] };

/** How one call ended. */
export type Outcome =
  | { call: Call; output: ToolOutput }
  | { call: Call; problem: Problem }
  | { call: Call; denied: string };

/** What a call waits for. `expiresAt` in milliseconds. */
export type Wait =
  | { kind: "approval" | "input"; toolCallId: string; expiresAt: number }
  | { kind: "auth"; toolCallId: string; integrations: string[]; reason: string };

/** A call as the model made it: the tool's own name and what the model wrote as input. */
export type Call = { toolCallId: string; toolName: string; input: unknown };

/** A call that waits for a yes, with what the person is shown. */
export type HeldCall = Call & { access: Access; summary: string; parsed: Record<string, unknown>; service: string };

/** What a tool answered, marked with where it came from. */
export type ToolOutput = {
  from: string;
  text: string;
  data: unknown;
  url?: string;
  /** The arguments as a person changed them before they were sent. */
  edited?: Record<string, unknown>;
  /** A dry run: it was not sent, and this is what it would have done. */
  planned?: Planned;
};

/** Tokens that a call took, where its provider tells them. */
export type Tokens = { input?: number; output?: number };

/** What one model call came to. */
export type StepResult =
  | { kind: "answer"; message: ModelMessage; text: string; calls: Call[]; cut: boolean; tokens: Tokens }
  | { kind: "aborted" }
  | { kind: "failed"; problem: Problem };

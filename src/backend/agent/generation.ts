import type { ModelMessage } from "ai";
import type { Receipt } from "#protocol/ask";
import { Problem } from "#protocol/errors";
import { chooseModel } from "../models/choose.ts";
import type { BackendPorts } from "../ports.ts";
import { appendMessages } from "../store/conversations.ts";
import { receiptsOf } from "../store/effects.ts";
import { setGenerationStatus } from "../store/generations.ts";
import type { Generations } from "../store/schema.ts";
import type { AgentEvent, Call, HeldCall } from "./events.ts";
import { runAgent } from "./loop.ts";
import { toolbox } from "./toolbox.ts";

/** One answer to be made. */
export type Generation = {
  id: string;
  installationId: string;
  conversationId: string;
  /** The conversation so far, ending with the person's request. */
  history: ModelMessage[];
  signal: AbortSignal;
  holds(call: HeldCall): boolean;
  approved?: { message: ModelMessage; calls: Call[] };
};

/** What it came to. `failed` are the calls that did not work, in their order. */
export type GenerationResult = { receipts: Receipt[]; failed: Problem[] } & (
  | { kind: "answered"; text: string }
  | { kind: "held"; message: ModelMessage; calls: HeldCall[]; text: string }
  | { kind: "auth"; integrations: string[] }
  | { kind: "error"; problem: Problem }
  | { kind: "cancelled" }
);

/**
 * Make one answer: choose the model, run the loop, and store each step's messages as it ends, so that a conversation never holds a call
 * without its result. Never throws for what models and services do.
 */
export async function runGeneration(ports: BackendPorts, generation: Generation): Promise<GenerationResult> {
  const state: State = { end: { kind: "cancelled" }, text: "", failed: [] };
  try {
    for await (const event of await events(ports, generation)) await note(ports, generation, state, event);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    state.end = { kind: "error", problem: error };
  }
  const { end } = state;
  if (end.kind === "error")
    ports.log("warn", "generation_failed", { generation: generation.id, code: end.problem.code });
  await setGenerationStatus(ports.db, generation.id, STATUS[end.kind], ports.clock.now());
  const receipts = await receiptsOf(ports.db, generation.id);
  return { receipts, failed: state.failed, ...end };
}

type End =
  | { kind: "answered"; text: string }
  | { kind: "held"; message: ModelMessage; calls: HeldCall[]; text: string }
  | { kind: "auth"; integrations: string[] }
  | { kind: "error"; problem: Problem }
  | { kind: "cancelled" };

type State = { end: End; text: string; failed: Problem[] };

async function events(ports: BackendPorts, generation: Generation): Promise<AsyncIterable<AgentEvent>> {
  const { history, signal, holds, approved, id, installationId } = generation;
  const { model, label } = await chooseModel(ports.model(), ports);
  const tools = toolbox(ports, { installationId, generationId: id });
  return runAgent({ messages: history, tools, model, label, signal, holds, now: ports.clock.now(), approved });
}

async function note(ports: BackendPorts, generation: Generation, state: State, event: AgentEvent): Promise<void> {
  switch (event.type) {
    case "start-step":
      state.text = "";
      break;
    case "text-start":
      if (state.text !== "") state.text += "\n\n";
      break;
    case "text-delta":
      state.text += event.delta;
      break;
    case "tool-output-error":
      state.failed.push(failedCall(event.code, event.errorText));
      break;
    case "step":
      await appendMessages(ports.db, generation.conversationId, event.messages, ports.clock.now());
      break;
    case "held":
      state.end = { kind: "held", message: event.message, calls: event.calls, text: state.text };
      break;
    case "auth-needed":
      state.end = { kind: "auth", integrations: event.integrations };
      break;
    case "error":
      state.end = { kind: "error", problem: event.problem };
      break;
    case "finish":
      if (event.finishReason === "stop" || event.finishReason === "length") {
        state.end = { kind: "answered", text: state.text };
      }
  }
}

function failedCall(code: string, message: string): Problem {
  return new Problem(code === "OUTCOME_UNKNOWN" ? "OUTCOME_UNKNOWN" : "SERVICE_FAILED", message);
}

const STATUS: Record<End["kind"], Generations["status"]> = {
  answered: "completed",
  held: "awaiting_approval",
  auth: "error",
  error: "error",
  cancelled: "cancelled",
};

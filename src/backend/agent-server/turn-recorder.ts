import type { ModelMessage } from "ai";
import type { RawBuilder } from "kysely";
import type { AgentEvent, HeldCall, Outcome } from "#agent/events";
import { Problem } from "#protocol/errors";
import { toStoredOutcome } from "../generations/calls/stored-outcomes.ts";
import { hashReport } from "../generations/reports.ts";
import type { BackendPorts } from "../ports.ts";
import { addToOutbox, type NewReport } from "../store/agent-outbox.ts";
import { addReportIn } from "../store/agent-reports.ts";
import { changeTurn, type StoredTurn, type TurnChange } from "../store/agent-turns.ts";
import { insertCallsSql, settleCallSql } from "../store/calls.ts";
import { runHeldChange } from "../store/events.ts";
import { notifyGeneration } from "../store/generation-wakes.ts";
import type { DbConnection } from "../store/schema.ts";
import { runTransaction } from "../store/wake-ups.ts";
import { type AgentPart, createTextParts, toAgentPart, toReportedOutput } from "./parts.ts";

/** Thrown when another node has taken over the turn; this node must not write to it again. */
export class LostTurnError extends Error {}

type LoopEnd =
  | { kind: "finish"; reason: string }
  | { kind: "held"; calls: HeldCall[] }
  | { kind: "auth"; integrations: string[] }
  | { kind: "error"; problem: Problem }
  | { kind: "abort" };

export type TurnRecorder = {
  /**
   * Resolves once the event is stored.
   *
   * @throws LostTurnError when another node has taken over
   */
  take(event: AgentEvent): Promise<void>;
  /** Adds a text written by kay, not by the model. */
  say(text: string): void;
  /**
   * Stores the remaining reports, the final report and the change that ends the turn.
   *
   * @throws LostTurnError when another node has taken over
   */
  end(reports: NewReport["report"], change: TurnChange): Promise<void>;
  result(): LoopEnd;
};

type Recording = {
  ports: BackendPorts;
  turn: StoredTurn;
  node: number;
  /** Sends a part to the client that streams the turn. */
  emit(part: AgentPart): void;
  /** Called when reports are ready for delivery. */
  onReports(): void;
};

/**
 * Creates a recorder that stores each step together with its webhook reports in one transaction, before a call runs or
 * its output is streamed. So everything reported is stored, and everything stored is eventually reported.
 */
export function createTurnRecorder({ ports, turn, node, emit, onReports }: Recording): TurnRecorder {
  const { generation_id: id } = turn;
  const outcomes = new Map<string, Outcome>();
  const texts = createTextParts(emit);
  let messages = turn.messages as ModelMessage[];
  let stepCount = turn.steps;
  let result: LoopEnd = { kind: "abort" };

  const commit = async (reports: NewReport[], change: TurnChange, extraChange?: RawBuilder<unknown>) => {
    const now = ports.clock.now();
    await runTransaction(ports.db, async (tx) => {
      if (!(await changeTurn(tx, id, node, change))) throw new LostTurnError();
      if (extraChange) await runHeldChange(tx, id, extraChange);
      await addToOutbox(tx, id, reports, now);
      if (turn.own) await storeReports(tx, turn, reports, now);
    });
    if (reports.length > 0) onReports();
  };
  return {
    async take(event) {
      const part = toAgentPart(event);
      if (part) emit(part);
      switch (event.type) {
        case "text-start":
          return texts.begin(event.id, stepCount + 1);
        case "text-delta":
          return texts.add(event.id, event.delta);
        case "text-end":
          return texts.end(event.id);
        case "step-open": {
          const { step } = event;
          const calls = step.calls.map(({ toolCallId, toolName, input }) => ({
            key: `call ${toolCallId}`,
            report: { type: "tool-call", toolCallId, toolName, input: input ?? null },
          }));
          return await commit([...texts.take(), ...calls], { step }, insertCallsSql(stepCount + 1, step.calls));
        }
        case "outcome":
          outcomes.set(event.outcome.call.toolCallId, event.outcome);
          return;
        case "tool-output-available":
        case "tool-output-error":
        case "tool-output-denied": {
          const { toolCallId } = event;
          const outcome = outcomes.get(toolCallId);
          const toolName = outcome?.call.toolName ?? "tool";
          const output = toReportedOutput(event);
          const report = { type: "tool-result", toolCallId, toolName, output };
          const settleChange = outcome && settleCallSql(toolCallId, toStoredOutcome(outcome));
          await commit([{ key: `result ${toolCallId}`, report }], {}, settleChange);
          const failure = event.type === "tool-output-available" ? undefined : output;
          return emit(failure ? { type: "tool-error", toolCallId, toolName, ...failure } : report);
        }
        case "step":
          stepCount++;
          messages = [...messages, ...event.messages];
          return await commit(texts.take(), { step: null, steps: stepCount, messages });
        case "held":
          result = { kind: "held", calls: event.calls };
          return;
        case "auth-needed":
          result = { kind: "auth", integrations: event.integrations };
          return;
        case "finish":
          if (result.kind === "abort") result = { kind: "finish", reason: event.finishReason };
          return;
        case "error":
          result = { kind: "error", problem: event.problem };
      }
    },
    say(text) {
      texts.begin("kay", stepCount + 1);
      texts.add("kay", text);
      texts.end("kay");
      messages = [...messages, { role: "assistant", content: text }];
    },
    end: (report, change) => commit([...texts.take(), { key: "end", report }], { ...change, step: null, messages }),
    result: () => result,
  };
}

/** Keeps a copy of the conversation here if the backend uses another database. */
async function storeReports(tx: DbConnection, turn: StoredTurn, reports: NewReport[], now: number): Promise<void> {
  const { generation_id: generationId, conversation_id: sessionId } = turn;
  for (const { report } of reports) {
    const fullReport = { sessionId, ...report };
    await addReportIn(tx, { generationId, key: hashReport(fullReport), report: fullReport, now }).catch(
      (error: unknown) => {
        if (!(error instanceof Problem)) throw error;
      },
    );
  }
  if (reports.length > 0) notifyGeneration(tx, generationId);
}

import type { ModelMessage } from "ai";
import { runAgent } from "#agent/loop";
import { Problem } from "#protocol/errors";
import { listServices } from "../connections/services/catalog.ts";
import { buildAgentInput } from "../generations/input.ts";
import { authRequiredProblem } from "../generations/pause.ts";
import type { BackendPorts } from "../ports.ts";
import { changeTurn, claimTurn, type StoredTurn } from "../store/agent-turns.ts";
import { loadMessagesBefore } from "../store/conversations.ts";
import { isDatabaseAway } from "../store/database.ts";
import { type GenerationRequest, INITIAL_PROGRESS } from "../store/generation-state.ts";
import { findGeneration } from "../store/generations.ts";
import { createTurnRecorder, LostTurnError, type TurnRecorder } from "./turn-recorder.ts";
import type { TurnStream } from "./turn-stream.ts";

/** Stops a turn that runs on this node. */
export type TurnControl = {
  stop: AbortController;
  /** The turn was canceled. If false, a stop leaves the turn to another node. */
  isCanceled: boolean;
};

type TurnContext = { ports: BackendPorts; id: string; control: TurnControl; feed: TurnStream; onReports(): void };

/**
 * Runs the agent loop for a turn, or continues one that a lost node left. Completed work and its webhook reports are in
 * the store.
 */
export async function runTurn(context: TurnContext): Promise<void> {
  const { ports, id, feed } = context;
  const node = await ports.node.number();
  const turn = await claimTurn(ports.db, id, node);
  if (!turn) return feed.cut();
  try {
    await runClaimedTurn(context, turn, node);
  } catch (error) {
    feed.cut();
    if (error instanceof LostTurnError) return;
    await changeTurn(ports.db, id, node, { node: null }).catch(() => false);
    throw error;
  }
}

async function runClaimedTurn(context: TurnContext, turn: StoredTurn, node: number): Promise<void> {
  const { ports, id, control, feed, onReports } = context;
  const record = createTurnRecorder({ ports, turn, node, emit: feed.push, onReports });
  try {
    await runLoop(context, turn, record);
  } catch (error) {
    if (error instanceof LostTurnError || isDatabaseAway(error)) throw error;
    ports.log("error", "turn_fault", { generation: id, error });
    const problem = error instanceof Problem ? error : new Problem("INTERNAL", "Something went wrong inside kay.");
    return await failTurn(context, record, problem);
  }
  const result = record.result();
  switch (result.kind) {
    case "abort": {
      const ending = control.isCanceled ? { finished_at: new Date(ports.clock.now()) } : {};
      await changeTurn(ports.db, id, node, { node: null, ...ending });
      return control.isCanceled ? feed.end({ type: "abort" }) : feed.cut();
    }
    case "held":
      record.say(formatUnapproved(result.calls.map(({ summary }) => summary)));
      return await finishTurn(context, record, "stop");
    case "auth": {
      const services = await listServices(ports, turn.installation_id);
      const problem = authRequiredProblem(services, result.integrations);
      const commands = result.integrations.map((name) => `\`kay connect ${name}\``).join(" and ");
      record.say(`${problem.message} Run ${commands}, then ask again.`);
      return await failTurn(context, record, problem);
    }
    case "error":
      return await failTurn(context, record, result.problem);
    case "finish":
      return await finishTurn(context, record, result.reason);
  }
}

async function runLoop({ ports, id, control }: TurnContext, turn: StoredTurn, record: TurnRecorder): Promise<void> {
  const row = await findGeneration(ports.db, id);
  if (!row) throw new LostTurnError();
  const earlierMessages = await loadMessagesBefore(ports.db, turn.conversation_id, id);
  const messages: ModelMessage[] = [
    ...earlierMessages,
    { role: "user", content: turn.prompt },
    ...(turn.messages as ModelMessage[]),
  ];
  const { input } = await buildAgentInput(
    {
      ports,
      row: { ...row, steps: turn.steps, step: turn.step },
      request: toRequest(turn),
      progress: () => INITIAL_PROGRESS,
      advance: async () => {},
      signal: control.stop.signal,
    },
    messages,
  );
  for await (const event of runAgent(input)) await record.take(event);
}

/** A request that waits for its answer and cannot prompt a user. */
function toRequest({ prompt }: StoredTurn): GenerationRequest {
  return {
    prompt,
    context: {},
    mode: "answer",
    interactive: false,
    confirm: false,
    source: "typed",
    limits: {},
    runsAt: "backend",
  };
}

async function finishTurn({ ports, feed }: TurnContext, record: TurnRecorder, finishReason: string): Promise<void> {
  await record.end({ type: "finish" }, { finished_at: new Date(ports.clock.now()), node: null });
  feed.end({ type: "finish", finishReason });
}

async function failTurn({ ports, feed }: TurnContext, record: TurnRecorder, problem: Problem): Promise<void> {
  const { code, message, details } = problem;
  const { integrations } = details;
  const errorFields = { code, ...(integrations ? { integrations } : {}) };
  await record.end(
    { type: "error", message, ...errorFields },
    { finished_at: new Date(ports.clock.now()), node: null },
  );
  feed.end({ type: "error", error: message, ...errorFields });
}

/** Returns the answer for calls that would need approval. */
function formatUnapproved(summaries: string[]): string {
  const lines = summaries.map((summary) => `\n- ${summary}`).join("");
  return `These actions need approval, but no user can approve them here, so kay did none of them:${lines}\nRun \`kay policy set\` to choose what kay may do without asking.`;
}

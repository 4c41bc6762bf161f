import type { ModelMessage } from "ai";
import { runAgent } from "#agent/loop";
import { Problem } from "#protocol/errors";
import { listServices } from "../connections/catalog.ts";
import type { GenerationRecord } from "../generations/generation-record.ts";
import { buildAgentInput } from "../generations/input.ts";
import { authRequiredProblem } from "../generations/pause.ts";
import type { BackendPorts } from "../ports.ts";
import { changeTurn, claimTurn, type StoredTurn } from "../store/agent-turns.ts";
import { loadMessagesBefore } from "../store/conversations.ts";
import { isDatabaseAway } from "../store/database.ts";
import { findGeneration } from "../store/generations.ts";
import { createTurnRecorder, LostTurnError, type TurnRecorder } from "./turn-recorder.ts";
import type { TurnStream } from "./turn-stream.ts";

/** What steers a turn while this node works on it. */
export type TurnControl = {
  /** Ends the work. */
  stop: AbortController;
  /** Nobody wants it any more. Without it the work is left as it is, for another node. */
  unwanted: boolean;
};

type World = { ports: BackendPorts; id: string; control: TurnControl; feed: TurnStream; told(): void };

/**
 * Run the loop for a turn, or go on with it where a node that is gone left it. What was done is in the store, and so is what the webhook is to
 * be told of it.
 */
export async function runTurn(world: World): Promise<void> {
  const { ports, id, feed } = world;
  const node = await ports.node.number();
  const turn = await claimTurn(ports.db, id, node);
  if (!turn) return feed.cut();
  try {
    await work(world, turn, node);
  } catch (error) {
    feed.cut();
    if (error instanceof LostTurnError) return;
    await changeTurn(ports.db, id, node, { node: null }).catch(() => false);
    throw error;
  }
}

async function work(world: World, turn: StoredTurn, node: number): Promise<void> {
  const { ports, id, control, feed, told } = world;
  const record = createTurnRecorder({ ports, turn, node, tell: feed.push, told });
  try {
    await loop(world, turn, record);
  } catch (error) {
    if (error instanceof LostTurnError || isDatabaseAway(error)) throw error;
    ports.log("error", "turn_fault", { generation: id, error });
    const problem = error instanceof Problem ? error : new Problem("INTERNAL", "Something went wrong inside kay.");
    return await fail(world, record, problem);
  }
  const result = record.result();
  switch (result.kind) {
    case "abort": {
      const over = control.unwanted ? { finished_at: new Date(ports.clock.now()) } : {};
      await changeTurn(ports.db, id, node, { node: null, ...over });
      return control.unwanted ? feed.end({ type: "abort" }) : feed.cut();
    }
    case "held":
      record.say(notDone(result.calls.map(({ summary }) => summary)));
      return await finish(world, record, "stop");
    case "auth": {
      const services = await listServices(ports, turn.installation_id);
      const problem = authRequiredProblem(services, result.integrations);
      const how = result.integrations.map((name) => `\`kay connect ${name}\``).join(" and ");
      record.say(`${problem.message} Run ${how}, then ask again.`);
      return await fail(world, record, problem);
    }
    case "error":
      return await fail(world, record, result.problem);
    case "finish":
      return await finish(world, record, result.reason);
  }
}

async function loop({ ports, id, control }: World, turn: StoredTurn, record: TurnRecorder): Promise<void> {
  const row = await findGeneration(ports.db, id);
  if (!row) throw new LostTurnError();
  const before = await loadMessagesBefore(ports.db, turn.conversation_id, id);
  const said: ModelMessage[] = [
    ...before,
    { role: "user", content: turn.prompt },
    ...(turn.messages as ModelMessage[]),
  ];
  const { input } = await buildAgentInput(
    {
      ports,
      row: { ...row, steps: turn.steps, step: turn.step },
      options: optionsFor(turn),
      signal: control.stop.signal,
    },
    said,
  );
  for await (const event of runAgent(input)) await record.take(event);
}

/** As a request that waits for its answer and has nobody to be asked (guide: one-shot). */
function optionsFor({ prompt }: StoredTurn): GenerationRecord {
  return { prompt, context: {}, mode: "answer", interactive: false, confirm: false, source: "typed" };
}

async function finish({ ports, feed }: World, record: TurnRecorder, finishReason: string): Promise<void> {
  await record.end({ type: "finish" }, { finished_at: new Date(ports.clock.now()), node: null });
  feed.end({ type: "finish", finishReason });
}

async function fail({ ports, feed }: World, record: TurnRecorder, problem: Problem): Promise<void> {
  const { code, message, details } = problem;
  const { integrations } = details;
  const told = { code, ...(integrations ? { integrations } : {}) };
  await record.end({ type: "error", message, ...told }, { finished_at: new Date(ports.clock.now()), node: null });
  feed.end({ type: "error", error: message, ...told });
}

/** What a person would have to say yes to. */
function notDone(summaries: string[]): string {
  const lines = summaries.map((summary) => `\n- ${summary}`).join("");
  return `This needs a yes, and nobody can be asked here, so nothing of it was done:${lines}\nWhat kay may do by itself is set with \`kay policy set\`.`;
}

import { runAgent } from "#agent/loop";
import type { Receipt } from "#protocol/ask";
import { Cancellation, Problem } from "#protocol/errors";
import type { StreamPart } from "#protocol/events";
import { listServices } from "../connections/services/catalog.ts";
import type { BackendPorts } from "../ports.ts";
import { isDatabaseAway } from "../store/database.ts";
import { listEvents } from "../store/events.ts";
import { claimGeneration, releaseGeneration } from "../store/generation-claims.ts";
import { type GenerationRow, parseGeneration, type StoredGeneration } from "../store/generation-row.ts";
import { beginGeneration } from "./begin.ts";
import { listRunReceipts } from "./calls/dry-run.ts";
import { askToShorten, getShortenAnswer } from "./calls/shorten.ts";
import type { HeldGeneration } from "./creations.ts";
import { delegationProblem, getDelegationScope, hasLimits } from "./delegation.ts";
import { completeGeneration, failGeneration, handOverRun, releaseRun } from "./end.ts";
import { createWriter, LostGeneration } from "./events/writer.ts";
import { buildAgentInput } from "./input.ts";
import { authRequiredProblem, holdGeneration, pauseGeneration, stopGeneration } from "./pause.ts";
import { createRealigner, readLoggedStep } from "./realign.ts";
import { createRecorder, type RecordedRun } from "./recorder.ts";
import { endIfLostTooOften, recordFault } from "./recovery.ts";
import { runRemoteTurn } from "./remote.ts";
import { toUserMessage } from "./request.ts";
import { findStoredAnswer } from "./wanted-output.ts";
import {
  type ClaimedGeneration,
  type ClaimedRow,
  createClaimedGeneration,
  type LoopResult,
  type RunControl,
  type RunResult,
  traceRun,
} from "./work.ts";

/**
 * Runs a generation until it ends or waits. It reads everything from the store and stores everything before it reports
 * it, so any node can continue where this one stopped.
 * @returns undefined when it has ended, another node runs it, or a fault was recorded
 */
export async function runGeneration(
  ports: BackendPorts,
  id: string,
  control: RunControl,
  generation?: HeldGeneration,
): Promise<RunResult | undefined> {
  const node = generation?.node ?? (await ports.node.number());
  const row = generation?.row ?? (await claimGeneration(ports.db, id, node, getDelegationScope(ports)));
  if (row === undefined) return undefined;
  const owner = { generationId: id, conversationId: row.conversation_id, node };
  if (await endIfLostTooOften(ports, row)) return undefined;
  const { stop } = control;
  const writer = createWriter(ports, owner, () => stop.abort());
  try {
    // A row that cannot be read counts as a fault of the generation.
    const stored = generation?.row ?? parseGeneration(row as GenerationRow);
    const isNew = generation?.isNew === true;
    const claimed: ClaimedRun = { ...createClaimedGeneration(ports, stored, writer), control, node, isNew };
    return await traceRun(claimed, node, () => continueGeneration(claimed));
  } catch (error) {
    if (!(error instanceof LostGeneration) && (await recordFault(ports, id, node, error).catch(() => false)))
      return undefined;
    // The rows keep their last state, for the next tick.
    await releaseGeneration(ports.db, id, node).catch(() => {
      control.unreleased = node;
    });
    throw error;
  }
}

async function continueGeneration(claimed: ClaimedRun): Promise<RunResult | undefined> {
  const { ports, row, writer } = claimed;
  const isApproved = claimed.progress().approval === "granted";
  const now = ports.clock.now();
  const reason = row.cancel ?? describeTimeout(row, isApproved, now);
  if (reason !== undefined && isApproved) {
    // The approved calls run; nothing after them does.
    claimed.control.reason = reason;
    claimed.control.stop.abort(new Cancellation(reason));
  } else if (reason !== undefined) {
    await stopGeneration(claimed, reason);
    return { kind: "cancelled", row, failed: [], receipts: await listClaimedReceipts(claimed) };
  }
  if (isHeld(row) && !isApproved) {
    await releaseRun(claimed);
    return undefined;
  }
  const shortenAnswer = await getShortenAnswer(claimed);
  if (typeof shortenAnswer === "object") {
    await pauseGeneration(claimed, [shortenAnswer]);
    return {
      kind: "waiting",
      waits: [shortenAnswer],
      row,
      failed: [],
      receipts: await listClaimedReceipts(claimed),
    };
  }
  const isFirst = claimed.isNew || claimed.progress().historyLength === null;
  const start = beginGeneration(claimed);
  // In the middle of a step this is not read; otherwise the user's message may come with it.
  if (row.step === null) await start;
  const recordedRun = shortenAnswer === "no" ? await start.then(createTooLongRun) : await work(claimed, start, isFirst);
  if (writer.failure() !== undefined) throw writer.failure();
  const end = await conclude(claimed, recordedRun);
  return { ...end, row, failed: recordedRun.failed, receipts: await listClaimedReceipts(claimed) };
}

/** Lists the receipts for a caller that waits for an answer. A stream has them as parts. */
async function listClaimedReceipts({ ports, row, progress }: ClaimedRun): Promise<Receipt[]> {
  if (row.request.mode === "stream") return [];
  return await listRunReceipts(ports.db, { ...row, progress: progress() });
}

function createTooLongRun(): RecordedRun {
  const problem = new Problem("CONTEXT_TOO_LONG", "The conversation is too long for the model.");
  return { end: { kind: "error", problem }, text: "", failed: [], receipts: [], last: [] };
}

/** Returns whether a generation is held for a confirmation. Others of the conversation continue meanwhile. */
export function isHeld({ status, request }: Pick<StoredGeneration, "status" | "request">): boolean {
  return status === "awaiting_approval" && request.mode === "answer";
}

/** Returns why a wait has ended without its event. */
function describeTimeout(row: ClaimedRow, isApproved: boolean, now: number): string | undefined {
  const auth = row.auth;
  const missing = auth?.integrations.filter((name) => !auth.connected.includes(name)) ?? [];
  if (auth && missing.length > 0 && Date.parse(auth.expires_at) <= now) {
    return `No connection to ${missing.join(" and ")} was made within ten minutes.`;
  }
  if (isHeld(row) && !isApproved && row.wake_at !== null && row.wake_at.getTime() <= now)
    return "The confirmation expired after five minutes.";
  return undefined;
}

/** `node`: the number under which it was claimed. `isNew`: it was just created here, and the rows have nothing else of it. */
type ClaimedRun = ClaimedGeneration & { control: RunControl; node: number; isNew: boolean };

/** @param isFirst nothing of the generation was logged before */
async function work(claimed: ClaimedRun, start: Promise<void>, isFirst = claimed.isNew): Promise<RecordedRun> {
  const { ports, row, writer, control } = claimed;
  const realigned = row.step === null && !isFirst ? await createLogRealigner(claimed) : (part: StreamPart) => [part];
  const record = createRecorder({ ...claimed, realigned });
  try {
    const source = { ...claimed, onChange: control.onChange, signal: control.stop.signal };
    const agent = chooseAgent(claimed);
    if (agent) {
      await start;
      for await (const event of runRemoteTurn({ ...source, control }, agent)) {
        await record.take(event);
        if (writer.failure() !== undefined) break;
      }
      return record.state;
    }
    const isAlone = claimed.isNew && claimed.progress().historyLength === 1;
    const knownMessages = isAlone ? [toUserMessage(claimed.request)] : undefined;
    // Read only after the start, which clears the mark of news.
    await start;
    const { input, messages } = await buildAgentInput(source, knownMessages);
    const answer = findStoredAnswer(row, messages, input.expectedOutput);
    if (answer) {
      record.state.end = answer;
      return record.state;
    }
    for await (const event of runAgent(input)) {
      if (event.type === "start-step" && control.handing.aborted) break;
      await record.take(event);
      if (event.type === "step") messages.push(...event.messages);
      if (writer.failure() !== undefined) break;
    }
    const { end } = record.state;
    const isTooLong = end.kind === "error" && end.problem.code === "CONTEXT_TOO_LONG";
    const wait = isTooLong ? await askToShorten(claimed, messages) : undefined;
    if (wait === "shortened") return await work(claimed, Promise.resolve());
    if (wait) record.state.end = { kind: "waiting", waits: [wait] };
  } catch (error) {
    control.stop.abort();
    if (writer.failure() !== undefined) return record.state;
    // The rows are unchanged. The next node continues from them when the database is back.
    if (isDatabaseAway(error)) throw error;
    if (!(error instanceof Problem)) ports.log("error", "generation_fault", { generation: row.id, error });
    const problem = error instanceof Problem ? error : new Problem("INTERNAL", "Something went wrong inside kay.");
    record.state.end = { kind: "error", problem };
  }
  return record.state;
}

/** Returns the agent server that answers, if any. A generation never changes between an agent server and a model. */
function chooseAgent({ ports, row, request, progress }: ClaimedRun): BackendPorts["agent"] {
  // A program's call has no prompt that an agent server could answer.
  if (request.call) return undefined;
  const { remote } = progress();
  if (remote && !ports.agent)
    throw new Problem("AGENT_NOT_CONFIGURED", "The agent server of this request is no longer configured.");
  if (!remote && (request.runsAt === "agent" || row.steps > 0 || row.step !== null)) return undefined;
  // It may have been asked, or begun by a late answer, before there was an agent server.
  if (ports.agent && hasLimits(request)) throw delegationProblem(request);
  return ports.agent;
}

/** Creates the realigner for a step that may have been interrupted. A step with open calls was complete. */
async function createLogRealigner({ ports, row }: ClaimedRun): Promise<(part: StreamPart) => StreamPart[]> {
  return createRealigner(readLoggedStep((await listEvents(ports.db, row.id)).map(({ part }) => part)));
}

async function conclude(
  claimed: ClaimedRun,
  { end, text, last }: RecordedRun,
): Promise<LoopResult & Pick<RunResult, "isLast">> {
  const { ports, row, control, writer } = claimed;
  // These ends read what the run has written.
  if (end.kind !== "answered" && end.kind !== "waiting") await writer.commit([]);
  switch (end.kind) {
    case "answered":
      return { ...end, isLast: !(await completeGeneration(claimed, end.unanswered ? "other" : "stop", end.output)) };
    case "auth":
      await failGeneration(
        claimed,
        authRequiredProblem(await listServices(ports, row.installation_id), end.integrations),
      );
      return end;
    case "error":
      ports.log("warn", "generation_failed", { generation: row.id, code: end.problem.code });
      await failGeneration(claimed, end.problem);
      return end;
    case "cancelled":
      if (control.reason === undefined) await handOverRun(claimed);
      else await stopGeneration(claimed, control.reason);
      return end;
    case "held":
      await holdGeneration(claimed, end, last);
      return { ...end, text };
    case "waiting":
      await pauseGeneration(claimed, end.waits);
      return end;
  }
}

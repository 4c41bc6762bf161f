import type { AgentEvent } from "#agent/events";
import type { AgentReport } from "#protocol/agent";
import { type AgentEventResult, toAgentParts } from "#protocol/agent-parts";
import { createTurnTracker, type TurnTracker } from "#protocol/agent-turn";
import { cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { getHost, isReachable, openAgentSession, streamFromAgent } from "../agent-client/client.ts";
import {
  createWebhookSecret,
  signWebhookToken,
  WEBHOOK_LIFETIME_MS,
  type WebhookTurn,
} from "../agent-client/webhook-token.ts";
import type { BackendPorts } from "../ports.ts";
import { ensureAgentSecret, listReports } from "../store/agent-reports.ts";
import { isUnderWay, listTurnMessages } from "../store/agent-turns.ts";
import { listReceipts } from "../store/effects.ts";
import { listEvents } from "../store/events.ts";
import type { GenerationRequest, RemoteTurn } from "../store/generation-state.ts";
import type { StreamRecord } from "./reports.ts";
import { toUserMessage } from "./request.ts";
import type { ClaimedGeneration, RunControl } from "./work.ts";

/**
 * The protocol has no event for the end of a turn. It has ended when something was said and nothing more is reported
 * for this time, in ms.
 */
const QUIET_MS = 60_000;

/** How long to wait for the agent server's reports after its stream broke off, in ms. */
const QUIET_CUT_MS = 10_000;

/** Longest time to the next report of a reachable agent server after a client's stream broke off, in ms. */
const SILENT_MS = 120_000;

/** How often to check for reports, in ms, in case a wake-up was lost. */
const LOOK_AGAIN_MS = 1_000;

type Agent = NonNullable<BackendPorts["agent"]>;
type RemoteWork = ClaimedGeneration & { control: RunControl };

/** Returns until when an agent server may report on a turn that begins now. */
export function toRemoteTurn(now: number, direct: boolean): RemoteTurn {
  return { until: now + WEBHOOK_LIFETIME_MS, ...(direct ? { direct } : {}) };
}

/**
 * Opens a session at the agent server for one turn, with a webhook for it.
 * @returns the token for the session's stream
 * @throws Problem AGENT_FAILED
 */
export async function openTurn(ports: BackendPorts, agent: Agent, turn: WebhookTurn): Promise<string> {
  const secret = await ensureAgentSecret(ports, turn.conversationId, createWebhookSecret());
  const token = await signWebhookToken(secret, turn, ports.clock.now());
  const webhookUrl = `${ports.publicUrl}/agent/webhook?token=${token}`;
  return await openAgentSession({ fetch: ports.fetch, agent }, { sessionId: turn.conversationId, webhookUrl });
}

/**
 * Runs a turn at a remote agent server and yields it as events of the loop. The prompt is sent once. After a crash or a
 * broken stream, the agent server's reports give the outcome. If a client streams from the agent server directly, only
 * the reports are read here.
 */
export async function* runRemoteTurn(work: RemoteWork, agent: Agent): AsyncGenerator<AgentEvent> {
  const isRemote = work.progress().remote !== null;
  const tracker = createTurnTracker(getHost(agent), isRemote ? await listReportedCalls(work) : undefined);
  yield { type: "start" };
  yield { type: "start-step" };
  const end = isRemote ? undefined : yield* stream(work, agent, tracker);
  const ending = end ?? (yield* report(work, agent, tracker));
  if (ending !== "unsent") return yield* conclude(work, tracker, ending);
  yield* conclude(
    work,
    tracker,
    (yield* stream(work, agent, tracker)) ?? (yield* reportAfterStream(work, agent, tracker)),
  );
}

type End = "finish" | "abort" | Problem;

/** @returns undefined when the stream broke off after the prompt had gone out */
async function* stream(
  { ports, row, request: generationRequest, advance, control }: RemoteWork,
  agent: Agent,
  tracker: TurnTracker,
): AsyncGenerator<AgentEvent, End | undefined> {
  const turn = { conversationId: row.conversation_id, generationId: row.id };
  const { signal } = control.stop;
  try {
    const token = await openTurn(ports, agent, turn);
    await advance({ type: "agent-asked", turn: toRemoteTurn(ports.clock.now(), false) });
    const request = { sessionId: turn.conversationId, token, prompt: getPrompt(generationRequest), signal };
    for await (const event of streamFromAgent({ fetch: ports.fetch, agent }, request)) {
      const { parts, end } = toAgentParts(event, getHost(agent));
      yield* tracker.take(parts);
      if (end) return end;
    }
  } catch (error) {
    if (signal.aborted) return "abort";
    if (!(error instanceof Problem)) throw error;
    // Refused before it started, so there is nothing to wait for.
    return tracker.getText() === "" ? error : undefined;
  }
  return signal.aborted ? "abort" : undefined;
}

/** Reads the reports of a turn whose prompt was sent from here. */
async function* reportAfterStream(
  work: RemoteWork,
  agent: Agent,
  tracker: TurnTracker,
): AsyncGenerator<AgentEvent, End> {
  const end = yield* report(work, agent, tracker);
  return end === "unsent" ? concludeSilence(tracker, agent) : end;
}

/** @returns `unsent` if the streaming client could not send the prompt and no report contradicts that */
async function* report(
  { ports, row, progress, control }: RemoteWork,
  agent: Agent,
  tracker: TurnTracker,
): AsyncGenerator<AgentEvent, End | "unsent"> {
  const { until = 0, direct = false } = progress().remote ?? {};
  let patience: Patience = direct
    ? { textMs: QUIET_MS, missingMs: Number.POSITIVE_INFINITY }
    : { textMs: QUIET_CUT_MS, missingMs: 3 * QUIET_CUT_MS };
  let readCount = 0;
  let lastReportAt = ports.clock.now();
  for (;;) {
    const reports = await listReports(ports.db, row.id);
    for (const { report, at } of reports.slice(readCount)) {
      lastReportAt = Math.max(lastReportAt, at.getTime());
      const record = getStreamRecord(report);
      if (record && !direct) continue;
      if (record?.outcome === "unsent" && reports.every((entry) => getStreamRecord(entry.report))) return "unsent";
      if (record?.outcome === "broken" || record?.outcome === "unsent")
        patience = await computeBrokenPatience(ports, agent);
      const { parts, end } = record ? toStreamEnd(record) : tracker.report(report as AgentReport);
      yield* parts;
      if (end) return end;
    }
    readCount = reports.length;
    const hasAnswered = tracker.getText() !== "" && tracker.isComplete();
    // Without a reason, it is only left to another node.
    if (control.stop.signal.aborted) return hasAnswered && control.reason !== undefined ? "finish" : "abort";
    const now = ports.clock.now();
    const isSilent = now - lastReportAt >= (hasAnswered ? patience.textMs : patience.missingMs);
    // An agent server on this database is known to be working on it.
    if (now >= until || (isSilent && !(await isUnderWay(ports.db, row.id)))) return concludeSilence(tracker, agent);
    if (control.closing.aborted) return "abort";
    await applyChange(control);
  }
}

/** How long reports may be absent, in ms: after text has arrived, and while something is missing. */
type Patience = { textMs: number; missingMs: number };

/** Once a client's stream broke off, only reports describe the turn, and an agent server that is gone sends none. */
async function computeBrokenPatience({ fetch }: BackendPorts, agent: Agent): Promise<Patience> {
  return { textMs: QUIET_CUT_MS, missingMs: (await isReachable(fetch, agent)) ? SILENT_MS : QUIET_CUT_MS };
}

function getStreamRecord(report: object): StreamRecord | undefined {
  return (report as Partial<StreamRecord>).type === "stream" ? (report as StreamRecord) : undefined;
}

function toStreamEnd({ outcome, message = "It does not say why." }: StreamRecord): AgentEventResult {
  if (outcome === "finished") return { parts: [], end: "finish" };
  if (outcome !== "failed") return { parts: [] };
  return { parts: [], end: new Problem("AGENT_FAILED", `The agent server failed: ${cleanLine(message, 500)}`) };
}

function concludeSilence(tracker: TurnTracker, agent: Agent): End {
  if (tracker.getText() !== "" && tracker.isComplete()) return "finish";
  const failure = "did not say how the request ended";
  return new Problem("AGENT_FAILED", `The agent server at ${getHost(agent)} ${failure}.`, {
    hint: "Check what it did before you ask again.",
  });
}

async function* conclude({ ports, row }: RemoteWork, tracker: TurnTracker, end: End): AsyncGenerator<AgentEvent> {
  if (end === "abort") return yield { type: "abort" };
  yield* tracker.close();
  // For an agent server on this database, the rows show what was done and what its tools returned.
  for (const data of await listReceipts(ports.db, row.id)) yield { type: "data-receipt", data };
  const messages = await listTurnMessages(ports.db, row.id);
  const text = tracker.getText();
  if (messages.length > 0) yield { type: "step", messages };
  else if (text !== "" || end === "finish") {
    const content = text || "(The agent server sent no text.)";
    yield { type: "step", messages: [{ role: "assistant", content }] };
  }
  yield { type: "finish-step" };
  if (end === "finish") return yield { type: "finish", finishReason: "stop" };
  yield { type: "error", errorText: end.message, problem: end };
}

async function listReportedCalls({ ports, row }: RemoteWork): Promise<Map<string, "open" | "over">> {
  const calls = new Map<string, "open" | "over">();
  for (const { part } of await listEvents(ports.db, row.id)) {
    if (part.type === "tool-input-available") calls.set(part.toolCallId, "open");
    if (part.type === "tool-output-available" || part.type === "tool-output-error") calls.set(part.toolCallId, "over");
  }
  return calls;
}

/** Resolves when a report arrived, the run must stop, or the next check is due. */
async function applyChange({ stop, closing, onChange }: RunControl): Promise<void> {
  const signal = AbortSignal.any([stop.signal, closing]);
  await new Promise<void>((resolve) => {
    const timer = setTimeout(finish, LOOK_AGAIN_MS);
    const unsubscribe = onChange(finish);
    signal.addEventListener("abort", finish, { once: true });
    function finish() {
      clearTimeout(timer);
      unsubscribe();
      signal.removeEventListener("abort", finish);
      resolve();
    }
  });
}

/** Returns the user's words and the caller's data as one text. */
function getPrompt(request: GenerationRequest): string {
  const { content } = toUserMessage(request);
  if (typeof content === "string") return content;
  return content.flatMap((part) => ("text" in part ? [part.text] : [])).join("\n\n");
}

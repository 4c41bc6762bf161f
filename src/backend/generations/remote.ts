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

/** The seed has no word for the end of a turn: it is over when something was said and nothing more is reported for so long, in ms. */
const QUIET_MS = 60_000;

/** After a stream that broke off, so long is waited for what the agent server reports. */
const QUIET_CUT_MS = 10_000;

/** What an agent server that is there may take until its next report, after the stream broke off that a client read, in ms. */
const SILENT_MS = 120_000;

/** Reports wake their waiters. A lost wake-up costs this much, in ms. */
const LOOK_AGAIN_MS = 1_000;

type Agent = NonNullable<BackendPorts["agent"]>;
type RemoteWork = ClaimedGeneration & { control: RunControl };

/** Until when an agent server may report a turn that begins now. */
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
 * A turn that an agent server elsewhere carries out, as the events of the loop: its stream is read and told while it comes. The prompt goes
 * out once: after a crash, or when the stream broke off, the agent server's reports say what came of it. A client that streams from there
 * itself leaves only the reports to be read here.
 */
export async function* runRemoteTurn(work: RemoteWork, agent: Agent): AsyncGenerator<AgentEvent> {
  const asked = work.progress().remote !== null;
  const heard = createTurnTracker(getHost(agent), asked ? await toldCalls(work) : undefined);
  yield { type: "start" };
  yield { type: "start-step" };
  const end = asked ? undefined : yield* stream(work, agent, heard);
  const told = end ?? (yield* report(work, agent, heard));
  if (told !== "unsent") return yield* conclude(work, heard, told);
  yield* conclude(work, heard, (yield* stream(work, agent, heard)) ?? (yield* afterStream(work, agent, heard)));
}

type End = "finish" | "abort" | Problem;

/** @returns undefined when the stream broke off after the prompt had gone out */
async function* stream(
  { ports, row, request: asked, advance, control }: RemoteWork,
  agent: Agent,
  heard: TurnTracker,
): AsyncGenerator<AgentEvent, End | undefined> {
  const turn = { conversationId: row.conversation_id, generationId: row.id };
  const { signal } = control.stop;
  try {
    const token = await openTurn(ports, agent, turn);
    await advance({ type: "agent-asked", turn: toRemoteTurn(ports.clock.now(), false) });
    const request = { sessionId: turn.conversationId, token, prompt: getPrompt(asked), signal };
    for await (const event of streamFromAgent({ fetch: ports.fetch, agent }, request)) {
      const { parts, end } = toAgentParts(event, getHost(agent));
      yield* heard.take(parts);
      if (end) return end;
    }
  } catch (error) {
    if (signal.aborted) return "abort";
    if (!(error instanceof Problem)) throw error;
    // Refused before it started, so there is nothing to wait for.
    return heard.getText() === "" ? error : undefined;
  }
  return signal.aborted ? "abort" : undefined;
}

/** The reports of a turn whose prompt was sent from here. */
async function* afterStream(work: RemoteWork, agent: Agent, heard: TurnTracker): AsyncGenerator<AgentEvent, End> {
  const end = yield* report(work, agent, heard);
  return end === "unsent" ? lastWord(heard, agent) : end;
}

/** @returns `unsent` when the client whose stream it was could not send the prompt, and nothing says otherwise */
async function* report(
  { ports, row, progress, control }: RemoteWork,
  agent: Agent,
  heard: TurnTracker,
): AsyncGenerator<AgentEvent, End | "unsent"> {
  const { until = 0, direct = false } = progress().remote ?? {};
  let patience: Patience = direct
    ? { said: QUIET_MS, unsaid: Number.POSITIVE_INFINITY }
    : { said: QUIET_CUT_MS, unsaid: 3 * QUIET_CUT_MS };
  let seen = 0;
  let last = ports.clock.now();
  for (;;) {
    const reports = await listReports(ports.db, row.id);
    for (const { report, at } of reports.slice(seen)) {
      last = Math.max(last, at.getTime());
      const note = streamNote(report);
      if (note && !direct) continue;
      if (note?.outcome === "unsent" && reports.every((each) => streamNote(each.report))) return "unsent";
      if (note?.outcome === "broken" || note?.outcome === "unsent") patience = await brokenPatience(ports, agent);
      const { parts, end } = note ? endOfStream(note) : heard.report(report as AgentReport);
      yield* parts;
      if (end) return end;
    }
    seen = reports.length;
    const said = heard.getText() !== "" && heard.isComplete();
    // Without a reason it is only left to another node.
    if (control.stop.signal.aborted) return said && control.reason !== undefined ? "finish" : "abort";
    const now = ports.clock.now();
    const silent = now - last >= (said ? patience.said : patience.unsaid);
    // An agent server that works on this database is known to be at it.
    if (now >= until || (silent && !(await isUnderWay(ports.db, row.id)))) return lastWord(heard, agent);
    if (control.closing.aborted) return "abort";
    await applyChange(control);
  }
}

/** How long nothing may be reported, in ms: after something was said, and while something is missing. */
type Patience = { said: number; unsaid: number };

/** Once the stream that a client read broke off, nothing but reports tells of the turn: of an agent server that is gone none will come. */
async function brokenPatience({ fetch }: BackendPorts, agent: Agent): Promise<Patience> {
  return { said: QUIET_CUT_MS, unsaid: (await isReachable(fetch, agent)) ? SILENT_MS : QUIET_CUT_MS };
}

function streamNote(report: object): StreamRecord | undefined {
  return (report as Partial<StreamRecord>).type === "stream" ? (report as StreamRecord) : undefined;
}

function endOfStream({ outcome, message = "It does not say why." }: StreamRecord): AgentEventResult {
  if (outcome === "finished") return { parts: [], end: "finish" };
  if (outcome !== "failed") return { parts: [] };
  return { parts: [], end: new Problem("AGENT_FAILED", `The agent server failed: ${cleanLine(message, 500)}`) };
}

function lastWord(heard: TurnTracker, agent: Agent): End {
  if (heard.getText() !== "" && heard.isComplete()) return "finish";
  const what = "did not say how the request ended";
  return new Problem("AGENT_FAILED", `The agent server at ${getHost(agent)} ${what}.`, {
    hint: "Check what it did before you ask again.",
  });
}

async function* conclude({ ports, row }: RemoteWork, heard: TurnTracker, end: End): AsyncGenerator<AgentEvent> {
  if (end === "abort") return yield { type: "abort" };
  yield* heard.close();
  // Of one that works on this database it is known what was done, and what its tools said.
  for (const data of await listReceipts(ports.db, row.id)) yield { type: "data-receipt", data };
  const messages = await listTurnMessages(ports.db, row.id);
  const text = heard.getText();
  if (messages.length > 0) yield { type: "step", messages };
  else if (text !== "" || end === "finish") {
    const content = text || "(The agent server said nothing.)";
    yield { type: "step", messages: [{ role: "assistant", content }] };
  }
  yield { type: "finish-step" };
  if (end === "finish") return yield { type: "finish", finishReason: "stop" };
  yield { type: "error", errorText: end.message, problem: end };
}

async function toldCalls({ ports, row }: RemoteWork): Promise<Map<string, "open" | "over">> {
  const told = new Map<string, "open" | "over">();
  for (const { part } of await listEvents(ports.db, row.id)) {
    if (part.type === "tool-input-available") told.set(part.toolCallId, "open");
    if (part.type === "tool-output-available" || part.type === "tool-output-error") told.set(part.toolCallId, "over");
  }
  return told;
}

/** Resolves when a report arrived, the run must stop, or the next check is due. */
async function applyChange({ stop, closing, onChange }: RunControl): Promise<void> {
  const signal = AbortSignal.any([stop.signal, closing]);
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, LOOK_AGAIN_MS);
    const off = onChange(done);
    signal.addEventListener("abort", done, { once: true });
    function done() {
      clearTimeout(timer);
      off();
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}

/** The person's words, and what a caller gave along, as one text. */
function getPrompt(request: GenerationRequest): string {
  const { content } = toUserMessage(request);
  if (typeof content === "string") return content;
  return content.flatMap((part) => ("text" in part ? [part.text] : [])).join("\n\n");
}

import type { CallToolResult, Client, InputRequiredResult, Progress } from "@modelcontextprotocol/client";
import { Problem } from "#protocol/errors";
import { createProgressReporter } from "../progress.ts";
import { TASK_KEY } from "../transport/repair.ts";
import type { CallOptions, ElicitationRequest, HandleElicitation } from "../types.ts";
import { followTask, keepTask, startTask, type TaskHandle } from "./tasks.ts";

/** Longest silence of a server in ms, not counting time spent asking the user. */
const MAX_SILENCE_MS = 60_000;

/** Longest duration in ms of a call that may ask the user, and of one that may not. */
const MAX_INTERACTIVE_MS = 40 * 60_000;
const MAX_CALL_MS = 10 * 60_000;

/** Maximum number of times a call is repeated with the user's answers. */
const MAX_ROUNDS = 5;

/** A call through an open client. */
export type McpCall = CallOptions & {
  title: string;
  name: string;
  input: Record<string, unknown>;
  /** The server runs this call as a task of the older protocol, optionally or always. */
  asTask: boolean;
  /** Routes questions of the older protocol, which arrive while a call is running, to this call. */
  hear(ask: HandleElicitation): () => void;
  /**
   * Must be awaited before anything is sent (`sent`), and once the sent request is known to have done nothing
   * (`unsent`).
   */
  sent?(): Promise<void>;
  unsent?(): Promise<void>;
  /** Returns a signal that fires when the server reports that the visit with this ID is done. */
  onVisitDone(id: string): AbortSignal;
};

/**
 * Makes one call and passes the server's questions to the user. In the older protocol, questions arrive while the call
 * is running. In the newer one, the server reports missing input without doing anything, and the call is repeated with
 * the answers. Either may require a visit to a URL first (-32042).
 *
 * @throws the library's errors; Problem SERVICE_FAILED after too long a silence, CANCELLED when an answer is missing
 * and nothing was done
 */
export async function callTool(client: Client, call: McpCall): Promise<CallToolResult> {
  const quiet = createSilenceTimer(call.title);
  const controller = new AbortController();
  const { onElicitation } = call;
  const ask: HandleElicitation | undefined =
    onElicitation &&
    (async (request) =>
      await quiet.paused(() => onElicitation(request, controller.signal, getVisitSignal(call, request))));
  const stopListening = ask && call.hear(ask);
  const reporter = createProgressReporter((words) => call.onProgress?.(words));
  const noteProgress = (progress: Progress) => {
    quiet.heard();
    reporter.heard(progress);
  };
  const signal = AbortSignal.any([quiet.signal, ...(call.signal ? [call.signal] : [])]);
  const follow = (handle: TaskHandle) =>
    followTask(client, handle, {
      title: call.title,
      writes: call.writes,
      signal: quiet.signal,
      cancelled: call.task?.signal ?? call.signal,
      heard: (words) => noteProgress({ progress: 0, ...(words === undefined ? {} : { message: words }) }),
      ...(ask
        ? { ask: async (questions) => (await collectAnswers({ questions }, ask, call.title)).inputResponses ?? {} }
        : {}),
    });
  try {
    if (call.task?.handle) return await follow(call.task.handle);
    if (call.asTask) {
      const task = await startTask(client, { name: call.name, arguments: call.input }, signal);
      return await follow(await keepTask(client, task, call.task, call.title));
    }
    let answers: Answers = {};
    for (let round = 0; ; round++) {
      const next = await sendCall(client, call, {
        answers,
        signal,
        asks: ask !== undefined,
        heard: noteProgress,
      });
      const task = "result" in next ? next.result._meta?.[TASK_KEY] : undefined;
      if (task !== undefined) return await follow(await keepTask(client, task, call.task, call.title));
      if ("result" in next) return next.result;
      if (!ask || round === MAX_ROUNDS)
        throw new Problem("CANCELLED", `${call.title} asked for more input than kay can provide here.`, { hint: "" });
      await call.unsent?.();
      answers = await collectAnswers(next.asks, ask, call.title);
      await call.sent?.();
    }
  } catch (error) {
    throw quiet.problem() ?? error;
  } finally {
    controller.abort();
    quiet.end();
    reporter.end();
    stopListening?.();
  }
}

function getVisitSignal({ onVisitDone }: McpCall, request: ElicitationRequest): AbortSignal | undefined {
  const id = request.mode === "url" ? (request as { elicitationId?: unknown }).elicitationId : undefined;
  return typeof id === "string" && id.length <= 200 ? onVisitDone(id) : undefined;
}

/** The additional parameters of a repeated call. */
type Answers = { inputResponses?: Record<string, unknown>; requestState?: string };

/** The input that a server requires before it acts: answers to named questions, or visits to URLs. */
type RequiredInput = { questions: Record<string, unknown>; state?: string } | { visits: ElicitationRequest[] };

type Attempt = { answers: Answers; signal: AbortSignal; asks: boolean; heard(progress: Progress): void };

async function sendCall(
  client: Client,
  { name, input }: McpCall,
  { answers, signal, asks, heard }: Attempt,
): Promise<{ result: CallToolResult } | { asks: RequiredInput }> {
  const maxMs = asks ? MAX_INTERACTIVE_MS : MAX_CALL_MS;
  try {
    const result = (await client.callTool({ name, arguments: input, ...answers } as Parameters<Client["callTool"]>[0], {
      timeout: maxMs,
      maxTotalTimeout: maxMs,
      signal,
      onprogress: heard,
      allowInputRequired: asks,
      // The caller validates the output, because only it knows whether something was changed.
      toolDefinition: { name, inputSchema: { type: "object" } },
    })) as CallToolResult | InputRequiredResult;
    if (!("resultType" in result) || result.resultType !== "input_required")
      return { result: result as CallToolResult };
    const { inputRequests = {}, requestState } = result as InputRequiredResult;
    return { asks: { questions: inputRequests, ...(requestState === undefined ? {} : { state: requestState }) } };
  } catch (error) {
    const visits = asks ? findVisits(error) : undefined;
    if (visits) return { asks: { visits } };
    throw error;
  }
}

/** Returns the URLs that an error says must be visited first (MCP, "URL elicitation required"). */
function findVisits(error: unknown): ElicitationRequest[] | undefined {
  const { code, data } = (error ?? {}) as { code?: unknown; data?: { elicitations?: unknown } };
  if (code !== URL_REQUIRED_CODE || !Array.isArray(data?.elicitations) || data.elicitations.length === 0)
    return undefined;
  const visits = data.elicitations.slice(0, MAX_ROUNDS) as ElicitationRequest[];
  return visits.every(
    (item) => item?.mode === "url" && typeof item.url === "string" && typeof item.message === "string",
  )
    ? visits
    : undefined;
}

const URL_REQUIRED_CODE = -32_042;

async function collectAnswers(requests: RequiredInput, ask: HandleElicitation, title: string): Promise<Answers> {
  const signal = new AbortController().signal;
  if ("visits" in requests) {
    for (const visit of requests.visits)
      if ((await ask(visit, signal)).action !== "accept")
        throw new Problem("CANCELLED", `${title} requires you to open a web page first, which did not happen.`, {
          hint: "",
        });
    return {};
  }
  const answers: Record<string, unknown> = {};
  for (const [key, question] of Object.entries(requests.questions)) {
    const { method, params } = question as { method?: unknown; params?: ElicitationRequest };
    if (method !== "elicitation/create" || !params)
      throw new Problem("CANCELLED", `${title} sent a request that kay does not support.`, { hint: "" });
    answers[key] = await ask(params, signal);
  }
  return { inputResponses: answers, ...(requests.state === undefined ? {} : { requestState: requests.state }) };
}

/** Creates the timer for a server's silence. It pauses while the user is asked. */
function createSilenceTimer(title: string) {
  const controller = new AbortController();
  let count = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const begin = () => {
    clearTimeout(timer);
    if (count === 0) timer = setTimeout(() => controller.abort(), MAX_SILENCE_MS).unref();
  };
  begin();
  return {
    signal: controller.signal,
    heard: begin,
    paused: async <T>(work: () => Promise<T>): Promise<T> => {
      count++;
      clearTimeout(timer);
      try {
        return await work();
      } finally {
        count--;
        begin();
      }
    },
    problem: () =>
      controller.signal.aborted ? new Problem("SERVICE_FAILED", `${title} did not answer in time.`) : undefined,
    end: () => clearTimeout(timer),
  };
}

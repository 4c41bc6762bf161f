import type { CallToolResult, Client, InputRequiredResult, Progress } from "@modelcontextprotocol/client";
import { Problem } from "#protocol/errors";
import { createProgressReporter } from "./progress.ts";
import type { CallOptions, ElicitationRequest, HandleElicitation } from "./types.ts";

/** Milliseconds without a word, while nobody is asked. */
const SILENT_MS = 60_000;

/** Milliseconds of a call that may ask a person, who takes a while, and of one that may not. */
const LONGEST_ASKING_MS = 40 * 60_000;
const LONGEST_MS = 10 * 60_000;

/** So often a call may be made again with what a person answered. */
const MOST_ROUNDS = 5;

/** A call over an open link. */
export type McpCall = Omit<CallOptions, "writes"> & {
  title: string;
  name: string;
  input: Record<string, unknown>;
  /** How questions of the older protocol, which come while the call is under way, find their call. */
  hear(ask: HandleElicitation): () => void;
  /** To be awaited before anything leaves, and once it is known that what left did nothing. */
  sent?(): Promise<void>;
  unsent?(): Promise<void>;
  /** Fires when the server says that a visit of this id is done. */
  completed(id: string): AbortSignal;
};

/**
 * One call with everything that a server asks of a person in between. In the older protocol it asks while the call is under way; in the newer one
 * it answers that something is missing, having done nothing, and the call is made again with the answers. Either may answer that an
 * address must be visited first (-32042).
 *
 * @throws what the library throws; Problem SERVICE_FAILED when it was silent for too long, CANCELLED when nothing was done for want of an answer
 */
export async function callTool(client: Client, call: McpCall): Promise<CallToolResult> {
  const quiet = silence(call.title);
  const over = new AbortController();
  const { onElicitation } = call;
  const ask: HandleElicitation | undefined =
    onElicitation &&
    (async (request) => await quiet.paused(() => onElicitation(request, over.signal, visitDone(call, request))));
  const deaf = ask && call.hear(ask);
  const teller = createProgressReporter((words) => call.onProgress?.(words));
  const heard = (progress: Progress) => {
    quiet.heard();
    teller.heard(progress);
  };
  const signal = AbortSignal.any([quiet.signal, ...(call.signal ? [call.signal] : [])]);
  try {
    let more: Answers = {};
    for (let round = 0; ; round++) {
      const next = await leg(client, call, { more, signal, asks: ask !== undefined, heard });
      if ("result" in next) return next.result;
      if (!ask || round === MOST_ROUNDS)
        throw new Problem("CANCELLED", `${call.title} asks for more than it gets here.`, { hint: "" });
      await call.unsent?.();
      more = await answersTo(next.asks, ask, call.title);
      await call.sent?.();
    }
  } catch (error) {
    throw quiet.problem() ?? error;
  } finally {
    over.abort();
    quiet.end();
    teller.end();
    deaf?.();
  }
}

function visitDone({ completed }: McpCall, request: ElicitationRequest): AbortSignal | undefined {
  const id = request.mode === "url" ? (request as { elicitationId?: unknown }).elicitationId : undefined;
  return typeof id === "string" && id.length <= 200 ? completed(id) : undefined;
}

/** What a call is made again with. */
type Answers = { inputResponses?: Record<string, unknown>; requestState?: string };

/** What a server wants before it does anything: questions by its own names, or addresses to be visited. */
type Wanted = { questions: Record<string, unknown>; state?: string } | { visits: ElicitationRequest[] };

type Leg = { more: Answers; signal: AbortSignal; asks: boolean; heard(progress: Progress): void };

async function leg(
  client: Client,
  { name, input }: McpCall,
  { more, signal, asks, heard }: Leg,
): Promise<{ result: CallToolResult } | { asks: Wanted }> {
  const longest = asks ? LONGEST_ASKING_MS : LONGEST_MS;
  try {
    const result = (await client.callTool({ name, arguments: input, ...more } as Parameters<Client["callTool"]>[0], {
      timeout: longest,
      maxTotalTimeout: longest,
      signal,
      onprogress: heard,
      allowInputRequired: asks,
      // What it answers is checked by whoever called, who knows whether something was done.
      toolDefinition: { name, inputSchema: { type: "object" } },
    })) as CallToolResult | InputRequiredResult;
    if (!("resultType" in result) || result.resultType !== "input_required")
      return { result: result as CallToolResult };
    const { inputRequests = {}, requestState } = result as InputRequiredResult;
    return { asks: { questions: inputRequests, ...(requestState === undefined ? {} : { state: requestState }) } };
  } catch (error) {
    const visits = asks ? visitsIn(error) : undefined;
    if (visits) return { asks: { visits } };
    throw error;
  }
}

/** The addresses of an error that says that they must be visited first (MCP, "URL elicitation required"). */
function visitsIn(error: unknown): ElicitationRequest[] | undefined {
  const { code, data } = (error ?? {}) as { code?: unknown; data?: { elicitations?: unknown } };
  if (code !== URL_REQUIRED || !Array.isArray(data?.elicitations) || data.elicitations.length === 0) return undefined;
  const visits = data.elicitations.slice(0, MOST_ROUNDS) as ElicitationRequest[];
  return visits.every((one) => one?.mode === "url" && typeof one.url === "string" && typeof one.message === "string")
    ? visits
    : undefined;
}

const URL_REQUIRED = -32_042;

async function answersTo(wanted: Wanted, ask: HandleElicitation, title: string): Promise<Answers> {
  const signal = new AbortController().signal;
  if ("visits" in wanted) {
    for (const visit of wanted.visits)
      if ((await ask(visit, signal)).action !== "accept")
        throw new Problem("CANCELLED", `${title} wants an address to be visited first, and the person did not.`, {
          hint: "",
        });
    return {};
  }
  const answers: Record<string, unknown> = {};
  for (const [key, question] of Object.entries(wanted.questions)) {
    const { method, params } = question as { method?: unknown; params?: ElicitationRequest };
    if (method !== "elicitation/create" || !params)
      throw new Problem("CANCELLED", `${title} asks for something that kay does not have.`, { hint: "" });
    answers[key] = await ask(params, signal);
  }
  return { inputResponses: answers, ...(wanted.state === undefined ? {} : { requestState: wanted.state }) };
}

/** A clock of silence that stands still while a person is asked. */
function silence(title: string) {
  const over = new AbortController();
  let asked = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const begin = () => {
    clearTimeout(timer);
    if (asked === 0) timer = setTimeout(() => over.abort(), SILENT_MS).unref();
  };
  begin();
  return {
    signal: over.signal,
    heard: begin,
    paused: async <T>(work: () => Promise<T>): Promise<T> => {
      asked++;
      clearTimeout(timer);
      try {
        return await work();
      } finally {
        asked--;
        begin();
      }
    },
    problem: () =>
      over.signal.aborted ? new Problem("SERVICE_FAILED", `${title} did not answer in time.`) : undefined,
    end: () => clearTimeout(timer),
  };
}

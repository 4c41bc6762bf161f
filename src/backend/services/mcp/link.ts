import type {
  CallToolResult,
  Client,
  ElicitRequest,
  ElicitResult,
  Tool as ServerTool,
  Transport,
} from "@modelcontextprotocol/client";
import { cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { type HttpWay, httpWay } from "./http-way.ts";
import type { LinkFault } from "./link-faults.ts";
import type { ProgramPlace, ProgramTransport } from "./program-way.ts";

/** Milliseconds until a server must have been started, greeted, and asked for its tools. */
const START_MS = 20_000;
/** How long a server may take to say whether it speaks the newer protocol. */
const PROBE_MS = 5_000;
/** A call without a word of progress, and one with. */
const SILENT_MS = 60_000;
const LONGEST_MS = 10 * 60_000;
/** Pages of a list of tools. */
const MOST_PAGES = 20;

/** What a server asks of a person in the middle of a call (MCP, "Elicitation"), and what it is told. */
type ElicitationRequest = ElicitRequest["params"];
type ElicitationAnswer = ElicitResult;
/** Asks a person; the signal aborts when the call is over. */
type OnElicitation = (request: ElicitationRequest, signal: AbortSignal) => Promise<ElicitationAnswer>;

/** A server and the way to it. */
export type LinkOptions = {
  /** Name of the service, and its title for people. */
  name: string;
  title: string;
  /** Version of kay, which the server is told. */
  version: string;
  place: { http: HttpWay } | { program: ProgramPlace };
  /** The server is told that people can be asked, and calls bring `onElicitation`. */
  elicits?: boolean;
  /** The server said that its tools are others now. */
  onToolsChanged?(): void;
  /** The link is over without having been closed. */
  onGone?(): void;
  /** Known from before, so that the server need not be asked. */
  era?: Era;
};

/** Which of the two protocols a server speaks: with a session, or stateless (2026-07-28 and later). */
export type Era = "legacy" | "modern";

export type CallOptions = {
  signal?: AbortSignal;
  /** The call changes something: where nobody knows what came of it, it ends as OUTCOME_UNKNOWN. */
  writes: boolean;
  onElicitation?: OnElicitation;
  /** What the server says while it works, cleaned. */
  onProgress?(words: string): void;
};

/** An open link to a server. */
export type Link = {
  /** As the server names itself, cleaned. */
  server: { name: string; version: string };
  era: Era;
  /** Every tool, as the server tells it: hostile until it is cleaned. @throws Problem SERVICE_FAILED, AUTH_REQUIRED */
  tools(signal?: AbortSignal): Promise<ServerTool[]>;
  /**
   * Call a tool. What it answers is hostile, and may be an error of the tool (`isError`).
   *
   * @throws Problem SERVICE_FAILED, AUTH_REQUIRED, RATE_LIMITED, CANCELLED; OUTCOME_UNKNOWN for a write that may have been done.
   * {@link isGone} tells of a problem whether the link is of no use any more.
   */
  call(tool: string, input: Record<string, unknown>, options: CallOptions): Promise<CallToolResult>;
  /** Whether it can still be used. */
  alive(): boolean;
  close(): Promise<void>;
};

/** Whether something failed because its link is over, so that it may be tried again over a new one. */
export function isGone(error: unknown): boolean {
  return error instanceof Problem && gone.has(error);
}

const gone = new WeakSet<Problem>();

/**
 * Open a link to a server: start or reach it, greet it, and say who kay is.
 *
 * @throws Problem SERVICE_FAILED, AUTH_REQUIRED (a server that wants a sign-in), ADDRESS_REFUSED
 */
export async function openLink(options: LinkOptions): Promise<Link> {
  const sdk = await import("@modelcontextprotocol/client");
  const parts = await connected(options, sdk);
  const { client, state } = parts;
  const fault = async (error: unknown) => await parts.fault(error);
  return {
    server: nameOf(client, options.name),
    era: client.getProtocolEra() ?? "legacy",
    tools: async (signal) => {
      try {
        return await allTools(client, signal);
      } catch (error) {
        if (signal?.aborted) throw cancelled(options.title, error);
        throw (await fault(error)).problem;
      }
    },
    call: (tool, input, call) => called({ client, state, options, fault }, tool, input, call),
    alive: () => !state.gone,
    close: async () => {
      state.closed = true;
      state.gone = true;
      await parts.end();
    },
  };
}

/** What is known of a link while it is open. `asked` are the calls whose people may be asked. */
type State = { gone: boolean; closed: boolean; asked: Set<Asked>; own?: unknown };
type Asked = { ask: OnElicitation; signal: AbortSignal };
type Sdk = typeof import("@modelcontextprotocol/client");
type Parts = { client: Client; state: State; fault(error: unknown): Promise<LinkFault>; end(): Promise<void> };

/**
 * A server on the network is asked which protocol it speaks. A program is greeted as older ones are, since some end or fall silent at a
 * question that they do not know; one that refuses the greeting is asked.
 */
async function connected(options: LinkOptions, sdk: Sdk): Promise<Parts> {
  if (options.era === "modern" || ("http" in options.place && options.era === undefined))
    return await attempt(options, sdk, "auto");
  try {
    return await attempt(options, sdk, "legacy");
  } catch (error) {
    const refused = error instanceof Problem && error.cause instanceof sdk.ProtocolError;
    if (!refused) throw error;
    return await attempt(options, sdk, "auto");
  }
}

async function attempt(options: LinkOptions, sdk: Sdk, mode: "auto" | "legacy"): Promise<Parts> {
  const state: State = { gone: false, closed: false, asked: new Set() };
  const transport = await transportOf(options, sdk, state);
  const client = clientOf(options, sdk, { state, mode });
  const fault = async (error: unknown): Promise<LinkFault> => {
    const { linkFault } = await import("./link-faults.ts");
    const own = state.own;
    state.own = undefined;
    const ending = "ending" in transport ? (transport as ProgramTransport).ending() : undefined;
    const found = linkFault(error, { ...options, ...(ending === undefined ? {} : { ending }), own });
    if (found.gone) state.gone = true;
    return found;
  };
  const end = async () => {
    await endSession(transport);
    await client.close().catch(() => {});
    await transport.close().catch(() => {});
  };
  try {
    await client.connect(transport, { timeout: START_MS, maxTotalTimeout: START_MS });
  } catch (error) {
    const found = await fault(error);
    await end();
    throw found.gone ? marked(found.problem) : found.problem;
  }
  return { client, state, fault, end };
}

async function transportOf({ place }: LinkOptions, sdk: Sdk, state: State): Promise<Transport> {
  if ("program" in place) return (await import("./program-way.ts")).programTransport(place.program);
  const fetch = httpWay(place.http, (problem) => {
    state.own = problem;
  });
  return new sdk.StreamableHTTPClientTransport(new URL(place.http.url), { fetch, requestInit: { redirect: "manual" } });
}

function clientOf(
  { version, elicits, onToolsChanged, onGone }: LinkOptions,
  { Client }: Sdk,
  { state, mode }: { state: State; mode: "auto" | "legacy" },
): Client {
  const client = new Client(
    { name: "kay", title: "kay", version },
    {
      capabilities: elicits ? { elicitation: { form: {}, url: {} } } : {},
      versionNegotiation: { mode, probe: { timeoutMs: PROBE_MS } },
      listMaxPages: MOST_PAGES,
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => onToolsChanged?.() } },
    },
  );
  if (elicits)
    client.setRequestHandler("elicitation/create", async (request) => {
      // The older protocol does not say which call a question belongs to: with several it cannot be told whom to ask.
      const [asked, another] = state.asked;
      if (!asked || another) return { action: "cancel" };
      return await asked.ask(request.params, asked.signal);
    });
  client.onclose = () => {
    state.gone = true;
    if (!state.closed) onGone?.();
  };
  client.onerror = () => {};
  return client;
}

async function allTools(client: Client, signal: AbortSignal | undefined): Promise<ServerTool[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  const { tools } = await client.listTools(undefined, {
    cacheMode: "bypass",
    timeout: START_MS,
    maxTotalTimeout: START_MS,
    ...(signal ? { signal } : {}),
  });
  return tools;
}

type Calling = { client: Client; state: State; options: LinkOptions; fault(error: unknown): Promise<LinkFault> };

async function called(
  { client, state, options, fault }: Calling,
  name: string,
  input: Record<string, unknown>,
  { signal, writes, onElicitation, onProgress }: CallOptions,
): Promise<CallToolResult> {
  const ended = new AbortController();
  const asked = onElicitation && { ask: onElicitation, signal: ended.signal };
  if (asked) state.asked.add(asked);
  try {
    if (state.gone) throw marked(new Problem("SERVICE_FAILED", `The connection to ${options.title} is over.`));
    return await client.callTool(
      { name, arguments: input },
      {
        timeout: SILENT_MS,
        maxTotalTimeout: LONGEST_MS,
        resetTimeoutOnProgress: true,
        onprogress: ({ message }) => (message ? onProgress?.(cleanLine(message, 200)) : undefined),
        ...(signal ? { signal } : {}),
        // What it answers is checked by whoever called, who knows whether something was done.
        toolDefinition: { name, inputSchema: { type: "object" } },
      },
    );
  } catch (error) {
    if (error instanceof Problem) throw error;
    if (signal?.aborted && !writes) throw cancelled(options.title, error);
    const { problem, lost, gone: over } = await fault(error);
    if (writes && lost) throw unknownOutcome(options.title, problem);
    throw over ? marked(problem) : problem;
  } finally {
    ended.abort();
    if (asked) state.asked.delete(asked);
  }
}

function marked(problem: Problem): Problem {
  gone.add(problem);
  return problem;
}

function unknownOutcome(title: string, problem: Problem): Problem {
  return new Problem("OUTCOME_UNKNOWN", `${problem.message} It may have been done.`, {
    hint: `Look in ${title} before you repeat it.`,
    cause: problem,
  });
}

function cancelled(title: string, cause: unknown): Problem {
  return new Problem("CANCELLED", `The request to ${title} was cancelled.`, { cause });
}

/** A server with sessions is told that this one is over; it is not waited for longer than a moment. */
async function endSession(transport: Transport): Promise<void> {
  if (!("terminateSession" in transport) || !transport.sessionId) return;
  const told = (transport as { terminateSession(): Promise<void> }).terminateSession().catch(() => {});
  await Promise.race([told, new Promise((resolve) => setTimeout(resolve, 1_000).unref())]);
}

function nameOf(client: Client, otherwise: string): Link["server"] {
  const { title, name, version } = client.getServerVersion() ?? { name: otherwise, version: "" };
  return { name: cleanLine(title || name, 60) || otherwise, version: cleanLine(version, 40) };
}

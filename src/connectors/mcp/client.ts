import type { CallToolResult, Client, Tool as ServerTool } from "@modelcontextprotocol/client";
import { cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import type { McpFault } from "./faults.ts";
import { cancelledProblem, markClosed, unknownOutcomeProblem } from "./faults.ts";
import { listenForQuestions, type QuestionListener } from "./questions.ts";
import type { ProgramTransport } from "./stdio-transport.ts";
import { createMcpTransport, endSession } from "./transport.ts";
import type { CallOptions, McpClientOptions, ProtocolEra } from "./types.ts";

/** Milliseconds until a server must have answered the greeting, and the question for its tools. */
const START_MS = 20_000;

/** The same for the greeting of a program: it may have to be downloaded first (`npx -y …`). */
const PROGRAM_START_MS = 2 * 60_000;

/** How long a server may take to say whether it speaks the newer protocol. */
const PROBE_MS = 5_000;

/** Pages of a list of tools. */
const MOST_PAGES = 20;

/** An open link to a server. */
export type McpClient = {
  /** As the server names itself, cleaned. */
  server: { name: string; version: string };
  era: ProtocolEra;
  /** Every tool, as the server tells it: hostile until it is cleaned. @throws Problem SERVICE_FAILED, AUTH_REQUIRED */
  tools(signal?: AbortSignal): Promise<ServerTool[]>;
  /**
   * Call a tool. What it answers is hostile, and may be an error of the tool (`isError`).
   *
   * @throws Problem SERVICE_FAILED, AUTH_REQUIRED, RATE_LIMITED, CANCELLED; OUTCOME_UNKNOWN for a write that may have been done.
   * `isGone` tells of a problem whether the link is of no use any more.
   */
  call(tool: string, input: Record<string, unknown>, options: CallOptions): Promise<CallToolResult>;
  /** Whether it can still be used. */
  alive(): boolean;
  close(): Promise<void>;
};

/**
 * Open a link to a server: start or reach it, greet it, and say who kay is.
 *
 * @throws Problem SERVICE_FAILED, AUTH_REQUIRED (a server that wants a sign-in), ADDRESS_REFUSED, CANCELLED
 */
export async function openMcpClient(options: McpClientOptions): Promise<McpClient> {
  const sdk = await import("@modelcontextprotocol/client");
  const parts = await connected(options, sdk);
  const { client, state } = parts;
  const fault = async (error: unknown) => await parts.fault(error);
  return {
    server: getName(client, options.name),
    era: client.getProtocolEra() ?? "legacy",
    tools: async (signal) => {
      try {
        return await allTools(client, signal);
      } catch (error) {
        if (signal?.aborted) throw cancelledProblem(options.title, error);
        throw (await fault(error)).problem;
      }
    },
    call: (tool, input, call) => called({ ...parts, options }, tool, input, call),
    alive: () => !state.gone,
    close: async () => {
      state.closed = true;
      state.gone = true;
      await parts.end();
    },
  };
}

/** What is known of a link while it is open. */
type State = { gone: boolean; closed: boolean; own?: unknown };
type Sdk = typeof import("@modelcontextprotocol/client");
type Parts = {
  client: Client;
  state: State;
  questions: QuestionListener;
  fault(error: unknown): Promise<McpFault>;
  end(): Promise<void>;
};

/**
 * A server on the network is asked which protocol it speaks. A program is greeted as older ones are, since some end or fall silent at a
 * question that they do not know; one that refuses the greeting is asked.
 */
async function connected(options: McpClientOptions, sdk: Sdk): Promise<Parts> {
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

async function attempt(options: McpClientOptions, sdk: Sdk, mode: "auto" | "legacy"): Promise<Parts> {
  const state: State = { gone: false, closed: false };
  const transport = await createMcpTransport(options.place, sdk, (problem) => {
    state.own = problem;
  });
  const client = getClient(options, sdk, { state, mode });
  const questions = listenForQuestions(client, { elicits: options.elicits === true });
  const fault = async (error: unknown): Promise<McpFault> => {
    const { toMcpFault } = await import("./faults.ts");
    const own = state.own;
    state.own = undefined;
    const ending = "ending" in transport ? (transport as ProgramTransport).ending() : undefined;
    const found = toMcpFault(error, { ...options, ...(ending === undefined ? {} : { ending }), own });
    if (found.gone) state.gone = true;
    return found;
  };
  const end = async () => {
    await endSession(transport);
    await client.close().catch(() => {});
    await transport.close().catch(() => {});
  };
  try {
    const { signal, place } = options;
    const most = "program" in place ? PROGRAM_START_MS : START_MS;
    await client.connect(transport, { timeout: most, maxTotalTimeout: most, ...(signal ? { signal } : {}) });
  } catch (error) {
    if (options.signal?.aborted) {
      await end();
      throw cancelledProblem(options.title, error);
    }
    const found = await fault(error);
    await end();
    throw found.gone ? markClosed(found.problem) : found.problem;
  }
  return { client, state, questions, fault, end };
}

function getClient(
  { version, elicits, onToolsChanged, onGone }: McpClientOptions,
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

type Calling = Omit<Parts, "end"> & { options: McpClientOptions };

async function called(
  { client, state, options, questions, fault }: Calling,
  name: string,
  input: Record<string, unknown>,
  { writes, ...optional }: CallOptions,
): Promise<CallToolResult> {
  const { signal } = optional;
  if (state.gone) throw markClosed(new Problem("SERVICE_FAILED", `The connection to ${options.title} is over.`));
  const { callTool } = await import("./call-tool.ts");
  try {
    return await callTool(client, {
      ...optional,
      title: options.title,
      name,
      input,
      ...questions,
    });
  } catch (error) {
    if (error instanceof Problem && error.code !== "SERVICE_FAILED") throw error;
    if (signal?.aborted && !writes) throw cancelledProblem(options.title, error);
    const { problem, lost, gone: over } = await fault(error);
    if (writes && lost) throw unknownOutcomeProblem(options.title, problem);
    throw over ? markClosed(problem) : problem;
  }
}

function getName(client: Client, otherwise: string): McpClient["server"] {
  const { title, name, version } = client.getServerVersion() ?? { name: otherwise, version: "" };
  return { name: cleanLine(title || name, 60) || otherwise, version: cleanLine(version, 40) };
}

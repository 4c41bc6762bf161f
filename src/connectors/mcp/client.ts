import type { CallToolResult, Client, Tool as ServerTool } from "@modelcontextprotocol/client";
import { cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { cancelledProblem, unknownOutcomeProblem } from "../http/errors.ts";
import { findCommonVersion, markClosed } from "./faults.ts";
import { findOwnMethod, listAllTools } from "./own-methods.ts";
import { listenForQuestions, type QuestionListener } from "./questions.ts";
import { listTaskTools, markTaskTool, TASKS_EXTENSION } from "./tools/tasks.ts";
import { createMcpTransport, endSession, type HttpVariant } from "./transport/choose-transport.ts";
import { getRefusal } from "./transport/http-faults.ts";
import type { ProgramTransport } from "./transport/stdio-transport.ts";
import type { CallOptions, McpClientOptions, McpFault, ProtocolEra } from "./types.ts";

/** Time limit in ms for initializing a server. */
const START_TIMEOUT_MS = 20_000;

/** Time limit in ms for initializing a program, which may have to be downloaded first (`npx -y …`). */
const PROGRAM_START_TIMEOUT_MS = 2 * 60_000;

/** Time limit in ms for a server to say whether it supports the newer protocol. */
const PROBE_TIMEOUT_MS = 5_000;

/** An open connection to a server. */
export type McpClient = {
  /** Name and version as the server reports them, cleaned. */
  server: { name: string; version: string };
  era: ProtocolEra;
  /** How messages travel to a server on the network. */
  variant: HttpVariant;
  /** Lists the server's tools. They are untrusted and not cleaned. @throws Problem SERVICE_FAILED, AUTH_REQUIRED */
  tools(signal?: AbortSignal): Promise<ServerTool[]>;
  /**
   * Calls a tool. The result is untrusted, and may be an error of the tool (`isError`).
   *
   * @throws Problem SERVICE_FAILED, AUTH_REQUIRED, RATE_LIMITED, CANCELLED; OUTCOME_UNKNOWN for a write that may have
   * been processed. `isClosedProblem` says whether the connection is unusable.
   */
  call(tool: string, input: Record<string, unknown>, options: CallOptions): Promise<CallToolResult>;
  /** The session at a server on the network, if it has one. */
  session: string | undefined;
  /** Returns whether the connection is usable. */
  alive(): boolean;
  close(): Promise<void>;
};

/**
 * Connects to a server: starts or reaches it and initializes the protocol.
 *
 * @throws Problem SERVICE_FAILED, AUTH_REQUIRED (the server requires a sign-in), ADDRESS_REFUSED, CANCELLED
 */
export async function openMcpClient(options: McpClientOptions): Promise<McpClient> {
  const sdk = await import("@modelcontextprotocol/client");
  const parts = await connect(options, sdk);
  const { client, state } = parts;
  return {
    server: getName(client, options.name),
    era: client.getProtocolEra() ?? "legacy",
    variant: parts.variant,
    tools: async (signal) => {
      try {
        const tools = await listAllTools(client, signal);
        state.taskTools = listTaskTools(client, tools);
        return tools.map((tool) => markTaskTool(tool, state.taskTools));
      } catch (error) {
        if (signal?.aborted) throw cancelledProblem(options.title, error);
        throw (await parts.fault(error)).problem;
      }
    },
    call: (tool, input, call) => callThroughClient({ ...parts, options }, tool, input, call),
    session: parts.session,
    alive: () => !state.gone,
    close: async () => {
      state.closed = true;
      state.gone = true;
      await parts.end();
    },
  };
}

/** The state of a connection. `ownFailure` is the last failure in kay's words. */
type ConnectionState = {
  gone: boolean;
  closed: boolean;
  ownFailure?: unknown;
  /** Names of tools that are called as tasks of the older protocol. */
  taskTools: Set<string>;
  /** Tasks that are waited for. Their session must not be ended, since some servers forget them with it. */
  tasks: number;
};
type Sdk = typeof import("@modelcontextprotocol/client");
type Connection = {
  client: Client;
  state: ConnectionState;
  questions: QuestionListener;
  variant: HttpVariant;
  session: string | undefined;
  fault(error: unknown): Promise<McpFault>;
  end(): Promise<void>;
};

/** Some servers refuse the newest version instead of naming their own. They are offered one that both support. */
async function connect(options: McpClientOptions, sdk: Sdk): Promise<Connection> {
  return await negotiate(options, sdk).catch(async (error: unknown) => {
    const version = findCommonVersion(error);
    if (version === undefined || options.signal?.aborted) throw error;
    return await connectOnce(options, sdk, { mode: "legacy", version });
  });
}

/**
 * Negotiates the protocol. Servers on the network are asked for their version. Programs are initialized with the older
 * protocol first, because some exit or hang on an unknown request; they are asked only if they refuse it.
 */
async function negotiate(options: McpClientOptions, sdk: Sdk): Promise<Connection> {
  if (options.resumes) return await connectOnce(options, sdk, { mode: "legacy" });
  if ("http" in options.place) return await connectOverHttp(options, sdk);
  if (options.era === "modern") return await connectOnce(options, sdk, { mode: "auto" });
  try {
    return await connectOnce(options, sdk, { mode: "legacy" });
  } catch (error) {
    const refused = error instanceof Problem && error.cause instanceof sdk.ProtocolError;
    if (!refused || options.signal?.aborted || findCommonVersion(error)) throw error;
    return await connectOnce(options, sdk, { mode: "auto" });
  }
}

/** Tries the older transport where the newer one is refused (MCP, "Backwards Compatibility"). */
async function connectOverHttp(options: McpClientOptions, sdk: Sdk): Promise<Connection> {
  try {
    return await connectOnce(options, sdk, { mode: options.era === "legacy" ? "legacy" : "auto" });
  } catch (error) {
    const status = error instanceof Problem ? getRefusal(error.cause)?.status : undefined;
    if (status === undefined || !OLDER.has(status) || options.signal?.aborted) throw error;
    return await connectOnce(options, sdk, { mode: "legacy", variant: "sse" }).catch((older: unknown) => {
      throw older instanceof Problem && older.code === "AUTH_REQUIRED" ? older : error;
    });
  }
}

/** Statuses with which a server of the older transport refuses a request of the newer one. */
const OLDER = new Set([400, 404, 405, 406, 415, 422]);

/** `version`: the only one that is offered. */
type Variant = { mode: "auto" | "legacy"; variant?: HttpVariant; version?: string };

async function connectOnce(
  options: McpClientOptions,
  sdk: Sdk,
  { mode, variant = "streamable", version }: Variant,
): Promise<Connection> {
  const state: ConnectionState = { gone: false, closed: false, taskTools: new Set(), tasks: 0 };
  const transport = await createMcpTransport({ ...options, variant }, sdk, (problem) => {
    state.ownFailure = problem;
  });
  const client = createClient(options, sdk, { state, mode, offered: version });
  const questions = listenForQuestions(client, { elicits: options.elicits === true });
  const fault = async (error: unknown): Promise<McpFault> => {
    const { toMcpFault } = await import("./faults.ts");
    const ownFailure = state.ownFailure;
    state.ownFailure = undefined;
    const { ending, lastOutput } = transport as Partial<ProgramTransport>;
    const fault = toMcpFault(error, { ...options, ending: ending?.(), lastOutput: lastOutput?.(), ownFailure });
    if (fault.gone) state.gone = true;
    return fault;
  };
  const end = async () => {
    if (state.tasks === 0) await endSession(transport);
    await client.close().catch(() => {});
    await transport.close().catch(() => {});
  };
  try {
    const { signal, place } = options;
    const timeoutMs = "program" in place ? PROGRAM_START_TIMEOUT_MS : START_TIMEOUT_MS;
    await client.connect(transport, { timeout: timeoutMs, maxTotalTimeout: timeoutMs, ...(signal ? { signal } : {}) });
  } catch (error) {
    if (options.signal?.aborted) {
      await end();
      throw cancelledProblem(options.title, error);
    }
    const result = await fault(error);
    await end();
    throw result.gone ? markClosed(result.problem) : result.problem;
  }
  return { client, state, questions, fault, end, variant, session: transport.sessionId };
}

function createClient(
  { version, elicits, onToolsChanged, onGone }: McpClientOptions,
  { Client }: Sdk,
  { state, mode, offered }: { state: ConnectionState; mode: Variant["mode"]; offered?: string | undefined },
): Client {
  const client = new Client(
    { name: "kay", title: "kay", version },
    {
      capabilities: {
        ...(elicits ? { elicitation: { form: {}, url: {} } } : {}),
        extensions: { [TASKS_EXTENSION]: {} },
      },
      versionNegotiation: { mode, probe: { timeoutMs: PROBE_TIMEOUT_MS } },
      ...(offered === undefined ? {} : { supportedProtocolVersions: [offered] }),
      listMaxPages: 0,
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

type CallSource = Omit<Connection, "end" | "variant" | "session"> & { options: McpClientOptions };

async function callThroughClient(
  { client, state, options, questions, fault }: CallSource,
  name: string,
  input: Record<string, unknown>,
  { writes, ...optional }: CallOptions,
): Promise<CallToolResult> {
  const { signal } = optional;
  if (state.gone) throw markClosed(new Problem("SERVICE_FAILED", `The connection to ${options.title} is closed.`));
  const { callTool } = await import("./tools/call-tool.ts");
  const callMethod = findOwnMethod(name);
  const asTask = state.taskTools.has(name);
  const hasTask = () => optional.task?.handle !== undefined;
  const isTask = asTask || hasTask();
  if (isTask) state.tasks++;
  let isOver = true;
  try {
    if (callMethod) return await callMethod(client, input, signal ? { signal } : {});
    const call = { ...optional, writes, title: options.title, name, input, asTask, ...questions };
    return await callTool(client, call);
  } catch (error) {
    if (error instanceof Problem && error.code !== "SERVICE_FAILED") throw error;
    if (signal?.aborted && !writes && !hasTask()) throw cancelledProblem(options.title, error);
    const { problem, lost, gone: isGone } = await fault(error);
    isOver = !(hasTask() && (lost || isGone));
    // A task continues without the connection, and is asked for over a new one.
    if (!isOver) throw markClosed(problem);
    if (writes && lost) throw unknownOutcomeProblem(options.title, problem.message, problem);
    throw isGone ? markClosed(problem) : problem;
  } finally {
    if (isTask && isOver) state.tasks--;
  }
}

function getName(client: Client, otherwise: string): McpClient["server"] {
  const { title, name, version } = client.getServerVersion() ?? { name: otherwise, version: "" };
  return { name: cleanLine(title || name, 60) || otherwise, version: cleanLine(version, 40) };
}

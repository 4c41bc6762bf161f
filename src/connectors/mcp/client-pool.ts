import { setTimeout as sleep } from "node:timers/promises";
import type { CallToolResult } from "@modelcontextprotocol/client";
import type { Clock } from "#net/ports";
import { Problem } from "#protocol/errors";
import { unknownOutcomeProblem } from "../http/errors.ts";
import type { TaskKeeper } from "../tool.ts";
import { type McpClient, openMcpClient } from "./client.ts";
import { type McpServerRef, toClientOptions } from "./client-options.ts";
import type { McpTool } from "./definition.ts";
import { isClosedProblem } from "./faults.ts";
import { belongsToKey, chooseConnectionKey, countQuestions, type OpeningClient, waitForClient } from "./pool-entry.ts";
import type { Programs } from "./programs.ts";
import { type OpenClient, refreshTools, requireApproved } from "./tools/approved-tools.ts";
import { type ToolList, toToolList } from "./tools/read-tools.ts";
import { type CallTask, loadTask, type TaskHandle } from "./tools/tasks.ts";
import { getRefusal } from "./transport/http-faults.ts";
import type { CallOptions, ProtocolEra } from "./types.ts";

/** Time in ms after which an unused connection is closed and its program ended. */
const IDLE_MS = 5 * 60_000;

/** Shown when a server is added: such servers end with the clients that still speak to them. */
const OLD_TRANSPORT = "It uses HTTP with SSE, which MCP replaced in 2025 by Streamable HTTP. kay still supports it.";

type ServerCall = Omit<CallOptions, "task"> & {
  /** Keeps the handle of a task, if the server runs the call as one. */
  task?: TaskKeeper;
  /** The call may be repeated if its response is lost. */
  repeatable: boolean;
  /** Must be awaited before a write leaves. */
  sent?(): Promise<void>;
  /** Logs a line of progress for connected clients. */
  log?(words: string): void;
  /** The tool may have changed, so the server's tools are listed again before the call. */
  doubtful?: boolean;
};

/** The result of inspecting a server. */
export type InspectionResult = { server: McpClient["server"]; era: ProtocolEra; list: ToolList };

/** Connections to MCP servers. They are opened on demand, shared by the calls of one user, and closed when idle. */
export type McpClientPool = {
  /**
   * Calls an approved tool over an existing or new connection.
   *
   * @throws Problem TOOL_CHANGED when the server's tool differs from the approved one, and those of `McpClient.call`
   */
  call(server: McpServerRef, tool: McpTool, input: Record<string, unknown>, call: ServerCall): Promise<CallToolResult>;
  /** Connects to a server with a separate connection and lists its tools. @throws Problem those of `openMcpClient` */
  look(server: Omit<McpServerRef, "key">, signal?: AbortSignal): Promise<InspectionResult>;
  /** Closes the connections of a key. */
  forget(key: string): Promise<void>;
  /** Closes idle connections. Must be called about once a second. */
  tick(): Promise<void>;
  close(): Promise<void>;
};

type PoolEntry = OpeningClient<OpenClient> & {
  server: McpServerRef;
  running: number;
  used: number;
  asking: number;
  /** The task whose session is continued. */
  resumes?: TaskHandle | undefined;
};

/** Pauses in ms before kay asks for a task over a new connection. After the last, its outcome counts as unknown. */
const TASK_PAUSES_MS = [1_000, 2_000, 5_000, 10_000, 20_000];

export type McpClientPoolPorts = { programs?: Programs; clock: Clock; version: string };

export function createMcpClientPool(ports: McpClientPoolPorts): McpClientPool {
  const entries = new Map<string, PoolEntry>();
  let closed = false;
  const eras = new Map<string, ProtocolEra>();
  const closeEntry = async (key: string, entry: PoolEntry) => {
    if (entries.get(key) === entry) entries.delete(key);
    entry.stop.abort();
    await entry.opening.then(({ client }) => client.close()).catch(() => {});
  };
  const getEntry = (server: McpServerRef, resumes?: TaskHandle): PoolEntry => {
    const pooled = entries.get(server.key);
    if (pooled && (!pooled.open || pooled.open.client.alive())) {
      pooled.server = server;
      return pooled;
    }
    if (pooled) void closeEntry(server.key, pooled);
    const entry: PoolEntry = {
      opening: Promise.reject(new Error("Replaced below.")),
      stop: new AbortController(),
      server,
      running: 0,
      asking: 0,
      used: ports.clock.now(),
      resumes,
    };
    entry.opening.catch(() => {});
    entry.opening = openClient(ports, entry, eras);
    entry.opening.catch(() => entries.get(server.key) === entry && entries.delete(server.key));
    entries.set(server.key, entry);
    return entry;
  };
  const chooseEntry = (server: McpServerRef): McpServerRef => {
    if (eras.get(server.key) === "modern") return server;
    const shared = !("url" in server.definition.place);
    return { ...server, key: chooseConnectionKey(entries, server.key, { shared }) };
  };
  /** The connection with the session of a task, opened again if it was lost. */
  const chooseSession = (server: McpServerRef, { session = "" }: TaskHandle): McpServerRef => {
    const entry = [...entries].find(
      ([key, entry]) => belongsToKey(server.key, key) && entry.open?.client.session === session,
    );
    return { ...server, key: entry?.[0] ?? `${server.key}#${session}` };
  };
  const callOnce = async (
    server: McpServerRef,
    tool: McpTool,
    input: Record<string, unknown>,
    { resumes, ...call }: Omit<ServerCall, "task"> & { task?: CallTask | undefined; resumes?: TaskHandle | undefined },
  ) => {
    const entry = getEntry(server, resumes);
    entry.running++;
    try {
      const closeIfUnused = () => entry.running === 1 && void closeEntry(server.key, entry);
      const open = await waitForClient(entry, { ...call, title: server.definition.title, left: closeIfUnused });
      if (!call.task?.handle) {
        if (open.stale || call.doubtful) await refreshTools(open, server, call);
        requireApproved(server.definition, tool, open.list);
      }
      if (call.writes) await call.sent?.();
      return await open.client.call(tool.remote, input, {
        ...call,
        task: call.task,
        ...(call.onElicitation ? { onElicitation: countQuestions(entry, call.onElicitation) } : {}),
      });
    } finally {
      entry.running--;
      entry.used = ports.clock.now();
    }
  };
  /** Waits for a task that was started before, over as many connections as it takes. */
  const followOver = async (
    server: McpServerRef,
    tool: McpTool,
    input: Record<string, unknown>,
    { error: first, ...call }: Omit<ServerCall, "task"> & { task: CallTask; error?: unknown },
  ) => {
    const { title } = server.definition;
    let session = call.task.handle;
    let error = first;
    for (let tries = 0; ; ) {
      if (error !== undefined) {
        // This process ends: another one asks for the task.
        if (closed) return await new Promise<never>(() => {});
        if (session && isSessionGone(error)) session = undefined;
        else if (!isClosedProblem(error)) throw error;
        const pause = TASK_PAUSES_MS[tries++];
        if (pause === undefined)
          throw call.writes && error instanceof Problem ? unknownOutcomeProblem(title, error.message, error) : error;
        call.log?.(`Lost the connection to ${title}; its task continues, and kay asks for it again.`);
        await sleep(pause);
      }
      const resumes = session?.session === undefined ? undefined : session;
      try {
        return await callOnce(resumes ? chooseSession(server, resumes) : server, tool, input, { ...call, resumes });
      } catch (next) {
        error = next;
      }
    }
  };
  return {
    async call(ref, tool, input, { task: keeper, ...call }) {
      const task = keeper && (await loadTask(keeper));
      const server = call.onElicitation ? chooseEntry(ref) : ref;
      if (task?.handle) return await followOver(ref, tool, input, { ...call, task });
      try {
        return await callOnce(server, tool, input, { ...call, task });
      } catch (error) {
        if (task?.handle) return await followOver(ref, tool, input, { ...call, task, error });
        const isLost = error instanceof Problem && error.code === "OUTCOME_UNKNOWN";
        const shouldRetry =
          isClosedProblem(error) ||
          (isLost && call.repeatable && entries.get(server.key)?.open?.client.alive() === false);
        if (!shouldRetry || call.signal?.aborted) throw error;
        call.log?.(`Lost the connection to ${server.definition.title}; trying again.`);
        return await callOnce(server, tool, input, call);
      }
    },
    async look(server, signal) {
      const client = await openMcpClient(toClientOptions(ports, () => server, signal ? { signal } : {}));
      try {
        const list = toToolList(server.definition.name, await client.tools(signal));
        const warnings = client.variant === "sse" ? [OLD_TRANSPORT, ...list.left] : list.left;
        return { server: client.server, era: client.era, list: { ...list, left: warnings } };
      } finally {
        await client.close();
      }
    },
    async forget(key) {
      const all = [...entries].filter(([entryKey]) => belongsToKey(key, entryKey));
      await Promise.all(all.map(([key, entry]) => closeEntry(key, entry)));
    },
    async tick() {
      const idleSince = ports.clock.now() - IDLE_MS;
      const idle = [...entries].filter(([, { running, used }]) => running === 0 && used <= idleSince);
      await Promise.all(idle.map(([key, entry]) => closeEntry(key, entry)));
    },
    async close() {
      closed = true;
      await Promise.all([...entries].map(([key, entry]) => closeEntry(key, entry)));
    },
  };
}

async function openClient(
  ports: McpClientPoolPorts,
  entry: PoolEntry,
  eras: Map<string, ProtocolEra>,
): Promise<OpenClient> {
  const { server } = entry;
  const knownEra = eras.get(server.key);
  const client = await openMcpClient(
    toClientOptions(ports, () => entry.server, {
      ...(knownEra ? { era: knownEra } : {}),
      ...(entry.resumes ? { resumes: entry.resumes } : {}),
      signal: entry.stop.signal,
      onToolsChanged: () => {
        if (entry.open) entry.open.stale = true;
      },
    }),
  );
  try {
    eras.set(server.key, client.era);
    // A continued session is only asked for its task, not for the server's tools.
    const list = entry.resumes ? undefined : toToolList(server.definition.name, await client.tools());
    entry.open = { client, list: list ?? { tools: [], left: [] }, stale: false };
    if (list) await server.onList?.(list);
    return entry.open;
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** Returns whether the server no longer knows a continued session. */
function isSessionGone(error: unknown): boolean {
  const status = error instanceof Problem ? getRefusal(error.cause)?.status : undefined;
  return status === 404 || status === 410 || status === 400;
}

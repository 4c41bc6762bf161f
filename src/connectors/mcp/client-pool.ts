import type { CallToolResult } from "@modelcontextprotocol/client";
import type { Clock } from "#net/ports";
import { Problem } from "#protocol/errors";
import { type McpClient, openMcpClient } from "./client.ts";
import { type McpServerRef, toClientOptions } from "./client-options.ts";
import type { McpDefinition, McpTool } from "./definition.ts";
import { isClosedProblem } from "./faults.ts";
import { belongsToKey, chooseConnectionKey, countQuestions, type OpeningClient, waitForClient } from "./pool-entry.ts";
import type { Programs } from "./programs.ts";
import { diffTools, formatToolDiff, hasDifferences } from "./tool-diff.ts";
import { type ToolList, toToolList } from "./tools.ts";
import type { CallOptions, ProtocolEra } from "./types.ts";

/** Time in ms after which an unused connection is closed and its program ended. */
const IDLE_MS = 5 * 60_000;

/** Shown when a server is added: such servers end with the clients that still speak to them. */
const OLD_TRANSPORT = "It uses HTTP with SSE, which MCP replaced in 2025 by Streamable HTTP. kay still supports it.";

type ServerCall = CallOptions & {
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

type OpenClient = { client: McpClient; list: ToolList; stale: boolean };
type PoolEntry = OpeningClient<OpenClient> & { server: McpServerRef; running: number; used: number; asking: number };

export type McpClientPoolPorts = { programs?: Programs; clock: Clock; version: string };

export function createMcpClientPool(ports: McpClientPoolPorts): McpClientPool {
  const entries = new Map<string, PoolEntry>();
  const eras = new Map<string, ProtocolEra>();
  const closeEntry = async (key: string, entry: PoolEntry) => {
    if (entries.get(key) === entry) entries.delete(key);
    entry.stop.abort();
    await entry.opening.then(({ client }) => client.close()).catch(() => {});
  };
  const getEntry = (server: McpServerRef): PoolEntry => {
    const known = entries.get(server.key);
    if (known && (!known.open || known.open.client.alive())) {
      known.server = server;
      return known;
    }
    if (known) void closeEntry(server.key, known);
    const entry: PoolEntry = {
      opening: Promise.reject(new Error("Replaced below.")),
      stop: new AbortController(),
      server,
      running: 0,
      asking: 0,
      used: ports.clock.now(),
    };
    entry.opening.catch(() => {});
    entry.opening = openClient(ports, entry, eras);
    entry.opening.catch(() => entries.get(server.key) === entry && entries.delete(server.key));
    entries.set(server.key, entry);
    return entry;
  };
  const chooseEntry = (server: McpServerRef): McpServerRef => {
    if (eras.get(server.key) === "modern") return server;
    return {
      ...server,
      key: chooseConnectionKey(entries, server.key, { shared: !("url" in server.definition.place) }),
    };
  };
  const callOnce = async (server: McpServerRef, tool: McpTool, input: Record<string, unknown>, call: ServerCall) => {
    const entry = getEntry(server);
    entry.running++;
    try {
      const left = () => entry.running === 1 && void closeEntry(server.key, entry);
      const open = await waitForClient(entry, { ...call, title: server.definition.title, left });
      if (open.stale || call.doubtful) await refreshTools(open, server, call);
      requireApproved(server.definition, tool, open.list);
      if (call.writes) await call.sent?.();
      return await open.client.call(tool.remote, input, {
        ...call,
        ...(call.onElicitation ? { onElicitation: countQuestions(entry, call.onElicitation) } : {}),
      });
    } finally {
      entry.running--;
      entry.used = ports.clock.now();
    }
  };
  return {
    async call(given, tool, input, call) {
      const server = call.onElicitation ? chooseEntry(given) : given;
      try {
        return await callOnce(server, tool, input, call);
      } catch (error) {
        const lost = error instanceof Problem && error.code === "OUTCOME_UNKNOWN";
        const again =
          isClosedProblem(error) ||
          (lost && call.repeatable && entries.get(server.key)?.open?.client.alive() === false);
        if (!again || call.signal?.aborted) throw error;
        call.log?.(`Lost the connection to ${server.definition.title}; trying again.`);
        return await callOnce(server, tool, input, call);
      }
    },
    async look(server, signal) {
      const client = await openMcpClient(toClientOptions(ports, () => server, signal ? { signal } : {}));
      try {
        const list = toToolList(server.definition.name, await client.tools(signal));
        const left = client.variant === "sse" ? [OLD_TRANSPORT, ...list.left] : list.left;
        return { server: client.server, era: client.era, list: { ...list, left } };
      } finally {
        await client.close();
      }
    },
    async forget(key) {
      const all = [...entries].filter(([one]) => belongsToKey(key, one));
      await Promise.all(all.map(([one, entry]) => closeEntry(one, entry)));
    },
    async tick() {
      const before = ports.clock.now() - IDLE_MS;
      const idle = [...entries].filter(([, { running, used }]) => running === 0 && used <= before);
      await Promise.all(idle.map(([key, entry]) => closeEntry(key, entry)));
    },
    async close() {
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
  const known = eras.get(server.key);
  const client = await openMcpClient(
    toClientOptions(ports, () => entry.server, {
      ...(known ? { era: known } : {}),
      signal: entry.stop.signal,
      onToolsChanged: () => {
        if (entry.open) entry.open.stale = true;
      },
    }),
  );
  try {
    eras.set(server.key, client.era);
    const open: OpenClient = {
      client,
      list: toToolList(server.definition.name, await client.tools()),
      stale: false,
    };
    entry.open = open;
    await server.listed?.(open.list);
    return open;
  } catch (error) {
    await client.close();
    throw error;
  }
}

async function refreshTools(open: OpenClient, server: McpServerRef, { log, signal }: ServerCall): Promise<void> {
  open.stale = false;
  const before = open.list;
  open.list = toToolList(server.definition.name, await open.client.tools(signal));
  await server.listed?.(open.list);
  if (!hasDifferences(diffTools(before.tools, open.list.tools))) return;
  const difference = diffTools(server.definition.tools, open.list.tools);
  if (!hasDifferences(difference)) return;
  const sentences = formatToolDiff(server.definition.tools, difference);
  log?.(
    `${server.definition.title} changed its tools. ${sentences.slice(0, 3).join(" ")} ${buildApproveHint(server.definition.name)}`,
  );
}

/** Checks the tool against the server's current list: an approved tool may mean something else by now. */
function requireApproved({ name, title }: McpDefinition, tool: McpTool, { tools }: ToolList): void {
  const now = tools.find((each) => each.name === tool.name);
  if (!now) throw new Problem("NOT_FOUND", `${title} no longer has ${tool.name}.`, { hint: buildApproveHint(name) });
  if (hasDifferences(diffTools([tool], [now]))) throw changedToolProblem({ name, title }, tool, now);
}

/** Creates the error for a changed tool. `now` is the tool that the server lists. */
function changedToolProblem(
  { name, title }: Pick<McpDefinition, "name" | "title">,
  tool: McpTool,
  now: McpTool,
): Problem {
  const [first = ""] = formatToolDiff([tool], diffTools([tool], [now]));
  return new Problem("TOOL_CHANGED", `${title} changed ${tool.name} since it was approved. ${first}`, {
    hint: buildApproveHint(name),
    details: { service: name, tool: tool.name },
  });
}

function buildApproveHint(name: string): string {
  return `Review it with \`kay services approve ${name}\`.`;
}

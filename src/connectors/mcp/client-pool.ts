import type { CallToolResult } from "@modelcontextprotocol/client";
import type { Clock } from "#net/ports";
import { Problem } from "#protocol/errors";
import { type McpClient, openMcpClient } from "./client.ts";
import { type McpServerRef, toClientOptions } from "./client-options.ts";
import type { McpDefinition, McpTool } from "./definition.ts";
import { isClosedProblem } from "./faults.ts";
import { chooseConnectionKey, countQuestions, isKeyOf, type OpeningClient, waitForClient } from "./pool-entry.ts";
import type { Programs } from "./programs.ts";
import { diffTools, formatToolDiff, hasDifferences } from "./tool-diff.ts";
import { type ToolList, toToolList } from "./tools.ts";
import type { CallOptions, ProtocolEra } from "./types.ts";

/** Milliseconds after which a link that nobody uses is closed, and its program ended. */
const IDLE_MS = 5 * 60_000;

type ServerCall = Omit<CallOptions, "writes"> & {
  /** To be awaited before a write leaves. */
  sent?(): Promise<void>;
  /** What whoever follows the call is told. */
  log?(words: string): void;
  /** The tool may be another one by now: the server is asked before it is called. */
  doubtful?: boolean;
};

/** What a look at a server found. */
export type InspectionResult = { server: McpClient["server"]; era: ProtocolEra; list: ToolList };

/** Links to MCP servers: opened when they are needed, shared by the calls of one person, closed when idle. */
export type McpClientPool = {
  /**
   * Call a tool that was approved, over a link that is there or a new one.
   *
   * @throws Problem TOOL_CHANGED when the server lists another tool than the one that was approved, and those of `Link.call`
   */
  call(server: McpServerRef, tool: McpTool, input: Record<string, unknown>, call: ServerCall): Promise<CallToolResult>;
  /** Greet a server over a link of its own and list its tools. @throws Problem those of `openLink` */
  look(server: Omit<McpServerRef, "key">, signal?: AbortSignal): Promise<InspectionResult>;
  /** Close what was opened for a key. */
  forget(key: string): Promise<void>;
  /** To be called about once a second: ends what is idle. */
  tick(): Promise<void>;
  close(): Promise<void>;
};

type Open = { link: McpClient; list: ToolList; stale: boolean };
type Entry = OpeningClient<Open> & { server: McpServerRef; running: number; used: number; asking: number };

export type McpClientPoolPorts = { programs?: Programs; clock: Clock; version: string };

export function createMcpClientPool(ports: McpClientPoolPorts): McpClientPool {
  const entries = new Map<string, Entry>();
  const eras = new Map<string, ProtocolEra>();
  const drop = async (key: string, entry: Entry) => {
    if (entries.get(key) === entry) entries.delete(key);
    entry.stop.abort();
    await entry.opening.then(({ link }) => link.close()).catch(() => {});
  };
  const entryOf = (server: McpServerRef): Entry => {
    const known = entries.get(server.key);
    if (known && (!known.open || known.open.link.alive())) {
      known.server = server;
      return known;
    }
    if (known) void drop(server.key, known);
    const entry: Entry = {
      opening: Promise.reject(new Error("It is opened below.")),
      stop: new AbortController(),
      server,
      running: 0,
      asking: 0,
      used: ports.clock.now(),
    };
    entry.opening.catch(() => {});
    entry.opening = open(ports, entry, eras);
    entry.opening.catch(() => entries.get(server.key) === entry && entries.delete(server.key));
    entries.set(server.key, entry);
    return entry;
  };
  const beside = (server: McpServerRef): McpServerRef => {
    if (eras.get(server.key) === "modern") return server;
    return {
      ...server,
      key: chooseConnectionKey(entries, server.key, { shared: !("url" in server.definition.place) }),
    };
  };
  const once = async (server: McpServerRef, tool: McpTool, input: Record<string, unknown>, call: ServerCall) => {
    const entry = entryOf(server);
    entry.running++;
    try {
      const left = () => entry.running === 1 && void drop(server.key, entry);
      const open = await waitForClient(entry, { ...call, title: server.definition.title, left });
      if (open.stale || call.doubtful) await relist(open, server, call);
      requireApproved(server.definition, tool, open.list);
      if (tool.access !== "read") await call.sent?.();
      return await open.link.call(tool.remote, input, {
        ...call,
        ...(call.onElicitation ? { onElicitation: countQuestions(entry, call.onElicitation) } : {}),
        writes: tool.access !== "read",
      });
    } finally {
      entry.running--;
      entry.used = ports.clock.now();
    }
  };
  return {
    async call(given, tool, input, call) {
      const server = call.onElicitation ? beside(given) : given;
      try {
        return await once(server, tool, input, call);
      } catch (error) {
        const lost = error instanceof Problem && error.code === "OUTCOME_UNKNOWN";
        const again =
          isClosedProblem(error) || (lost && tool.repeatable && entries.get(server.key)?.open?.link.alive() === false);
        if (!again || call.signal?.aborted) throw error;
        call.log?.(`${server.definition.title} was gone; trying again.`);
        return await once(server, tool, input, call);
      }
    },
    async look(server, signal) {
      const link = await openMcpClient(toClientOptions(ports, () => server, signal ? { signal } : {}));
      try {
        return {
          server: link.server,
          era: link.era,
          list: toToolList(server.definition.name, await link.tools(signal)),
        };
      } finally {
        await link.close();
      }
    },
    async forget(key) {
      const all = [...entries].filter(([one]) => isKeyOf(key, one));
      await Promise.all(all.map(([one, entry]) => drop(one, entry)));
    },
    async tick() {
      const before = ports.clock.now() - IDLE_MS;
      const idle = [...entries].filter(([, { running, used }]) => running === 0 && used <= before);
      await Promise.all(idle.map(([key, entry]) => drop(key, entry)));
    },
    async close() {
      await Promise.all([...entries].map(([key, entry]) => drop(key, entry)));
    },
  };
}

async function open(ports: McpClientPoolPorts, entry: Entry, eras: Map<string, ProtocolEra>): Promise<Open> {
  const { server } = entry;
  const known = eras.get(server.key);
  const link = await openMcpClient(
    toClientOptions(ports, () => entry.server, {
      ...(known ? { era: known } : {}),
      signal: entry.stop.signal,
      onToolsChanged: () => {
        if (entry.open) entry.open.stale = true;
      },
    }),
  );
  try {
    eras.set(server.key, link.era);
    const open: Open = { link, list: toToolList(server.definition.name, await link.tools()), stale: false };
    entry.open = open;
    await server.listed?.(open.list);
    return open;
  } catch (error) {
    await link.close();
    throw error;
  }
}

async function relist(open: Open, server: McpServerRef, { log, signal }: ServerCall): Promise<void> {
  open.stale = false;
  const before = open.list;
  open.list = toToolList(server.definition.name, await open.link.tools(signal));
  await server.listed?.(open.list);
  if (!hasDifferences(diffTools(before.tools, open.list.tools))) return;
  const difference = diffTools(server.definition.tools, open.list.tools);
  if (!hasDifferences(difference)) return;
  const sentences = formatToolDiff(server.definition.tools, difference);
  log?.(
    `${server.definition.title} changed its tools. ${sentences.slice(0, 3).join(" ")} ${approveHint(server.definition.name)}`,
  );
}

/** What the server lists now is what counts; what was approved of it before may mean something else by now. */
function requireApproved({ name, title }: McpDefinition, tool: McpTool, { tools }: ToolList): void {
  const now = tools.find((each) => each.name === tool.name);
  if (!now)
    throw new Problem("NOT_FOUND", `${title} does not have ${tool.name} any more.`, { hint: approveHint(name) });
  if (hasDifferences(diffTools([tool], [now]))) throw changedTool({ name, title }, tool, now);
}

/** `now` is what the server lists. */
function changedTool({ name, title }: Pick<McpDefinition, "name" | "title">, tool: McpTool, now: McpTool): Problem {
  const [first = ""] = formatToolDiff([tool], diffTools([tool], [now]));
  return new Problem("TOOL_CHANGED", `${title} changed ${tool.name} since it was approved. ${first}`, {
    hint: approveHint(name),
    details: { service: name, tool: tool.name },
  });
}

function approveHint(name: string): string {
  return `Look at it with \`kay services approve ${name}\`.`;
}

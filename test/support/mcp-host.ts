import { Client, type ClientOptions, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import * as z from "zod/mini";
import { JSON_DOCUMENTS } from "#cli/json-documents/table";
import { createMessageRepair, TASK_KEY } from "#connectors/mcp/transport/repair";
import type { FakeTerminal } from "./fake-terminal.ts";
import type { Machine } from "./kay.ts";

/** An agent that uses `kay mcp` through the SDK's own client. */
export type Host = {
  client: Client;
  /** Calls a tool and returns what its model reads. */
  call(name: string, input: Record<string, unknown>, signal?: AbortSignal): Promise<Record<string, unknown>>;
  /** Calls a tool, and returns the task that answers it. */
  startTask(name: string, input: Record<string, unknown>): Promise<{ taskId: string; status: string }>;
  /** Sends a request about a task. */
  askTask(method: `tasks/${string}`, taskId: string): Promise<Record<string, unknown>>;
  /** Ends the input of `kay mcp`, as a host that ends does, and returns its exit code. */
  close(): Promise<number>;
};

type HostOptions = { flags?: string[]; era?: "legacy" | "modern" } & Pick<ClientOptions, "capabilities"> & {
    /** Answers kay's questions in the host. */
    answers?(message: string, url?: string): object | Promise<object>;
  };

/** Starts `kay mcp` on a machine and connects a host to it. */
export async function openHost(
  machine: Machine,
  { flags = [], era = "legacy", capabilities = {}, answers }: HostOptions = {},
): Promise<Host> {
  const input = createPipe();
  // The SDK's client knows no task of the newer protocol.
  const repair = createMessageRepair();
  const client = new Client(
    { name: "claude-code", version: "9.9.9" },
    { capabilities, versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" } },
  );
  if (answers)
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      const url = "url" in params && typeof params.url === "string" ? params.url : undefined;
      return (await answers(params.message, url)) as { action: "accept" };
    });
  const transport: Transport = {
    start: async () => {},
    send: async (message) => {
      repair.noteRequests(message);
      await input.write(`${JSON.stringify(message)}\n`);
    },
    close: async () => input.end(),
  };
  const exit = machine(["mcp", ...flags], {
    stdin: () => input.chunks,
    at: (terminal) =>
      readLines(terminal, (line) => transport.onmessage?.(repair.repairMessages(parseMessage(line)) as JSONRPCMessage)),
  });
  const close = async () => {
    await client.close();
    return (await exit).exit;
  };
  onTestFinished(async () => void (await close()));
  await client.connect(transport);
  return {
    client,
    close,
    startTask: async (name, args) => {
      const { _meta } = await client.callTool({ name, arguments: args });
      return _meta?.[TASK_KEY] as { taskId: string; status: string };
    },
    askTask: (method, taskId) => client.request({ method, params: { taskId } } as never, z.looseObject({})),
    call: async (name, args, signal) => {
      const { content } = await client.callTool({ name, arguments: args }, { ...(signal ? { signal } : {}) });
      const [first] = content as { text: string }[];
      return JSON.parse(first?.text ?? "{}") as Record<string, unknown>;
    },
  };
}

/** Checks every line of `kay mcp` against its schema. */
function parseMessage(line: string): JSONRPCMessage {
  const message: unknown = JSON.parse(line);
  return z.parse(JSON_DOCUMENTS.mcp?.schema as z.core.$ZodType<JSONRPCMessage>, message);
}

function readLines(terminal: FakeTerminal, onLine: (line: string) => void): void {
  let rest = "";
  const { write } = terminal.stdout;
  terminal.stdout.write = (text) => {
    write(text);
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  };
}

function createPipe() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 100 });
  const writer = writable.getWriter();
  return {
    chunks: readable,
    write: (text: string) => writer.write(new TextEncoder().encode(text)),
    end: () => writer.close().catch(() => {}),
  };
}

import { Readable, Writable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Api } from "#client/api/api";
import { createKayServer } from "#mcp-server/server";
import { Problem } from "#protocol/errors";
import type { ToolView } from "#protocol/tools";
import type { Kay } from "../../kay.ts";
import { type InputError, readHostMessages } from "./input.ts";

/**
 * Serves kay's tools on stdin and stdout until the input ends or a signal arrives. Opens the backend at the first call,
 * so that a host that starts kay too early learns what is missing.
 *
 * @param services services whose tools are listed by name; the others are found by search
 * @throws Problem as `openBackend`, if `services` is not empty and their tools cannot be listed
 */
export async function serveMcp(kay: Kay, services: string[]): Promise<void> {
  if (kay.terminal.stdin.isTerminal)
    throw new Problem("USAGE", "`kay mcp` speaks JSON on stdin, so another program must start it.", {
      hint: "For example `claude mcp add kay -- kay mcp`.",
    });
  const openCalls = createOpener(kay);
  const tools = services.length > 0 ? await listTools(await openCalls(), services) : [];
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const transport = createTransport(kay, resolve);
  const server = serveStdio(() => createKayServer({ version: kay.version, openCalls, tools }), { transport });
  kay.signal.addEventListener("abort", () => resolve(), { once: true });
  await closed;
  await server.close();
}

/** Opens the backend once. After a failure, the next call tries again. */
function createOpener(kay: Kay): () => Promise<Api> {
  let opening: Promise<Api> | undefined;
  return () => {
    opening ??= kay.openBackend({ signedIn: true }).then(({ api }) => api);
    return opening.catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
  };
}

async function listTools(api: Api, services: string[]): Promise<ToolView[]> {
  const lists = await Promise.all(services.map((service) => api.tools({ service })));
  return lists.flatMap((list) => list?.tools ?? []);
}

/** How long calls may still take once the input has ended, in ms. The answers to a host that is gone are lost. */
const LAST_ANSWERS_MS = 5_000;

function createTransport(kay: Kay, onClose: () => void): StdioServerTransport {
  const { stdin, stdout } = kay.terminal;
  const { openRequests, noteReceived, noteSent, whenAnswered } = createRequestLog();
  const readInput = async function* () {
    const onError = (error: InputError) => stdout.write(`${JSON.stringify(error)}\n`);
    for await (const message of readHostMessages(stdin.read(kay.signal), onError)) {
      noteReceived(JSON.parse(message));
      yield message;
    }
    // The input may be a file, whose end does not mean that the answers are unwanted.
    const done = new AbortController();
    const signal = AbortSignal.any([done.signal, kay.signal]);
    const limit = setTimeout(LAST_ANSWERS_MS, undefined, { signal }).catch(() => {});
    if (openRequests.size > 0) await Promise.race([whenAnswered(), limit]);
    done.abort();
  };
  const input = Readable.from(readInput(), { objectMode: false });
  const output = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, callback) => {
      stdout.write(String(chunk));
      callback();
    },
  });
  input.once("close", onClose);
  const transport = new StdioServerTransport(input, output);
  const send = transport.send.bind(transport);
  transport.send = async (message) => {
    await send(message);
    noteSent(message);
  };
  return transport;
}

/** Creates a log of the host's requests that have no answer yet. */
function createRequestLog() {
  const openRequests = new Set<unknown>();
  let onAnswered = () => {};
  const close = (id: unknown) => {
    openRequests.delete(id);
    if (openRequests.size === 0) onAnswered();
  };
  return {
    openRequests,
    noteReceived: ({ id, method, params }: { id?: unknown; method?: string; params?: { requestId?: unknown } }) => {
      if (method !== undefined && id !== undefined) openRequests.add(id);
      if (method === "notifications/cancelled") close(params?.requestId);
    },
    noteSent: (message: JSONRPCMessage) => {
      if (!("method" in message)) close(message.id);
    },
    whenAnswered: () =>
      new Promise<void>((resolve) => {
        onAnswered = resolve;
      }),
  };
}

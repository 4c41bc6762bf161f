import { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Api } from "#client/api/api";
import { createKayServer } from "#mcp-server/server";
import { Problem } from "#protocol/errors";
import type { ToolView } from "#protocol/tools";
import type { Kay } from "../../kay.ts";

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

function createTransport(kay: Kay, onClose: () => void): StdioServerTransport {
  const { stdin, stdout } = kay.terminal;
  const input = Readable.from(stdin.read(kay.signal), { objectMode: false });
  const output = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, callback) => {
      stdout.write(String(chunk));
      callback();
    },
  });
  input.once("close", onClose);
  return new StdioServerTransport(input, output);
}

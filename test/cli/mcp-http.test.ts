import { expect, test } from "vitest";
import { type MachineOptions, useKay } from "#test/kay";
import { notesServer } from "#test/mcp-server";

const kay = useKay();
const ADDRESS = "https://notes.example.test/mcp";

/** A user who adds the notes server, behind this front. */
function ann(front: (request: Request, forward: (request: Request) => Promise<Response>) => Promise<Response>) {
  const server = notesServer();
  server.state.paid = true;
  const elsewhere: MachineOptions["elsewhere"] = (url, init) => front(new Request(url, init), server.fetch);
  return { server, run: kay({ signedIn: true, elsewhere }) };
}

const add = (address = ADDRESS) => ["services", "add", "--name", "notes", "--mcp", address, "--yes"];
const READ = "tools call notes.list_paid";

const ENDED = [
  ["404 without a body", 404, ""],
  [
    "400 with the sentence of the SDK's examples",
    400,
    '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}',
  ],
  [
    "400 of a server that was not initialized",
    400,
    '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},"id":null}',
  ],
  ["400 with a plain text", 400, "Invalid session ID"],
  ["400 without a body", 400, ""],
  ["410", 410, '{"error":"gone"}'],
  ["an error in a success", 200, '{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Session not found"}}'],
] as const;

test.each(ENDED)("B253: a session that the server answers with %s is started again", async (_, status, body) => {
  let sessionId = "";
  const { run, server } = ann(async (request, forward) => {
    const session = request.headers.get("mcp-session-id");
    if (session === null || session !== sessionId) {
      const message = request.method === "POST" ? ((await request.clone().json()) as { id?: number }) : {};
      if (session === null) return await forward(request);
      const answer = status === 200 ? body.replace('"id":1', `"id":${message.id ?? 1}`) : body;
      return new Response(answer, { status, headers: { "content-type": "application/json" } });
    }
    return await forward(request);
  });
  const forward = server.fetch;
  server.fetch = async (request) => {
    const response = await forward(request);
    sessionId = response.headers.get("mcp-session-id") ?? sessionId;
    return response;
  };
  await run(add());
  expect(await run(READ)).toMatchObject({ exit: 0, stdout: "paid notes\n" });
  sessionId = "none";
  expect(await run(READ)).toMatchObject({ exit: 0, stdout: "paid notes\n" });
});

test.each([
  [400, ""],
  [403, "  Ask an administrator of Notes for permission, or use another account.\n"],
])(
  "B253: a refusal for another reason is shown with the server's sentence, and not retried: %d",
  async (status, hint) => {
    let calls = 0;
    const { run } = ann(async (request, forward) => {
      if (!(await request.clone().text()).includes("tools/call")) return await forward(request);
      calls++;
      return Response.json({ error: { message: "The plan of this account allows no calls." } }, { status });
    });
    await run(add());
    expect(await run(READ)).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining(
        `✗ Notes refused the request (HTTP ${status}): “The plan of this account allows no calls”.\n${hint}`,
      ),
    });
    expect(calls).toBe(1);
  },
);

test.each([307, 308])("B254: a redirect %d within the origin is followed with method and body", async (status) => {
  const paths: string[] = [];
  const { run } = ann(async (request, forward) => {
    const { pathname, origin } = new URL(request.url);
    paths.push(pathname);
    if (pathname === "/mcp") return new Response(null, { status, headers: { location: `${origin}/mcp/` } });
    return await forward(request);
  });
  expect(await run(add())).toMatchObject({ exit: 0 });
  expect(await run(READ)).toMatchObject({ stdout: "paid notes\n" });
  expect(new Set(paths)).toEqual(new Set(["/mcp", "/mcp/"]));
});

test.each([
  [
    "another site",
    307,
    "https://other.example.test/mcp?key=s3cret",
    "https://other.example.test/mcp",
    "https://other.example.test/mcp",
  ],
  ["a page", 302, "/login", "https://notes.example.test/login", "https://notes.example.test/login"],
  [
    "the same address without TLS",
    307,
    "http://notes.example.test/mcp/",
    "http://notes.example.test/mcp/",
    "https://notes.example.test/mcp/",
  ],
])("B254: a redirect to %s is not followed, and its address is named", async (_, status, location, address, better) => {
  const { run } = ann(async () => new Response(null, { status, headers: { location } }));
  expect((await run(add())).stderr).toContain(
    `✗ The server redirects to ${address}. kay follows only redirects within one site that keep the request, so add ${better} instead if you trust it.\n`,
  );
});

test.each([null, "text/plain; charset=utf-8", "application/json; charset=utf-8"])(
  "a message with the content type %s is accepted, even after a byte order mark",
  async (type) => {
    const { run } = ann(async (request, forward) => {
      const response = await forward(request);
      if (!response.headers.get("content-type")?.startsWith("text/event-stream") || request.method === "GET")
        return response;
      const data = /^data: (.*)$/m.exec(await response.text())?.[1] ?? "";
      const headers = new Headers(response.headers);
      headers.delete("content-type");
      const body = new TextEncoder().encode(`\uFEFF${data}`);
      if (type !== null) headers.set("content-type", type);
      return new Response(body, { status: response.status, headers });
    });
    expect(await run(add())).toMatchObject({ exit: 0 });
    expect(await run(READ)).toMatchObject({ exit: 0, stdout: "paid notes\n" });
  },
);

test.each([400, 405, 500])("a server that refuses notifications with %d works", async (status) => {
  const { run } = ann(async (request, forward) => {
    const response = await forward(request.clone());
    const isNotification = request.method === "POST" && !("id" in ((await request.json()) as object));
    return isNotification ? new Response("Bad Request: missing id", { status }) : response;
  });
  expect(await run(add())).toMatchObject({ exit: 0 });
  expect(await run(READ)).toMatchObject({ exit: 0, stdout: "paid notes\n" });
});

test("an answer in a list, with an error of null, is accepted", async () => {
  const { run } = ann(async (request, forward) => {
    const response = await forward(request);
    if (request.method === "GET" || !response.headers.get("content-type")?.startsWith("text/event-stream"))
      return response;
    const message = JSON.parse(/^data: (.*)$/m.exec(await response.text())?.[1] ?? "") as object;
    const headers = new Headers(response.headers);
    headers.set("content-type", "application/json");
    return new Response(JSON.stringify([{ ...message, error: null }]), { headers });
  });
  expect(await run(add())).toMatchObject({ exit: 0 });
  expect(await run(READ)).toMatchObject({ exit: 0, stdout: "paid notes\n" });
});

test("B254: an endless redirect is refused in one sentence", async () => {
  let requestCount = 0;
  const { run } = ann(async (request) => {
    requestCount++;
    return new Response(null, { status: 307, headers: { location: request.url } });
  });
  expect((await run(add())).stderr).toContain("✗ Notes refused the request (HTTP 307).\n");
  expect(requestCount).toBeLessThan(60);
});

/** An old server as a stream of events: POST to its address is refused, and messages go where the stream says. */
function oldServer({ answers = "on the stream" }: { answers?: "on the stream" | "in the response" } = {}) {
  const encoder = new TextEncoder();
  const streams = new Set<ReadableStreamDefaultController<Uint8Array>>();
  const send = (text: string) => {
    for (const controller of streams) controller.enqueue(encoder.encode(text));
  };
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: "2024-11-05",
      capabilities: { tools: {} },
      serverInfo: { name: "notes", version: "1" },
    },
    "tools/list": {
      tools: [{ name: "list_paid", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }],
    },
    "tools/call": { content: [{ type: "text", text: "old notes" }] },
  };
  let opened = 0;
  return {
    opened: () => opened,
    /** Ends every stream, as a restart does. */
    cut: () => {
      for (const controller of streams) controller.close();
      streams.clear();
    },
    fetch: async (request: Request): Promise<Response> => {
      const { pathname } = new URL(request.url);
      if (request.method === "GET" && pathname === "/mcp") {
        opened++;
        const session = opened;
        const body = new ReadableStream<Uint8Array>({
          start: (controller) => {
            streams.add(controller);
            controller.enqueue(encoder.encode(`event: endpoint\ndata: /messages?session=${session}\n\n`));
          },
        });
        return new Response(body, { headers: { "content-type": "text/event-stream" } });
      }
      if (pathname !== "/messages") return new Response("Method Not Allowed", { status: 405 });
      const { id, method } = (await request.json()) as { id?: number; method: string };
      if (id !== undefined && answers === "in the response")
        return Response.json({ jsonrpc: "2.0", id, result: results[method], error: null });
      if (id !== undefined)
        send(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result: results[method] })}\n\n`);
      return new Response("Accepted", { status: 202 });
    },
  };
}

test("B255: a server of the old transport works, a note says that it is old, and a cut stream is reopened", async () => {
  const server = oldServer();
  const run = kay({ signedIn: true, elsewhere: (url, init) => server.fetch(new Request(url, init)) });
  const added = await run(add());
  expect(added).toMatchObject({ exit: 0 });
  expect(added.stderr).toContain(
    "! It uses HTTP with SSE, which MCP replaced in 2025 by Streamable HTTP. kay still supports it.\n",
  );
  expect(await run(READ)).toMatchObject({ exit: 0, stdout: "old notes\n" });
  const openedCount = server.opened();
  expect(await run(READ)).toMatchObject({ exit: 0, stdout: "old notes\n" });
  expect(server.opened()).toBe(openedCount);
  server.cut();
  expect(await run(READ)).toMatchObject({ exit: 0, stdout: "old notes\n" });
  expect(server.opened()).toBe(openedCount + 1);
});

test("B255: an old server that answers in the response to a message works too", async () => {
  const server = oldServer({ answers: "in the response" });
  const run = kay({ signedIn: true, elsewhere: (url, init) => server.fetch(new Request(url, init)) });
  expect(await run(add())).toMatchObject({ exit: 0 });
  expect(await run(READ)).toMatchObject({ exit: 0, stdout: "old notes\n" });
});

test("B255: a server that refuses both transports is reported with its first answer", async () => {
  const { run } = ann(async () => new Response("Method Not Allowed", { status: 405 }));
  expect((await run(add())).stderr).toContain("✗ Notes refused the request (HTTP 405): “Method Not Allowed”.\n");
});

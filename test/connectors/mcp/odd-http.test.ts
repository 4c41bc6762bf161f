import { expect, onTestFinished, test } from "vitest";
import { openMcpClient } from "#connectors/mcp/client";
import type { HttpTransportOptions } from "#connectors/mcp/transport/http-transport";
import type { Fetch } from "#net/ports";
import { Problem } from "#protocol/errors";

type Message = { id?: number; method: string };

const RESULTS: Record<string, unknown> = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "odd", version: "1" },
  },
  "tools/list": { tools: [{ name: "look", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "seen" }] },
};
const answer = ({ id, method }: Message) => ({ jsonrpc: "2.0", id, result: RESULTS[method] ?? {} });
const send = (body: unknown, type: string, status = 200) =>
  new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers: { "content-type": type } });

/** Calls a tool of a server that responds like this to each message. */
async function call(
  respond: (message: Message) => Response | undefined,
  listen = () => new Response(null, { status: 405 }),
) {
  const fetch: Fetch = async (_url, init) => {
    if (init?.method !== "POST") return listen();
    const message = JSON.parse(String(init.body)) as Message;
    if (RESULTS[message.method] === undefined && message.id !== undefined)
      return send({ jsonrpc: "2.0", id: message.id, error: { code: -32_601, message: "Unknown" } }, "application/json");
    const none = message.id === undefined ? new Response(null, { status: 202 }) : undefined;
    return respond(message) ?? none ?? send(answer(message), "application/json");
  };
  const place = { http: { url: "http://odd.example.test/mcp", fetch } };
  const link = await openMcpClient({ name: "odd", title: "Odd", version: "0.0.0", place });
  onTestFinished(() => link.close());
  await link.tools();
  return await link.call("look", {}, { writes: false });
}

const isRequest = ({ id }: Message) => id !== undefined;

test.each<[string, (message: Message) => Response | undefined]>([
  [
    "JSON as a page of HTML",
    (message) => (isRequest(message) ? send(answer(message), "text/html; charset=utf-8") : undefined),
  ],
  ["JSON as events", (message) => (isRequest(message) ? send(answer(message), "text/event-stream") : undefined)],
  [
    "events as JSON",
    (message) =>
      isRequest(message) ? send(`data: ${JSON.stringify(answer(message))}\n\n`, "application/json") : undefined,
  ],
  [
    "events as text",
    (message) => (isRequest(message) ? send(`data: ${JSON.stringify(answer(message))}\n\n`, "text/plain") : undefined),
  ],
  [
    "events with another name",
    (message) =>
      isRequest(message)
        ? send(`event: result\ndata: ${JSON.stringify(answer(message))}\n\n`, "text/event-stream")
        : undefined,
  ],
  [
    "events without a blank line at the end",
    (message) =>
      isRequest(message) ? send(`data: ${JSON.stringify(answer(message))}\n`, "text/event-stream") : undefined,
  ],
  [
    "answers without an ID",
    (message) => (isRequest(message) ? send({ ...answer(message), id: null }, "application/json") : undefined),
  ],
  [
    "notifications that are not found",
    (message) => (isRequest(message) ? undefined : new Response(null, { status: 404 })),
  ],
  [
    "an error without an ID for a notification",
    (message) =>
      isRequest(message) ? undefined : send({ id: null, error: { code: -32_600, message: "No" } }, "application/json"),
  ],
])("a server with %s is understood", async (_, respond) => {
  expect(await call(respond)).toMatchObject({ content: [{ text: "seen" }] });
});

test.each([403, 502])("a web page as HTTP %i is named by its title", async (status) => {
  const page = "<!DOCTYPE html><html><head><title>Blocked by\n ACME</title></head></html>";
  const result = call((message) => (message.method === "tools/call" ? send(page, "text/html", status) : undefined));
  await expect(result).rejects.toMatchObject({
    message: `Odd refused the request (HTTP ${status}). Its answer is the web page “Blocked by ACME”.`,
  });
});

test.each([
  ["a text", { error: "No such user" }],
  ["an object without an ID", { jsonrpc: "2.0", id: null, error: { code: -32_000, message: "No such user" } }],
])("an error that is %s ends its call at once", async (_, body) => {
  const failed = call(({ method }) => (method === "tools/call" ? send(body, "application/json") : undefined));
  await expect(failed).rejects.toMatchObject({ code: "SERVICE_FAILED", message: "Odd: No such user." });
});

test.each([
  [
    { "retry-after": "34" },
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"Slow down"}}',
    "Odd is receiving too many requests: Slow down.",
    "Try again in 34 s.",
  ],
  [{}, "", "Odd is receiving too many requests.", "Try again in a moment."],
])("a limit names the wait: %j", async (headers, body, message, hint) => {
  const failed = call(({ method }) =>
    method === "tools/call" ? new Response(body, { status: 429, headers }) : undefined,
  );
  await expect(failed).rejects.toMatchObject({ code: "RATE_LIMITED", message, hint });
});

// https://github.com/modelcontextprotocol/python-sdk/issues/1661
test("answers that come on the stream instead of in their response are understood", async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const accept = (message: Message) => {
    const event = `data: ${JSON.stringify(answer(message))}\n\n`;
    if (isRequest(message)) void writer.write(new TextEncoder().encode(event));
    return new Response(null, { status: 202, headers: { "mcp-session-id": "s" } });
  };
  let streams = 0;
  const listen = () =>
    streams++ > 0
      ? new Response(null, { status: 409 })
      : new Response(readable, { headers: { "content-type": "text/event-stream" } });
  expect(await call(accept, listen)).toMatchObject({ content: [{ text: "seen" }] });
});

// https://github.com/modelcontextprotocol/python-sdk/issues/3441
test.each<[string, () => Response]>([
  ["is only accepted", () => new Response(null, { status: 202 })],
  ["gets a stream that ends at once", () => send("", "text/event-stream")],
  ["gets a stream without its answer", () => send('data: {"method":"notifications/x"}\n\n', "text/event-stream")],
  [
    "gets a stream that breaks off",
    () => {
      let count = 0;
      const pull = (controller: ReadableStreamDefaultController) =>
        count++ === 0
          ? controller.enqueue(new TextEncoder().encode(": ping\n\n"))
          : controller.error(new Error("reset"));
      const body = new ReadableStream({ pull }, { highWaterMark: 0 });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  ],
])("a call that %s fails at once, and may have been done", async (_, respond) => {
  const { link } = await connect(({ method }) => (method === "tools/call" ? respond() : undefined));
  const failed = { code: "SERVICE_FAILED", message: "Odd did not answer the request." };
  await expect(link.call("look", {}, { writes: false })).rejects.toMatchObject(failed);
  await expect(link.call("look", {}, { writes: true })).rejects.toMatchObject({
    code: "OUTCOME_UNKNOWN",
    message: "Odd did not answer the request. The request may have been processed.",
  });
});

test("a server that only accepts the first request and has no stream fails at once", async () => {
  const accept = () => new Response(null, { status: 202 });
  await expect(call((message) => (message.method === "initialize" ? accept() : undefined))).rejects.toMatchObject({
    message: "Odd did not answer the request.",
  });
});

test("an answer that ends its stream is an answer", async () => {
  const respond = (message: Message) =>
    isRequest(message) ? send(`data: ${JSON.stringify(answer(message))}\n\n`, "text/event-stream") : undefined;
  const { link } = await connect(respond);
  for (let count = 0; count < 3; count++)
    expect(await link.call("look", {}, { writes: true })).toMatchObject({ content: [{ text: "seen" }] });
});

/** A server whose answers depend on the request, and what was asked of it. */
async function connect(
  respond: (message: Message, headers: Headers) => Response | undefined,
  listen?: (headers: Headers) => Response,
  more: Partial<HttpTransportOptions> = {},
  onToolsChanged = () => {},
) {
  const calls: string[] = [];
  const fetch: Fetch = async (_url, init) => {
    const headers = new Headers(init?.headers);
    if (init?.method !== "POST") return listen?.(headers) ?? new Response(null, { status: 405 });
    const message = JSON.parse(String(init.body)) as Message;
    calls.push(message.method);
    if (message.id === undefined) return new Response(null, { status: 202 });
    return respond(message, headers) ?? send(answer(message), "application/json");
  };
  const place = { http: { url: "http://odd.example.test/mcp", fetch, ...more } };
  const link = await openMcpClient({
    name: "odd",
    title: "Odd",
    version: "0.0.0",
    place,
    era: "legacy",
    onToolsChanged,
  });
  onTestFinished(() => link.close());
  await link.tools();
  return { link, countCalls: () => calls.filter((method) => method === "tools/call").length };
}

test("a stream that breaks off after an event with an ID is resumed there, and the call is not sent again", async () => {
  let message: Message | undefined;
  const resumed: (string | null)[] = [];
  const { link, countCalls } = await connect(
    (toolCall) => {
      if (toolCall.method !== "tools/call") return undefined;
      message = toolCall;
      return send("id: 7\nretry: 1\ndata:\n\n", "text/event-stream");
    },
    (headers) => {
      resumed.push(headers.get("last-event-id"));
      if (!message) return new Response(null, { status: 405 });
      return send(`id: 8\ndata: ${JSON.stringify(answer(message))}\n\n`, "text/event-stream");
    },
  );
  expect(await link.call("look", {}, { writes: true })).toMatchObject({ content: [{ text: "seen" }] });
  expect(resumed).toContain("7");
  expect(countCalls()).toBe(1);
});

test("a sign-in that ends during a session is renewed, and the refused call is sent with the new token", async () => {
  let valid = "old";
  const tokens: (string | undefined)[] = [];
  const { link, countCalls } = await connect(
    (_, headers) =>
      headers.get("authorization") === `Bearer ${valid}` ? undefined : new Response(null, { status: 401 }),
    undefined,
    {
      accessToken: async () => tokens.at(-1) ?? "old",
      onUnauthorized: async ({ token }) => {
        if (valid === "gone") throw new Problem("AUTH_REQUIRED", "Odd ended the connection.");
        tokens.push(valid);
        return token === "old" ? "new" : undefined;
      },
    },
  );
  valid = "new";
  expect(await link.call("look", {}, { writes: true })).toMatchObject({ content: [{ text: "seen" }] });
  expect(countCalls()).toBe(2);
  valid = "gone";
  await expect(link.call("look", {}, { writes: true })).rejects.toMatchObject({ code: "AUTH_REQUIRED" });
});

test("a thousand notices that the tools changed ask for no list", async () => {
  let lists = 0;
  let notices = 0;
  const { link } = await connect(
    (message) => {
      if (message.method === "tools/list") lists++;
      if (message.method !== "tools/call") return undefined;
      const notice = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
      const events = [...Array.from({ length: 1_000 }, () => notice), answer(message)];
      return send(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), "text/event-stream");
    },
    undefined,
    {},
    () => notices++,
  );
  expect(await link.call("look", {}, { writes: false })).toMatchObject({ content: [{ text: "seen" }] });
  await expect.poll(() => notices).toBeGreaterThan(0);
  expect(lists).toBe(1);
});

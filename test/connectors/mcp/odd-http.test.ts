import { expect, onTestFinished, test } from "vitest";
import { openMcpClient } from "#connectors/mcp/client";
import type { Fetch } from "#net/ports";

type Message = { id?: number; method: string };

const RESULTS: Record<string, unknown> = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "odd", version: "1" } },
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

const asked = ({ id }: Message) => id !== undefined;

test.each<[string, (message: Message) => Response | undefined]>([
  ["JSON as a page of HTML", (one) => (asked(one) ? send(answer(one), "text/html; charset=utf-8") : undefined)],
  ["JSON as events", (one) => (asked(one) ? send(answer(one), "text/event-stream") : undefined)],
  [
    "events as JSON",
    (one) => (asked(one) ? send(`data: ${JSON.stringify(answer(one))}\n\n`, "application/json") : undefined),
  ],
  [
    "events as text",
    (one) => (asked(one) ? send(`data: ${JSON.stringify(answer(one))}\n\n`, "text/plain") : undefined),
  ],
  [
    "events with another name",
    (one) =>
      asked(one) ? send(`event: result\ndata: ${JSON.stringify(answer(one))}\n\n`, "text/event-stream") : undefined,
  ],
  [
    "events without a blank line at the end",
    (one) => (asked(one) ? send(`data: ${JSON.stringify(answer(one))}\n`, "text/event-stream") : undefined),
  ],
  ["answers without an ID", (one) => (asked(one) ? send({ ...answer(one), id: null }, "application/json") : undefined)],
  ["notifications that are not found", (one) => (asked(one) ? undefined : new Response(null, { status: 404 }))],
  [
    "an error without an ID for a notification",
    (one) => (asked(one) ? undefined : send({ id: null, error: { code: -32_600, message: "No" } }, "application/json")),
  ],
])("a server with %s is understood", async (_, respond) => {
  expect(await call(respond)).toMatchObject({ content: [{ text: "seen" }] });
});

test.each([403, 502])("a web page as HTTP %i is named by its title", async (status) => {
  const page = "<!DOCTYPE html><html><head><title>Blocked by\n ACME</title></head></html>";
  const answered = call((one) => (one.method === "tools/call" ? send(page, "text/html", status) : undefined));
  await expect(answered).rejects.toMatchObject({
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
    if (asked(message)) void writer.write(new TextEncoder().encode(event));
    return new Response(null, { status: 202, headers: { "mcp-session-id": "s" } });
  };
  let streams = 0;
  const listen = () =>
    streams++ > 0
      ? new Response(null, { status: 409 })
      : new Response(readable, { headers: { "content-type": "text/event-stream" } });
  expect(await call(accept, listen)).toMatchObject({ content: [{ text: "seen" }] });
});

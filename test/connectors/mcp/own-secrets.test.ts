import { expect, test } from "vitest";
import type { ProgramEvents } from "#connectors/mcp/programs";
import { createMcpFetch } from "#connectors/mcp/transport/http-transport";
import { createProgramTransport } from "#connectors/mcp/transport/stdio-transport";

const SECRET = "tok/en+0123456789abcdef";
const ask = { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call" }) };
const answer = (text: string) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text }] } });

test.each([
  ["a result", 200, "application/json", (text: string) => answer(text)],
  ["a result with escapes", 200, "application/json", (text: string) => answer(text).replaceAll("/", "\\u002f")],
  ["an event", 200, "text/event-stream", (text: string) => `data: ${answer(text)}\n\n`],
  ["an error", 500, "text/plain", (text: string) => `No access for ${text}`],
] as const)("a server's token is hidden in %s that repeats it", async (_, status, type, write) => {
  const fetch = createMcpFetch(
    "Notes",
    {
      url: "https://notes.test/mcp",
      accessToken: async () => SECRET,
      fetch: async (_url, init) => {
        const authorization = new Headers(init?.headers).get("authorization") ?? "";
        return new Response(write(`${authorization} ${encodeURIComponent(SECRET)}`), {
          status,
          headers: { "content-type": type },
        });
      },
    },
    () => {},
  );
  const text = await (await fetch("https://notes.test/mcp", ask)).text();
  expect(text).toContain("Bearer [redacted] [redacted]");
  expect(text).not.toMatch(/0123456789/);
});

test("a program that prints its environment shows no secret of it, and every path", async () => {
  let events: ProgramEvents | undefined;
  const env: Record<string, string> = { NOTES_API_KEY: SECRET, NOTES_DIR: "/home/ann/notes/of/mine" };
  const transport = createProgramTransport({
    command: ["notes"],
    env: Object.keys(env),
    programs: {
      start: (_command, _options, hears) => {
        events = hears;
        return { write: async () => {}, end: async () => {} };
      },
      lacks: () => [],
      readValues: (names) => names.map((name) => env[name] ?? ""),
    },
  });
  const messages: unknown[] = [];
  transport.onmessage = (message) => messages.push(message);
  await transport.start();
  events?.output(Buffer.from(`${answer(JSON.stringify(env))}\n`));
  events?.errors(Buffer.from(`Error: ${SECRET} is no key\n`));
  const [text] = JSON.stringify(messages).match(/NOTES_API_KEY.*mine/) ?? [];
  expect(text).toMatch(/\[redacted\].*\/home\/ann\/notes\/of\/mine/);
  expect(`${text} ${transport.lastOutput()}`).not.toContain(SECRET);
  expect(transport.lastOutput()).toContain("[redacted] is no key");
});

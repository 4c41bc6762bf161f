import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openMcpClient } from "#connectors/mcp/client";
import { toToolList } from "#connectors/mcp/tools/read-tools";
import { toToolResult } from "#connectors/mcp/tools/result";
import { createPrograms } from "#host/programs";

const programs = createPrograms(process.env, process);
const RAW = [process.execPath, join(import.meta.dirname, "../../support/raw-server.ts")];
const FIELDLESS = { name: "look", inputSchema: { type: "object" } };

/** Connects to a server that answers with these results. */
async function open(results: object) {
  const place = { program: { programs, command: [...RAW, JSON.stringify(results)] } };
  const link = await openMcpClient({ name: "raw", title: "Raw", version: "0.0.0", place });
  onTestFinished(() => link.close());
  const list = async () => toToolList("raw", await link.tools());
  const call = async () => {
    const { tools } = await list();
    const [tool] = tools;
    if (!tool) throw new Error("The server lists no tool.");
    return toToolResult("Raw", tool, await link.call("look", {}, { writes: false }));
  };
  return { link, list, call };
}

test("B213: a byte-order mark before a message is skipped", async () => {
  const { call } = await open({ prefix: "\uFEFF" });
  expect(await call()).toMatchObject({ text: "seen" });
});

test("lines that are no messages are skipped, and a line may end with CR LF", async () => {
  const { call } = await open({ prefix: "Server started on stdio\r\n\r\n[info] {not json}\r\n" });
  expect(await call()).toMatchObject({ text: "seen" });
});

test.each([
  ["the cursor", { "tools/list": { tools: [FIELDLESS], nextCursor: null } }],
  [
    "fields of a tool",
    {
      "tools/list": {
        tools: [
          {
            ...FIELDLESS,
            title: null,
            description: null,
            annotations: null,
            outputSchema: null,
            icons: null,
            _meta: null,
            execution: null,
          },
        ],
      },
    },
  ],
  [
    "fields of a schema",
    {
      "tools/list": {
        tools: [{ name: "look", inputSchema: { type: "object", required: null, properties: null, $defs: null } }],
      },
    },
  ],
  ["hints", { "tools/list": { tools: [{ ...FIELDLESS, annotations: { title: null, readOnlyHint: null } }] } }],
  ["a schema's type", { "tools/list": { tools: [{ name: "look", inputSchema: {} }] } }],
  ["the input schema", { "tools/list": { tools: [{ name: "look", inputSchema: null }] } }],
  ["items of a list", { "tools/list": { tools: [null, FIELDLESS] } }],
  ["the error of an answer", { envelope: { error: null } }],
  [
    "what a server says of itself",
    {
      initialize: {
        protocolVersion: "2025-06-18",
        capabilities: { tools: null, logging: null, prompts: false },
        instructions: null,
        _meta: null,
        serverInfo: { name: "raw", version: null, title: null },
      },
    },
  ],
  [
    "all that a server says of itself",
    { initialize: { protocolVersion: "2025-06-18", capabilities: null, serverInfo: null } },
  ],
])("B215: null for %s counts as absent", async (_, results) => {
  const { list, call } = await open(results);
  expect((await list()).tools.map(({ name, access }) => [name, access])).toEqual([
    ["raw.look", "tools/list" in results || "x" in results ? "destructive" : "read"],
  ]);
  expect(await call()).toEqual({ data: null, text: "seen" });
});

test("B215: null stays a value in data and in a schema's values", async () => {
  const level = { enum: [null, 1], default: null };
  const { list, call } = await open({
    "tools/list": { tools: [{ name: "look", inputSchema: { type: "object", properties: { level } } }] },
    "tools/call": { content: [], structuredContent: { owner: null, tags: [null, "a"] } },
  });
  expect((await list()).tools[0]?.input).toMatchObject({ properties: { level } });
  expect(await call()).toEqual({ data: { owner: null, tags: [null, "a"] }, text: "Done." });
});

test("B215: a tool that is not as MCP requires is left out and named with its field; the others stay", async () => {
  const bad = [
    { name: "number", description: 7, inputSchema: { type: "object" } },
    { name: "hint", inputSchema: { type: "object" }, annotations: { readOnlyHint: "yes" } },
    { name: "list", inputSchema: { type: "array" } },
    { name: "needs", inputSchema: { type: "object", required: [1] } },
    { inputSchema: { type: "object" } },
    "text",
  ];
  const { list } = await open({ "tools/list": { tools: [...bad, { ...FIELDLESS, icons: "none", outputSchema: 5 }] } });
  const { tools, left } = await list();
  expect(tools.map(({ name }) => name)).toEqual(["raw.look"]);
  expect(left).toEqual([
    "A tool without a name was skipped: it is not an object.",
    "hint was skipped: its “annotations.readOnlyHint” is not as MCP requires.",
    "list was skipped: its “inputSchema.type” is not as MCP requires.",
    "needs was skipped: its “inputSchema.required.0” is not as MCP requires.",
    "number was skipped: its “description” is not as MCP requires.",
  ]);
});

test("B219: what is known of a result is shown, and the rest is named", async () => {
  const content = [
    { type: "text", text: "first", annotations: { audience: "everyone" } },
    { type: "image", data: "aGk=", mimeType: "image/png" },
    { type: "resource", resource: { uri: "note://1", text: "a note" } },
    { type: "resource_link", uri: "https://example.test/a", name: "a" },
    { type: "future_kind", payload: { a: 1 } },
    { type: "image", data: "aGk=" },
    { text: "no kind" },
    { type: "text", text: 7 },
    "bare",
    null,
    { type: "text", text: "last" },
  ];
  const { call } = await open({ "tools/call": { content } });
  expect((await call()).text).toBe(
    [
      "first",
      "(An image, image/png, 3 bytes)",
      "`note://1`\n\na note",
      "[a](https://example.test/a)",
      "(Content of the unknown kind “future_kind”, which kay cannot show.)",
      "(Content of the kind “image” with a wrong “mimeType”, which kay cannot show.)",
      "(Content without a kind, which kay cannot show.)",
      "(Content of the kind “text” with a wrong “text”, which kay cannot show.)",
      "bare",
      "last",
    ].join("\n\n"),
  );
});

test.each([
  ["a text", "no quota left", "Raw: no quota left."],
  ["an object without a code", { message: "no quota left" }, "Raw: no quota left."],
  ["a code of text", { code: "E1", message: "no quota left" }, "Raw: no quota left."],
])("an error that is %s fails the request at once", async (_, error, message) => {
  await expect(open({ envelope: { error } })).rejects.toMatchObject({ code: "SERVICE_FAILED", message });
});

test("an answer without its JSON-RPC version, and with fields of its own, is taken", async () => {
  const { call } = await open({ envelope: { jsonrpc: null, took: 5 } });
  expect(await call()).toMatchObject({ text: "seen" });
});

test.each([
  ["no content", {}, { data: null, text: "Done." }],
  ["one block instead of a list", { content: { type: "text", text: "one" } }, { data: null, text: "one" }],
  ["null", null, { data: null, text: "Done." }],
  ["a list as structured output", { content: [], structuredContent: [1] }, { data: { result: [1] }, text: "Done." }],
  ["structured output of null", { content: [], structuredContent: null, isError: null }, { data: null, text: "Done." }],
])("B219: a result with %s is shown", async (_, result, shown) => {
  const { call } = await open({ "tools/call": result });
  expect(await call()).toEqual(shown);
});

test("B256: integers that a number cannot hold keep their digits", async () => {
  const { link } = await open({});
  await link.close();
  const { createLineReader } = await import("#connectors/mcp/transport/line-reader");
  const { parseMessage } = await import("#connectors/mcp/transport/message");
  const [line = ""] = createLineReader(1_000).read(
    Buffer.from('{"id":9007199254740993,"n":[1,-9007199254740993],"f":1.5}\n'),
  );
  expect(parseMessage(line)).toEqual({ id: "9007199254740993", n: [1, "-9007199254740993"], f: 1.5 });
});

test("B215: the error names the field of a response that cannot be used", async () => {
  await expect(open({ initialize: { protocolVersion: null } })).rejects.toMatchObject({
    message: "Raw returned an unexpected response: its “protocolVersion” is not as MCP requires.",
  });
});

test("B220: a protocol version that kay does not support is named, with those that it does", async () => {
  const initialize = { protocolVersion: "2099-01-01", capabilities: {}, serverInfo: { name: "raw", version: "1" } };
  await expect(open({ initialize })).rejects.toMatchObject({
    code: "SERVICE_FAILED",
    message: expect.stringMatching(
      /^Raw speaks version 2099-01-01 of MCP, which kay does not support\. kay supports .*2025-11-25.*\.$/,
    ),
  });
});

test("B220: the versions in a server's refusal are named", async () => {
  const error = {
    code: -32_602,
    message: "Unsupported protocol version",
    data: { supported: ["2023-01-01"], requested: "x" },
  };
  await expect(open({ envelope: { error } })).rejects.toMatchObject({
    message: expect.stringContaining("Raw speaks version 2023-01-01 of MCP, which kay does not support."),
  });
});

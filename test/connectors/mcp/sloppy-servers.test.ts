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

test("the last message of a program that ends without a line break counts", async () => {
  const answers = {
    initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } },
    "tools/call": { content: [{ type: "text", text: "last words" }] },
  };
  const server = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    if (id === undefined) return;
    const result = ${JSON.stringify(answers)}[method];
    const message = JSON.stringify({ jsonrpc: "2.0", id, result });
    if (method === "tools/call") process.stdout.write(message, () => process.exit(0));
    else process.stdout.write(message + "\\n");
  });`;
  const place = { program: { programs, command: [process.execPath, "-e", server] } };
  const link = await openMcpClient({ name: "raw", title: "Raw", version: "0.0.0", place });
  onTestFinished(() => link.close());
  expect(await link.call("look", {}, { writes: false })).toMatchObject({ content: [{ text: "last words" }] });
});

test.each([
  [
    "a list of faults",
    { errors: [{ path: "x", message: "x must be above 3" }] },
    "Raw: Invalid params: x must be above 3.",
  ],
  ["a text", "x must be above 3", "Raw: Invalid params: x must be above 3."],
  ["the same words", { message: "Invalid params" }, "Raw: Invalid params."],
  ["nothing for users", { code: "E1", trace: [1] }, "Raw: Invalid params."],
])("the data of an error with %s is told", async (_, data, message) => {
  const error = { code: -32602, message: "Invalid params", data };
  await expect(open({ envelope: { error } })).rejects.toMatchObject({ code: "SERVICE_FAILED", message });
});

test("data that is nested too deeply is left out, and the result counts", async () => {
  const deep = `{"a":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}`;
  const tool = {
    name: "raw.look",
    remote: "look",
    description: "",
    access: "read",
    repeatable: true,
    input: {},
  } as const;
  const result = toToolResult("Raw", tool, { content: [], structuredContent: JSON.parse(deep) });
  expect(result).toEqual({ data: null, text: "Done.\n\n(Its data is nested too deeply for kay.)" });
});

test("lines that are not messages are skipped, and a line may end with CR LF", async () => {
  const { call } = await open({ prefix: "Server started on stdio\r\n\r\n[info] {not json}\r\n" });
  expect(await call()).toMatchObject({ text: "seen" });
});

test.each([
  ["a log on the same line", { prefix: "Listening on stdio " }],
  ["another message on the same line", { prefix: '{"jsonrpc":"2.0","method":"notifications/message","params":{}}' }],
  [
    "requests before its first answer",
    { prefix: '{"jsonrpc":"2.0","id":0,"method":"ping"}\n{"jsonrpc":"2.0","id":"r","method":"roots/list"}\n' },
  ],
  ["no version", { initialize: { capabilities: {}, serverInfo: { name: "raw", version: "1" } } }],
  ["a list of tools alone", { "tools/list": [FIELDLESS] }],
  ["its tools by name", { "tools/list": { tools: { look: { inputSchema: { type: "object" } } } } }],
  ["a cursor that is a number", { "tools/list": { tools: [FIELDLESS], nextCursor: 5 } }],
  ["a cursor that is false", { "tools/list": { tools: [FIELDLESS], nextCursor: false } }],
  ["a cursor that is an object", { "tools/list": { tools: [FIELDLESS], nextCursor: {} } }],
  ["lists of PHP for objects", { initialize: { protocolVersion: "2025-06-18", capabilities: [], serverInfo: [] } }],
])("a server with %s works", async (_, results) => {
  const { call } = await open(results);
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
  expect(await call()).toMatchObject({ data: { owner: null, tags: [null, "a"] } });
});

test("B215: a tool without a name or an object as input is left out and named; the others stay", async () => {
  const bad = [{ name: "list", inputSchema: { type: "array" } }, { inputSchema: { type: "object" } }, "text"];
  const { list } = await open({ "tools/list": { tools: [...bad, { ...FIELDLESS, icons: "none", outputSchema: 5 }] } });
  const { tools, left } = await list();
  expect(tools.map(({ name }) => name)).toEqual(["raw.look"]);
  expect(left).toEqual([
    "A tool without a name was skipped: it is not an object.",
    "list was skipped: its “inputSchema.type” is not as MCP requires.",
  ]);
});

const A = { a: { type: "string" } };
const TAKES_A = { type: "object", properties: A };

test.each<[string, object, object?]>([
  ["a description that is a list", { description: ["Look", "around"] }, { description: "Look around" }],
  ["a description that is a number", { description: 7 }, { description: "" }],
  ["hints that are texts", { annotations: { readOnlyHint: "yes" } }, { access: "destructive" }],
  ["hints in a list", { annotations: [] }],
  ["a title that is a number", { title: 5 }],
  ["a task support that is a text", { execution: "x" }],
  ["required fields that are no list", { inputSchema: { ...TAKES_A, required: true } }, { input: TAKES_A }],
  [
    "a required field that is no name",
    { inputSchema: { ...TAKES_A, required: [1] } },
    { input: { ...TAKES_A, required: [] } },
  ],
  ["a type in capitals", { inputSchema: { ...TAKES_A, type: "OBJECT" } }, { input: TAKES_A }],
  ["a list of types", { inputSchema: { ...TAKES_A, type: ["object", "null"] } }, { input: TAKES_A }],
  ["its schema as JSON text", { inputSchema: JSON.stringify(TAKES_A) }, { input: TAKES_A }],
  ["its schema in input_schema", { inputSchema: null, input_schema: TAKES_A }, { input: TAKES_A }],
  ["variants at the top", { inputSchema: { anyOf: [TAKES_A, { type: "object" }] } }, { input: TAKES_A }],
  [
    "a reference at the top",
    { inputSchema: { $ref: "#/$defs/A", $defs: { A: { ...TAKES_A, required: ["a"] } } } },
    { input: { ...TAKES_A, required: ["a"] } },
  ],
  [
    "references that kay cannot follow",
    {
      inputSchema: {
        type: "object",
        properties: { a: { $ref: "https://x.test/s.json" }, b: { $ref: "#/properties/a" } },
      },
    },
    { input: { properties: { a: {}, b: {} } } },
  ],
  [
    "choices that kay cannot show",
    { inputSchema: { type: "object", properties: { a: { enum: ["x\ny"] }, b: { enum: [] }, c: { enum: [{}, "x"] } } } },
    { input: { properties: { a: {}, b: {}, c: {} } } },
  ],
  [
    "names of fields that providers do not take",
    { inputSchema: { type: "object", properties: { "filter[name]": A.a, 日付: A.a } } },
    { input: { properties: { "filter[name]": A.a, 日付: A.a } } },
  ],
  [
    "ninety fields",
    {
      inputSchema: {
        type: "object",
        properties: Object.fromEntries([...Array(90).keys()].map((number) => [`p${number}`, {}])),
      },
    },
  ],
])("B215: a tool with %s is taken", async (_, schema, expected = {}) => {
  const { list } = await open({ "tools/list": { tools: [{ ...FIELDLESS, ...schema }] } });
  expect(await list()).toMatchObject({ tools: [{ remote: "look", ...expected }], left: [] });
});

test("B219: the known parts of a result are shown, and the rest is named", async () => {
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
      "no kind",
      "7",
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

test("an answer without its JSON-RPC version, and with additional fields, is accepted", async () => {
  const { call } = await open({ envelope: { jsonrpc: null, took: 5 } });
  expect(await call()).toMatchObject({ text: "seen" });
});

const DATA = '```json\n{\n  "a": 1\n}\n```';
const LIST = '```json\n{\n  "result": [\n    1\n  ]\n}\n```';

test.each([
  ["no content", {}, { data: null, text: "Done." }],
  ["one block instead of a list", { content: { type: "text", text: "one" } }, { data: null, text: "one" }],
  ["null", null, { data: null, text: "Done." }],
  ["a list as structured output", { content: [], structuredContent: [1] }, { data: { result: [1] }, text: LIST }],
  ["data only", { structuredContent: { a: 1 } }, { data: { a: 1 }, text: DATA }],
  ["the toolResult of older servers", { toolResult: { a: 1 } }, { data: { a: 1 }, text: DATA }],
  ["fields of its own", { a: 1 }, { data: { a: 1 }, text: DATA }],
  ["a text instead of an object", "seen", { data: null, text: "seen" }],
  ["a text instead of a list", { content: "seen" }, { data: null, text: "seen" }],
  ["a list instead of an object", [{ type: "text", text: "seen" }], { data: null, text: "seen" }],
  ["Markdown as a kind", { content: [{ type: "markdown", markdown: "seen" }] }, { data: null, text: "seen" }],
  [
    "the address of a picture",
    {
      content: [
        { type: "image_url", image_url: { url: "https://x.test/a" } },
        { type: "image", url: "https://x.test/b" },
      ],
    },
    { data: null, text: "https://x.test/a\n\nhttps://x.test/b" },
  ],
  ["JSON as a kind", { content: [{ type: "json", json: { a: 1 } }] }, { data: null, text: '{"a":1}' }],
  [
    "a resource without a URI",
    { content: [{ type: "resource", resource: { text: "seen" } }] },
    { data: null, text: "seen" },
  ],
  ["_meta of text", { content: [{ type: "text", text: "seen" }], _meta: "x" }, { data: null, text: "seen" }],
  ["structured output of null", { content: [], structuredContent: null, isError: null }, { data: null, text: "Done." }],
])("B219: a result with %s is shown", async (_, result, expected) => {
  const { call } = await open({ "tools/call": result });
  expect(await call()).toEqual(expected);
});

test.each([
  ["only data", { isError: true, content: [], structuredContent: { error: "no quota left" } }],
  ["JSON as text", { isError: true, content: [{ type: "text", text: '{"error":{"message":"no quota left"}}' }] }],
  ["a list of JSON as text", { isError: true, content: [{ type: "text", text: '[{"message":"no quota left"}]' }] }],
  ["its mark as text", { isError: "true", content: [{ type: "text", text: "no quota left" }] }],
])("an error of a tool with %s is told in its words", async (_, result) => {
  const { call } = await open({ "tools/call": result });
  await expect(call()).rejects.toMatchObject({ code: "SERVICE_FAILED", message: "Raw: no quota left." });
});

test("an error of a tool that is a web page is told by its title", async () => {
  const text = "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head></html>";
  const { call } = await open({ "tools/call": { isError: true, content: [{ type: "text", text }] } });
  await expect(call()).rejects.toMatchObject({ message: "Raw: it got the web page “502 Bad Gateway”." });
});

test.each([
  [{ type: "string", nullable: true }, { type: ["string", "null"] }],
  [{ type: "array", prefixItems: [{ type: "string" }], items: false }, { type: "array" }],
  [{ type: "object", patternProperties: { "^x-": {} }, additionalProperties: false }, { type: "object" }],
  [
    { type: "string", enum: ["x"], nullable: true },
    { type: ["string", "null"], enum: ["x", null] },
  ],
  [
    { type: "number", minimum: 0, exclusiveMinimum: true, required: true, id: "x" },
    { type: "number", minimum: 0 },
  ],
  [{ type: "array", items: [{ type: "string" }], additionalItems: false }, { type: "array" }],
  [{ type: "dict", properties: [] }, {}],
  [{ $ref: "#/components/schemas/A" }, {}],
])("a field of another dialect of JSON Schema is read: %j", (schema, expected) => {
  const { tools } = toToolList("raw", [{ name: "look", inputSchema: { type: "object", properties: { a: schema } } }]);
  expect(tools[0]?.input.properties).toEqual({ a: expected });
});

test("B256: integers that a number cannot hold keep their digits", async () => {
  const { link } = await open({});
  await link.close();
  const { createLineReader } = await import("#connectors/mcp/transport/message");
  const { parseMessage } = await import("#connectors/mcp/transport/message");
  const [line = ""] = createLineReader(1_000).read(
    Buffer.from('{"id":9007199254740993,"n":[1,-9007199254740993],"f":1.5}\n'),
  );
  expect(parseMessage(line)).toEqual({ id: "9007199254740993", n: [1, "-9007199254740993"], f: 1.5 });
});

test("B215: the error names the field of an unusable response", async () => {
  await expect(open({ initialize: { protocolVersion: 5 } })).rejects.toMatchObject({
    message: "Raw returned an unexpected response: its “protocolVersion” is not as MCP requires.",
  });
});

test("B220: an unsupported protocol version is named, with the supported ones", async () => {
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

/** Connects to a program whose answers are the body of a function of the request, and its number. */
async function openProgram(body: string) {
  const server = `let count = 0;
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const answer = (() => { ${body} })();
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
  });`;
  const place = { program: { programs, command: [process.execPath, "-e", server] } };
  const link = await openMcpClient({ name: "raw", title: "Raw", version: "0.0.0", place });
  onTestFinished(() => link.close());
  return link;
}

const SERVER = '{ capabilities: { tools: {} }, serverInfo: { name: "raw", version: "1" }';
const TOOL = 'inputSchema: { type: "object" }';

test("a server that refuses the newest version is asked for one that both support", async () => {
  const link = await openProgram(`
    if (method === "tools/list") return { result: { tools: [{ name: "look", ${TOOL} }] } };
    const supported = ["1999-01-01", "2024-11-05", "2025-03-26"];
    if (supported.includes(params.protocolVersion))
      return { result: ${SERVER}, protocolVersion: params.protocolVersion } };
    return { error: { code: -32602, message: "Unsupported protocol version", data: { supported } } };
  `);
  expect(await link.tools()).toMatchObject([{ name: "look" }]);
});

test("a list of tools whose pages never end is cut, and says so", async () => {
  const link = await openProgram(`
    if (method === "initialize") return { result: ${SERVER}, protocolVersion: "2025-06-18" } };
    count++;
    return { result: { tools: [{ name: "look" + count, ${TOOL} }], nextCursor: "page " + count } };
  `);
  const { tools, left } = toToolList("raw", await link.tools());
  expect(tools).toHaveLength(120);
  expect(left).toEqual(["The server has 121 tools; kay uses the first 120."]);
  expect(await link.tools()).toHaveLength(121);
});

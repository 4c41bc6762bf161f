import { expect, test } from "vitest";
import { type Machine, parseDocument, useKay } from "#test/kay";
import { type Host, openHost } from "#test/mcp-host";

const kay = useKay();
const MOVE = { name: "jira.transition_issue", input: { issue: "KAY-3", status: "Done" } };

type Pending = { id: string; session_id: string; title: string; request: { preview: Record<string, unknown> } };

/** Lists the open requests with their whole IDs. */
const listPending = async (ann: Machine) => {
  await ann("pending --json");
  return (JSON.parse(ann.raw().stdout) as { pending: Pending[] }).pending;
};

/** Waits for the one open request. */
async function waitForPending(ann: Machine): Promise<Pending> {
  await expect.poll(() => listPending(ann), { timeout: 20_000 }).toHaveLength(1);
  const [first] = await listPending(ann);
  if (!first) throw new Error("The request was answered meanwhile.");
  return first;
}

const readStatus = async (host: Host) =>
  (await host.call("call_tool", { name: "jira.get_issue", input: { issue: "KAY-3" } })).result;

for (const era of ["legacy", "modern"] as const) {
  test(`a ${era} host finds tools, and a read runs at once without a conversation`, { timeout: 60_000 }, async () => {
    const ann = kay({ signedIn: true });
    const host = await openHost(ann, { era });
    expect((await host.client.listTools()).tools.map(({ name }) => name)).toEqual([
      "search_tools",
      "call_tool",
      "get_result",
    ]);
    const { tools } = await host.call("search_tools", { query: "close a Jira issue" });
    expect(tools).toEqual(
      expect.arrayContaining([
        {
          name: "jira.transition_issue",
          description: expect.any(String),
          access: "write",
          connected: true,
          input_schema: expect.objectContaining({ type: "object" }),
        },
      ]),
    );
    const read = await host.call("call_tool", { name: "jira.get_issue", input: { issue: "KAY-3" } });
    expect(read).toMatchObject({ status: "done", tool: "jira.get_issue", result: { key: "KAY-3" } });
    expect((parseDocument(await ann("sessions list --json")) as { data: unknown }).data).toEqual([]);
    expect(await host.close()).toBe(0);
  });
}

test("a change waits for the user, who sees that another program wrote it; its result goes to the host", {
  timeout: 60_000,
}, async () => {
  const ann = kay({ signedIn: true });
  const host = await openHost(ann);
  const moving = host.call("call_tool", MOVE);
  const { id, title, request } = await waitForPending(ann);
  expect(title).toBe("claude-code: Move KAY-3 to Done");
  expect(request.preview).toMatchObject({
    access: "write",
    account: expect.stringContaining("Dana Demo"),
    fields: [
      { name: "issue", value: "KAY-3", origin: "service", source: "claude-code" },
      { name: "status", value: "Done", origin: "service", source: "claude-code" },
    ],
  });
  expect(await readStatus(host)).toMatchObject({ status: "To Do" });
  expect((await ann(["answer", id, "--approve"])).exit).toBe(0);
  expect(await moving).toEqual({
    status: "done",
    tool: MOVE.name,
    id: expect.stringMatching(/^gen_/),
    result: expect.objectContaining({ key: "KAY-3" }),
    url: expect.stringContaining("KAY-3"),
    writes: [{ summary: "Move KAY-3 to Done", effect: "settled", url: expect.stringContaining("KAY-3") }],
  });
  expect(await readStatus(host)).toMatchObject({ status: "Done" });
});

test("neither a policy nor a saved approval covers what another program writes", { timeout: 60_000 }, async () => {
  const ann = kay({ signedIn: true });
  await ann("policy set jira everything");
  const host = await openHost(ann);
  const moving = host.call("call_tool", MOVE);
  const { id, request } = await waitForPending(ann);
  expect(request.preview.why).toBe("It would send text that came from claude-code.");
  expect((await ann(["answer", id, "--deny", "--reason", "not now"])).exit).toBe(0);
  expect(await moving).toMatchObject({ status: "denied", error: { code: "DENIED" } });
  expect(await readStatus(host)).toMatchObject({ status: "To Do" });
});

for (const era of ["legacy", "modern"] as const) {
  test(`the dialog of a ${era} host answers only if the user allows it, and never for what cannot be undone`, {
    timeout: 60_000,
  }, async () => {
    const ann = kay({ connected: ["jira", "bitbucket"] });
    const questions: string[] = [];
    const answers = (message: string) => {
      questions.push(message);
      return { action: "accept", content: { approve: true } };
    };
    const host = await openHost(ann, { era, capabilities: { elicitation: { form: {} } }, answers });
    const first = host.call("call_tool", MOVE);
    const { id } = await waitForPending(ann);
    await ann(["answer", id, "--deny"]);
    await first;
    expect(questions).toEqual([]);
    await ann("policy set outside-text everything");
    expect(await host.call("call_tool", MOVE)).toMatchObject({ status: "done" });
    expect(questions).toEqual(["Move KAY-3 to Done\n\nThis program asks: claude-code."]);
    const deleting = host.call("call_tool", {
      name: "bitbucket.decline_pull_request",
      input: { repository: "infrastructure", id: 1 },
    });
    await ann(["answer", (await waitForPending(ann)).id, "--deny"]);
    expect(await deleting).toMatchObject({ status: "denied" });
    expect(questions).toHaveLength(1);
  });
}

for (const era of ["legacy", "modern"] as const) {
  test(`a ${era} host shows a link to kay's page, and opening it decides nothing`, { timeout: 60_000 }, async () => {
    const ann = kay({ signedIn: true });
    const links: (string | undefined)[] = [];
    const answers = async (_message: string, url?: string) => {
      links.push(url);
      const { id } = await waitForPending(ann);
      await ann(["answer", id, "--deny"]);
      return { action: "accept" };
    };
    const host = await openHost(ann, { era, capabilities: { elicitation: { url: {} } }, answers });
    expect(await host.call("call_tool", MOVE)).toMatchObject({ status: "denied" });
    expect(links).toEqual([expect.stringMatching(/^http.*\/answer\//)]);
    expect(await readStatus(host)).toMatchObject({ status: "To Do" });
  });
}

test("a host that cancels a call withdraws its question", { timeout: 60_000 }, async () => {
  const ann = kay({ signedIn: true });
  const host = await openHost(ann);
  const giving = new AbortController();
  const moving = host.call("call_tool", MOVE, giving.signal);
  const { id } = await waitForPending(ann);
  giving.abort();
  await expect(moving).rejects.toThrow();
  await expect.poll(async () => (await listPending(ann)).length, { timeout: 20_000 }).toBe(0);
  expect((await ann(["answer", id, "--approve"])).stderr).toContain("Your answer came too late");
});

for (const era of ["legacy", "modern"] as const) {
  test(`a ${era} host that ends leaves its question open, and the change happens once`, {
    timeout: 60_000,
  }, async () => {
    const ann = kay({ signedIn: true });
    const host = await openHost(ann, { era });
    void host.call("call_tool", MOVE).catch(() => {});
    const { id } = await waitForPending(ann);
    expect(await host.close()).toBe(0);
    expect((await ann(["answer", id, "--approve"])).exit).toBe(0);
    expect((await ann(["answer", id, "--approve"])).exit).not.toBe(0);
    const { writes } = parseDocument(await ann("log --json")) as { writes: { summary: string }[] };
    expect(writes.map(({ summary }) => summary)).toEqual(["Move KAY-3 to Done"]);
  });
}

/** Runs `kay mcp` with an input that ends, and returns its answers. */
async function pipe(ann: Machine, input: (string | Uint8Array)[]) {
  const { exit, stdout } = await ann(["mcp"], { stdin: input });
  const answers = stdout.split("\n").filter(Boolean);
  return { exit, answers: answers.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

const toMessage = (id: unknown, method: string, params?: object) => ({ jsonrpc: "2.0", id, method, params });
const HELLO = toMessage(1, "initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "script", version: "1" },
});

// https://github.com/modelcontextprotocol/python-sdk/issues/2678
test("calls are answered after the input ends, whose last line may lack its end", { timeout: 60_000 }, async () => {
  const ann = kay({ signedIn: true });
  const call = toMessage(2, "tools/call", {
    name: "call_tool",
    arguments: { name: "jira.get_issue", input: { issue: "KAY-3" } },
  });
  const { exit, answers } = await pipe(ann, [`\uFEFF${JSON.stringify(HELLO)}\r\n`, JSON.stringify(call)]);
  expect(exit).toBe(0);
  expect(answers).toMatchObject([
    { id: 1 },
    { id: 2, result: { content: [{ text: expect.stringContaining("KAY-3") }] } },
  ]);
});

test("a batch is answered, and so is what is no message", { timeout: 60_000 }, async () => {
  const ann = kay({ signedIn: true });
  const long = JSON.stringify(toMessage(3, "ping", { text: "x".repeat(9_000_000) }));
  const { exit, answers } = await pipe(ann, [
    `${JSON.stringify([HELLO, toMessage(2, "ping")])}\n`,
    "not JSON\n\n",
    `{"id":7,"method":"ping"}\n[]\n`,
    long.slice(0, 4_000_000),
    `${long.slice(4_000_000)}\n`,
    JSON.stringify(toMessage("last", "ping")),
  ]);
  expect(exit).toBe(0);
  expect(answers.filter(({ error }) => error)).toEqual([
    { jsonrpc: "2.0", id: null, error: { code: -32_700, message: "The line is not JSON." } },
    { jsonrpc: "2.0", id: 7, error: { code: -32_600, message: "The message is not a JSON-RPC 2.0 message." } },
    { jsonrpc: "2.0", id: null, error: { code: -32_600, message: "The message is not a JSON-RPC 2.0 message." } },
    { jsonrpc: "2.0", id: null, error: { code: -32_600, message: "The message is longer than 8 MiB." } },
  ]);
  expect(answers.filter(({ result }) => result).map(({ id }) => id)).toEqual([1, 2, "last"]);
});

const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };

test("a host that supports tasks gets one for a change, which outlives the host", { timeout: 60_000 }, async () => {
  const ann = kay({ signedIn: true });
  const host = await openHost(ann, { era: "modern", capabilities: TASKS });
  expect(host.client.getServerCapabilities()?.extensions).toEqual(TASKS.extensions);
  const started = await host.startTask("call_tool", MOVE);
  expect(started).toMatchObject({ resultType: "task", status: "working", pollIntervalMs: 3_000 });
  const [pending] = await listPending(ann);
  expect(await host.askTask("tasks/get", started.taskId)).toMatchObject({
    status: "working",
    statusMessage: `Waiting for the user: Move KAY-3 to Done. They answer with \`kay answer ${pending?.id}\`.`,
  });
  await host.close();
  expect((await ann(["answer", pending?.id ?? "", "--approve"])).exit).toBe(0);
  const other = await openHost(ann, { era: "modern", capabilities: TASKS });
  const { result, status } = await other.askTask("tasks/get", started.taskId);
  expect(status).toBe("completed");
  const [text] = (result as { content: { text: string }[] }).content;
  expect(JSON.parse(text?.text ?? "")).toMatchObject({ status: "done", writes: [{ summary: "Move KAY-3 to Done" }] });
  expect(await readStatus(other)).toMatchObject({ status: "Done" });
});

test("a host cancels a task; it knows no other tasks, and a host without the extension has none", {
  timeout: 60_000,
}, async () => {
  const ann = kay({ signedIn: true });
  const host = await openHost(ann, { era: "modern", capabilities: TASKS });
  const { taskId } = await host.startTask("call_tool", MOVE);
  await host.askTask("tasks/update", taskId);
  await host.askTask("tasks/cancel", taskId);
  await expect.poll(() => host.askTask("tasks/get", taskId)).toMatchObject({ status: "cancelled" });
  expect(await listPending(ann)).toEqual([]);
  for (const method of ["tasks/get", "tasks/update", "tasks/cancel"] as const)
    await expect(host.askTask(method, "gen_1")).rejects.toMatchObject({ code: -32_602 });
  const plain = await openHost(ann, { era: "modern" });
  await expect(plain.askTask("tasks/get", taskId)).rejects.toMatchObject({ code: -32_021 });
});

test("--service lists the tools of a service by name, with what each may do", { timeout: 60_000 }, async () => {
  const host = await openHost(kay({ signedIn: true }), { flags: ["--service", "jira", "--service", "bitbucket"] });
  const { tools } = await host.client.listTools();
  expect(tools.find(({ name }) => name === "jira__transition_issue")).toMatchObject({
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  });
  expect(tools.find(({ name }) => name === "bitbucket__merge_pull_request")?.annotations?.destructiveHint).toBe(true);
  expect(await host.call("jira__get_issue", { issue: "KAY-3" })).toMatchObject({ status: "done" });
});

test("missing things are reported to the host's model in one sentence, with what the user can do", {
  timeout: 60_000,
}, async () => {
  const host = await openHost(kay());
  expect(await host.call("search_tools", { query: "issues" })).toMatchObject({
    error: { message: expect.stringContaining("not signed in"), hint: expect.stringContaining("kay connect") },
  });
  const ann = await openHost(kay({ signedIn: true }));
  expect(await ann.call("call_tool", { name: "jira.get_isue" })).toMatchObject({
    error: { code: "NOT_FOUND", message: expect.stringContaining("jira.get_issue") },
  });
  expect(await ann.call("call_tool", { name: "jira.get_issue", input: { isue: "KAY-3" } })).toMatchObject({
    error: { code: "INVALID_REQUEST" },
  });
  expect(
    await ann.call("call_tool", { name: "slack.send_message", input: { channel: "#ci", text: "x" } }),
  ).toMatchObject({
    error: { code: "AUTH_REQUIRED" },
  });
});

test("on a terminal kay mcp says who starts it", async () => {
  expect(await kay()("mcp", { terminal: true })).toEqual({
    exit: 2,
    stdout: "",
    stderr: expect.stringContaining("another program must start it"),
  });
});

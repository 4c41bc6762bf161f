import { expect, test } from "vitest";
import * as z from "zod/mini";
import { JSON_DOCUMENTS } from "#cli/json-documents/table";
import { type Machine, useKay } from "#test/kay";
import { openProgram, type Program } from "#test/mcp-program";
import { BACKEND } from "#test/network";

const kay = useKay();
const MOVE = { name: "jira.transition_issue", input: { issue: "KAY-3", status: "Done" } };

type Pending = { id: string; generation_id: string; request: { preview: Record<string, unknown> } };
type ProgramList = { programs: { id: string; name: string; redirect_host: string }[] };

const fetchFrom =
  ({ place }: Machine) =>
  (url: string | URL, init?: RequestInit) =>
    place.backend.fetch(new Request(url, init), "127.0.0.1");

/** The user types the code into their terminal, and confirms. */
const letIn = (ann: Machine) => async (code: string) => {
  const { exit, stderr } = await ann(["mcp", "authorize", code, "--json"], { terminal: true, types: ["y"] });
  if (exit !== 0) throw new Error(stderr);
  return (parseDocument("mcp authorize", ann) as { url: string }).url;
};

/** Checks the last command's output against its schema. */
const parseDocument = (name: string, ann: Machine) =>
  z.parse(JSON_DOCUMENTS[name]?.schema ?? z.never(), JSON.parse(ann.raw().stdout));

const open = (ann: Machine, options: Partial<Parameters<typeof openProgram>[0]> = {}) =>
  openProgram({ origin: BACKEND, fetch: fetchFrom(ann), letIn: letIn(ann), ...options });

async function waitForPending(ann: Machine): Promise<Pending> {
  let pending: Pending[] = [];
  const look = async () => {
    await ann("pending --json");
    pending = (JSON.parse(ann.raw().stdout) as { pending: Pending[] }).pending;
    return pending.length;
  };
  await expect.poll(look, { timeout: 20_000 }).toBe(1);
  return pending[0] as Pending;
}

const listPrograms = async (ann: Machine) => {
  await ann("mcp list --json");
  return (parseDocument("mcp list", ann) as ProgramList).programs;
};
const readIssue = async (program: Program) =>
  (await program.call("call_tool", { name: "jira.get_issue", input: { issue: "KAY-3" } })).result;

for (const era of ["legacy", "modern"] as const) {
  test(`a ${era} program that the user authorizes has the tools of kay mcp, and its changes wait for the user`, {
    timeout: 60_000,
  }, async () => {
    const ann = kay({ signedIn: true, mcp: true });
    const program = await open(ann, { era });
    expect((await program.client.listTools()).tools.map(({ name }) => name)).toEqual([
      "search_tools",
      "call_tool",
      "get_result",
    ]);
    const { tools } = await program.call("search_tools", { query: "close a Jira issue" });
    expect(tools).toEqual(expect.arrayContaining([expect.objectContaining({ name: MOVE.name, connected: true })]));
    expect(await readIssue(program)).toMatchObject({ status: "To Do" });
    const moving = program.call("call_tool", MOVE);
    const { id, request } = await waitForPending(ann);
    expect(request.preview).toMatchObject({
      access: "write",
      fields: [
        { name: "issue", value: "KAY-3", origin: "service", source: "Claude Code" },
        { name: "status", value: "Done", origin: "service", source: "Claude Code" },
      ],
    });
    expect(await readIssue(program)).toMatchObject({ status: "To Do" });
    expect((await ann(["answer", id, "--approve"])).exit).toBe(0);
    expect(await moving).toMatchObject({ status: "done", writes: [{ summary: "Move KAY-3 to Done" }] });
    expect(await readIssue(program)).toMatchObject({ status: "Done" });
  });
}

test("a modern program shows the user a link to kay's page, which signs no device in", {
  timeout: 60_000,
}, async () => {
  const ann = kay({ signedIn: true, mcp: true });
  const links: (string | undefined)[] = [];
  const answers = async (_message: string, url?: string) => {
    links.push(url);
    const { id } = await waitForPending(ann);
    await ann(["answer", id, "--approve"]);
    return { action: "accept" };
  };
  const program = await open(ann, { era: "modern", capabilities: { elicitation: { url: {} } }, answers });
  expect(await program.call("call_tool", MOVE)).toMatchObject({ status: "done" });
  expect(links).toEqual([expect.stringMatching(/\/answer\/int_[0-9a-f]+$/)]);
  const page = await fetchFrom(ann)(`${links[0]}?again=1`);
  expect(page.status).toBe(401);
  expect(page.headers.get("set-cookie")).toBeNull();
});

test("a modern program that closes the connection cancels its call", { timeout: 60_000 }, async () => {
  const ann = kay({ signedIn: true, mcp: true });
  const program = await open(ann, { era: "modern" });
  const giving = new AbortController();
  const moving = program.call("call_tool", MOVE, giving.signal);
  const { id } = await waitForPending(ann);
  giving.abort();
  await expect(moving).rejects.toThrow();
  await expect
    .poll(async () => (await ann(["answer", id, "--approve"])).stderr, { timeout: 20_000 })
    .toContain("Your answer came too late");
});

test("a program sees only the results of its own calls", { timeout: 60_000 }, async () => {
  const ann = kay({ signedIn: true, mcp: true });
  const [first, second] = [await open(ann), await open(ann, { name: "Codex" })];
  const moving = first.call("call_tool", MOVE);
  await ann(["answer", (await waitForPending(ann)).id, "--deny"]);
  const { id } = await moving;
  expect(await first.call("get_result", { id: String(id) })).toMatchObject({ status: "denied" });
  expect(await second.call("get_result", { id: String(id) })).toMatchObject({
    error: { code: "GENERATION_NOT_FOUND" },
  });
});

test("a program has at most 20 open calls, also of many made at once; it can still read, and a call that is answered makes room", {
  timeout: 90_000,
}, async () => {
  const ann = kay({ signedIn: true, mcp: true });
  const program = await open(ann);
  const ended: unknown[] = [];
  const move = () =>
    program
      .call("call_tool", MOVE)
      .then((result) => ended.push(result))
      .catch(() => undefined);
  const calls = Array.from({ length: 24 }, move);
  let ids: string[] = [];
  const look = async () => {
    await ann("pending --json");
    ids = (JSON.parse(ann.raw().stdout) as { pending: Pending[] }).pending.map(({ id }) => id);
    return ids.length;
  };
  await expect.poll(look, { timeout: 40_000 }).toBe(20);
  const refused = { error: { code: "RATE_LIMITED" } };
  await expect.poll(() => ended, { timeout: 40_000 }).toMatchObject([refused, refused, refused, refused]);
  expect(await readIssue(program)).toMatchObject({ status: "To Do" });
  await ann(["answer", ids[0] ?? "", "--deny"]);
  await expect.poll(() => ended[4], { timeout: 40_000 }).toMatchObject({ status: "denied" });
  calls.push(move());
  await expect.poll(look, { timeout: 40_000 }).toBe(20);
  await program.client.close();
  await Promise.all(calls);
});

test("kay mcp list shows the programs, and kay mcp remove and kay logout end their access at once", {
  timeout: 60_000,
}, async () => {
  const ann = kay({ signedIn: true, mcp: true });
  expect(await ann("mcp list")).toMatchObject({ exit: 0, stdout: "", stderr: expect.stringContaining("No program") });
  const claude = await open(ann);
  const codex = await open(ann, { name: "Codex" });
  expect(await listPrograms(ann)).toEqual([
    expect.objectContaining({ name: "Claude Code", redirect_host: "localhost:8787" }),
    expect.objectContaining({ name: "Codex" }),
  ]);
  expect((await ann("mcp list")).stdout).toContain("Claude Code");
  const third = await open(ann, { name: "Third" });
  await ann(["mcp", "remove", "third", "--yes", "--json"]);
  expect(parseDocument("mcp remove", ann)).toMatchObject({ removed: { name: "Third" } });
  expect(await ann(["mcp", "remove", "codex", "--yes"])).toMatchObject({
    exit: 0,
    stdout: "Codex can no longer use kay.\n",
  });
  // It would have to ask its user again.
  const { tokens } = codex.memory;
  const status = async (token = "") =>
    (await fetchFrom(ann)(`${BACKEND}/mcp`, { method: "POST", headers: { authorization: `Bearer ${token}` } })).status;
  expect(await status(tokens?.access_token)).toBe(401);
  expect(await status(third.memory.tokens?.access_token)).toBe(401);
  expect(await readIssue(claude)).toMatchObject({ key: "KAY-3" });
  expect((await ann(["mcp", "remove", "codex", "--yes"])).stderr).toContain("No program has the name or ID");
  await ann("logout");
  expect(await status(claude.memory.tokens?.access_token)).toBe(401);
});

test("the terminal shows the program and where its answer goes, and only a user there authorizes it", {
  timeout: 60_000,
}, async () => {
  const ann = kay({ signedIn: true, mcp: true });
  const urls: string[] = [];
  const hesitant = async (code: string) => {
    const piped = await ann(["mcp", "authorize", code, "--yes"]);
    expect(piped).toMatchObject({ exit: 2, stderr: expect.stringContaining("Only a person at a terminal") });
    const no = await ann(["mcp", "authorize", code], { terminal: true, types: ["n"] });
    urls.push(no.stderr);
    throw new Error(`exit ${no.exit}`);
  };
  await expect(open(ann, { name: "Evil\u001b[2J\nname", letIn: hesitant })).rejects.toThrow("exit 5");
  expect(urls[0]).toContain("A program that calls itself “Evil");
  expect(urls[0]).not.toContain("\u001b[2J");
  expect(urls[0]).toContain("localhost:8787 (a program on the computer of your browser)");
  expect(urls[0]).toContain("Each change waits for your approval, unless your policies let it run.");
  expect(await listPrograms(ann)).toEqual([]);
  expect(await ann("mcp authorize BBBB-BBBB", { terminal: true, types: ["y"] })).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining("No program is waiting with this code"),
  });
});

test("a backend without --mcp has none of this", { timeout: 60_000 }, async () => {
  const ann = kay({ signedIn: true });
  for (const path of ["/mcp", "/.well-known/oauth-protected-resource", "/mcp/authorize", "/mcp/programs"])
    expect((await fetchFrom(ann)(BACKEND + path)).status).toBe(404);
  expect(await ann("mcp list")).toMatchObject({ exit: 1, stderr: expect.stringContaining("kay serve --mcp") });
});

test("a program asks about its own tasks over HTTP, and about no other's", { timeout: 60_000 }, async () => {
  const ann = kay({ signedIn: true, mcp: true });
  const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
  const [program, other] = [
    await open(ann, { era: "modern", capabilities }),
    await open(ann, { era: "modern", capabilities }),
  ];
  // The SDK's client does not read the task.
  await program.call("call_tool", MOVE).catch(() => {});
  const { id, generation_id: taskId } = await waitForPending(ann);
  const readTask = ({ client }: Program) =>
    client.request({ method: "tasks/get", params: { taskId } } as never, z.looseObject({ status: z.string() }));
  expect(await readTask(program)).toMatchObject({ status: "working", taskId });
  await expect(readTask(other)).rejects.toMatchObject({ code: -32_602 });
  expect((await ann(["answer", id, "--approve"])).exit).toBe(0);
  expect(await readTask(program)).toMatchObject({ status: "completed" });
  expect(await readIssue(program)).toMatchObject({ status: "Done" });
});

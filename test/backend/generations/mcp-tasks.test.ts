import { isIP } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { Fetch } from "#net/ports";
import type { World } from "#test/backend";
import { connect } from "#test/consent";
import { everythingServer } from "#test/everything";
import { taskServer } from "#test/mcp-tasks";
import { useNodes } from "#test/scripted-backend";
import { ask, follow, type Turn } from "#test/turn";

vi.setConfig({ testTimeout: 60_000 });

const PLACE = "https://all.example.test/mcp";

/** The reference server, which runs one of its tools only as a task of the older protocol. */
let everything: Awaited<ReturnType<typeof everythingServer>>;
beforeAll(async () => {
  everything = await everythingServer();
});
afterAll(async () => {
  await everything.end();
});

/** Where requests to the server go, and the methods of those that were sent. */
let server: Fetch;
let methods: string[] = [];
const reach: Fetch = async (url, init) => {
  const message = typeof init?.body === "string" ? (JSON.parse(init.body) as { method?: string }) : {};
  if (message.method) methods.push(message.method);
  return await server(url.replace(PLACE, everything.url), init);
};
const { model, start } = useNodes({
  guarded: { fetch: reach, addresses: async (host) => (isIP(host) ? [host] : ["93.184.215.14"]) },
});
let world: World;

beforeEach(() => {
  server = fetch;
  methods = [];
  world = start();
});

const count = (method: string) => methods.filter((name) => name === method).length;
const readToolMessages = () => JSON.stringify(model.prompts.at(-1)?.messages.filter(({ role }) => role === "tool"));

/** A user who lets the server's tools run, and requests one of them. */
async function askForTool(tool: string, input: object): Promise<{ token: string; turn: Turn }> {
  const { token } = await connect(world);
  const add = await world.call("POST /services", { token, body: { mcp: { url: PLACE, name: "all" } } });
  expect(add.status).toBe(200);
  await world.call("PUT /policies", { token, body: { policies: [{ target: `all.${tool}`, mode: "everything" }] } });
  model.script({ calls: [["c1", `all.${tool}`, input]] }, { text: "So." });
  return { token, turn: await ask(world, token, "go") };
}

const RESEARCH = "simulate_research_query";

/** The server's next words about its task, whichever of its stages kay saw first. */
async function atWork(turn: Turn): Promise<void> {
  const words = /Gathering sources|Analyzing content|Synthesizing findings|Generating report/;
  while (!words.test(JSON.stringify((await turn.next("data-tool-log")).data)));
}

test("a tool that runs only as a task is called as one; its messages are progress, and its result is that of the call", async () => {
  const { turn } = await askForTool(RESEARCH, { topic: "tea" });
  await atWork(turn);
  await turn.end();
  expect(readToolMessages()).toContain("Research Report: tea");
  expect([count("tools/call"), count("tasks/result")]).toEqual([1, 1]);
});

test("a question of a task is a card, and the task continues with the answer", async () => {
  const { turn } = await askForTool(RESEARCH, { topic: "python", ambiguous: true });
  const request = await turn.asked();
  expect(request.prompt).toMatch(/^The MCP server All \(all\.example\.test\) wrote this question, not kay\./);
  await turn.answer(request.interaction_id, { action: "submit", input: { interpretation: "snake" } });
  await turn.end();
  expect(readToolMessages()).toContain("Research Report: python (snake)");
  expect(count("tools/call")).toBe(1);
});

test("cancelling a request cancels its task at the server, and the receipt says that the outcome is unknown", async () => {
  const { token, turn } = await askForTool(RESEARCH, { topic: "tea" });
  await atWork(turn);
  const [row] = await world.ports.db.selectFrom("effects").selectAll().where("state", "=", "sent").execute();
  await world.call(`POST /generations/${row?.generation_id}/cancel`, { token });
  await expect.poll(() => count("tasks/cancel")).toBe(1);
  await turn.end();
  const state = () =>
    world.ports.db
      .selectFrom("effects")
      .select("state")
      .where("id", "=", row?.id ?? "")
      .execute();
  await expect.poll(state).toEqual([{ state: "unknown" }]);
});

test("when the calling node is gone, another one queries the same task and starts no second one", async () => {
  const other = start();
  const { token, turn } = await askForTool(RESEARCH, { topic: "tea" });
  await atWork(turn);
  await world.ports.node.close();
  await expect
    .poll(
      async () => {
        await other.backend.tick();
        return readToolMessages();
      },
      { timeout: 30_000, interval: 200 },
    )
    .toContain("Research Report: tea");
  expect(count("tools/call")).toBe(1);
  const effects = await world.ports.db
    .selectFrom("effects")
    .select("state")
    .where("tool", "=", `all.${RESEARCH}`)
    .execute();
  expect(effects.at(-1)).toEqual({ state: "settled" });
  await turn.close();
  const { tools } = (await other.call("GET /tools?service=all", { token })).body as { tools: { name: string }[] };
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining([`all.${RESEARCH}`, "all.prompts_get"]));
  const again = await follow(other, token, turn.session, "after=0");
  await again.next("finish");
  await again.close();
});

test("a task of the newer protocol's extension is queried, its question is a card, and its result is inline", async () => {
  const tasks = taskServer();
  server = async (url, init) => await tasks.fetch(new Request(url, init));
  const { turn } = await askForTool("build", {});
  const request = await turn.asked();
  await turn.answer(request.interaction_id, { action: "submit", input: { branch: "main" } });
  await turn.end();
  expect(readToolMessages()).toContain("built main");
  expect(tasks.state).toEqual({
    calls: 1,
    declared: true,
    answers: [{ action: "accept", content: { branch: "main" } }],
  });
});

test("a task that its server has forgotten is an unknown outcome, and is not started again", async () => {
  const tasks = taskServer();
  server = async (url, init) => await tasks.fetch(new Request(url, init));
  tasks.forget();
  const { turn } = await askForTool("build", {});
  await turn.end();
  expect(readToolMessages()).toContain("is no longer known to the server");
  expect(readToolMessages()).toContain("OUTCOME_UNKNOWN");
  expect(tasks.state.calls).toBe(1);
});

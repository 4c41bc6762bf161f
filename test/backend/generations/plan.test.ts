import { expect, test } from "vitest";
import * as z from "zod/mini";
import { defineTool } from "#connectors/tool";
import type { InteractionRequest } from "#protocol/interactions";
import { createPeer } from "#test/backend";
import { connect } from "#test/consent";
import { type DeskLog, deskServices } from "#test/desk";
import { json } from "#test/outside";
import { useScriptedBackend } from "#test/scripted-backend";
import { ask, follow, type Turn } from "#test/turn";

const log: DeskLog = [];
const titles = new Map<string, string>();
const archive = defineTool({
  name: "jira.archive",
  description: "Archive.",
  access: "write",
  input: z.object({ id: z.string() }),
  examples: [],
  summary: ({ id }) => `Archive ${id}`,
  describeTarget: async ({ id }) => titles.get(id) ?? "",
  run: async ({ id }) => {
    log.push(`archive ${id}`);
    if (id === "first") titles.set("name", "“Name” (item 77ab)");
    return { data: {}, text: "Archived." };
  },
});
const { model, world } = useScriptedBackend({ services: deskServices(log, undefined, [archive]) });

const close = (id: string, issue: string): [string, string, object] => [id, "jira.close_issue", { issue }];
const expectClosed = (...issues: string[]) => {
  for (const issue of issues) world().outside.expect(`POST https://api.atlassian.com/close/${issue}`, json({}));
};

/** Scripts two writes of one step: the first one makes the name of the second one another object's. */
function scriptTwo() {
  log.length = 0;
  titles.set("name", "“Name” (item 5d2d)");
  const calls: [string, string, object][] = [
    ["c1", "jira.archive", { id: "first" }],
    ["c2", "jira.archive", { id: "name" }],
  ];
  model.script({ calls }, { text: "So." });
}

/** Asks for three writes of one step. */
async function askThree(options = {}) {
  log.length = 0;
  const { token } = await connect(world());
  model.script({ calls: [close("c1", "KAY-4"), close("c2", "KAY-5"), close("c3", "KAY-6")] }, { text: "So." });
  const turn = await ask(world(), token, "close KAY-4, KAY-5 and KAY-6", options);
  return { token, turn, requests: [await turn.asked(), await turn.asked(), await turn.asked()] };
}

const answer = (turn: Turn, request: InteractionRequest | undefined, body: object = { action: "approve" }) =>
  turn.answer(request?.interaction_id ?? "", body);

test("the writes of a step are asked as one plan before any runs; answered in reverse, they run in the model's order", async () => {
  const { token, turn, requests } = await askThree();
  const [first, second, third] = requests;
  await turn.until("awaiting_approval");
  expect(requests.map(({ tool_call_id, plan }) => [tool_call_id, plan?.n, plan?.of])).toEqual([
    ["c1", 1, 3],
    ["c2", 2, 3],
    ["c3", 3, 3],
  ]);
  expect(new Set(requests.map(({ plan }) => plan?.id)).size).toBe(1);
  expect(new Set(requests.map(({ interaction_id }) => interaction_id)).size).toBe(3);
  const { body } = await world().call("GET /pending", { token });
  expect(body.pending).toMatchObject(requests.map(({ interaction_id: id }) => ({ id })));
  expectClosed("KAY-4", "KAY-5", "KAY-6");
  await answer(turn, third);
  await answer(turn, second, { action: "approve", edited_args: { issue: "KAY-5" } });
  expect(log).toEqual([]);
  await answer(turn, first);
  await turn.end();
  expect(log).toEqual(["close KAY-4", "close KAY-5", "close KAY-6"]);
  expect(await answer(turn, third)).toMatchObject({ status: 409, body: { code: "INTERACTION_CLOSED" } });
});

test("two denials in one plan are reported to the model, and do not end the turn", async () => {
  const { turn, requests } = await askThree();
  expectClosed("KAY-6");
  await answer(turn, requests[0], { action: "deny", reason: "still open" });
  await answer(turn, requests[1], { action: "deny" });
  await answer(turn, requests[2]);
  await turn.end();
  expect(log).toEqual(["close KAY-6"]);
  const results = (model.prompts.at(-1)?.messages ?? []).filter(({ role }) => role === "tool");
  expect(results.map((message) => /still open|user denied|KAY-6 is closed/.exec(JSON.stringify(message))?.[0])).toEqual(
    [expect.stringMatching(/still open|user denied/), "user denied", "KAY-6 is closed"],
  );
  expect(turn.text()).toBe("So.");
});

test("a backend that ends in the middle leaves the rest open, and another one runs it in order", async () => {
  const { token, turn, requests } = await askThree();
  expectClosed("KAY-4");
  await answer(turn, requests[0]);
  await turn.next("tool-output-available");
  await answer(turn, requests[2]);
  await turn.until("awaiting_approval");
  await turn.close();
  await world().backend.close();
  const second = createPeer(world());
  const { body } = await second.call("GET /pending", { token });
  expect(body.pending).toMatchObject([{ id: requests[1]?.interaction_id }]);
  await second.backend.tick();
  expect(log).toEqual(["close KAY-4"]);
  const resumed = await follow(second, token, turn.session);
  expectClosed("KAY-5", "KAY-6");
  await answer(resumed, requests[1]);
  await resumed.next("finish");
  await resumed.close();
  expect(log).toEqual(["close KAY-4", "close KAY-5", "close KAY-6"]);
});

test("in plan mode reads run and every write is asked once, whatever a policy says", async () => {
  const { token } = await connect(world());
  await world().call("PUT /policies", { token, body: { policies: [{ target: "jira", mode: "everything" }] } });
  log.length = 0;
  model.script(
    { calls: [["r1", "jira.show_issue", { issue: "KAY-3" }]] },
    { calls: [close("c1", "KAY-3"), close("c2", "KAY-4")] },
    { text: "So." },
  );
  const turn = await ask(world(), token, "close KAY-3 and KAY-4", { confirm: true, plan: true });
  const requests = [await turn.asked(), await turn.asked()];
  expect(log).toEqual(["show KAY-3"]);
  expect(requests.map(({ prompt, approval_scopes }) => [prompt, approval_scopes])).toEqual([
    ["Close KAY-3", [{ scope: "once", words: "once" }]],
    ["Close KAY-4", [{ scope: "once", words: "once" }]],
  ]);
  expectClosed("KAY-3", "KAY-4");
  for (const request of requests) await answer(turn, request);
  await turn.end();
  expect(log).toEqual(["show KAY-3", "close KAY-3", "close KAY-4"]);
  await world().call("PUT /policies", { token, body: { policies: [{ target: "jira", mode: null }] } });
});

test("a write that needs no approval is not part of the plan, and a single write has none", async () => {
  const { token } = await connect(world());
  log.length = 0;
  model.script({ calls: [close("c1", "KAY-4"), close("c2", "KAY-5")] }, { text: "So." });
  expectClosed("KAY-4", "KAY-5");
  const turn = await ask(world(), token, "close both", { allow: ["jira.close_issue"] });
  await turn.end();
  expect(log).toEqual(["close KAY-4", "close KAY-5"]);
  model.script({ calls: [close("c1", "KAY-4")] }, { text: "So." });
  const single = await ask(world(), token, "close KAY-4");
  const request = await single.asked();
  expect(request.plan).toBeUndefined();
  await answer(single, request, { action: "deny" });
  await single.end();
});

test("a call of a plan whose target changed is asked again, and the others run", async () => {
  const { token } = await connect(world());
  log.length = 0;
  titles.set("a", "Alpha").set("b", "Beta");
  model.script(
    {
      calls: [
        ["c1", "jira.archive", { id: "a" }],
        ["c2", "jira.archive", { id: "b" }],
      ],
    },
    { text: "So." },
  );
  const turn = await ask(world(), token, "archive a and b");
  const requests = [await turn.asked(), await turn.asked()];
  await turn.until("awaiting_approval");
  world().clock.advance(6 * 60_000);
  titles.set("b", "Bravo");
  for (const request of requests) await answer(turn, request);
  const anew = await turn.asked();
  expect(anew).toMatchObject({ tool_call_id: "c2", preview: { target: "Bravo" } });
  expect(anew.plan).toBeUndefined();
  expect(log).toEqual(["archive a"]);
  await answer(turn, anew);
  await turn.end();
  expect(log).toEqual(["archive a", "archive b"]);
});

test("a name that stands for another object after an earlier write of the plan is asked anew", async () => {
  const { token } = await connect(world());
  scriptTwo();
  const turn = await ask(world(), token, "archive both");
  const requests = [await turn.asked(), await turn.asked()];
  for (const request of requests) await answer(turn, request);
  const anew = await turn.asked();
  expect(anew.preview?.why).toContain("Now: “Name” (item 77ab).");
  await answer(turn, anew, { action: "deny" });
  await turn.end();
  expect(log).toEqual(["archive first"]);
});

test("a confirmed plan refuses such a call", async () => {
  const { token } = await connect(world());
  scriptTwo();
  const held = await world().call("POST /ask", { token, body: { prompt: "archive both", confirm: true } });
  const confirmation = { confirmation_token: held.body.confirmation_token, approved: true };
  const { body } = await world().call("POST /ask/confirm", { token, body: confirmation });
  expect(body).toMatchObject({ status: "error", code: "SERVICE_FAILED" });
  const toolMessages = (model.prompts.at(-1)?.messages ?? []).filter(({ role }) => role === "tool");
  expect(JSON.stringify(toolMessages)).toContain("Before: “Name” (item 5d2d). Now: “Name” (item 77ab).");
  expect(log).toEqual(["archive first"]);
});

test("each call of a step has its own ID, also if the model gives one that kay made", async () => {
  const { token } = await connect(world());
  log.length = 0;
  model.script(
    { calls: [close("c1", "KAY-4")] },
    { calls: [close("c1", "KAY-5"), close("c1_2", "KAY-6")] },
    { text: "So." },
  );
  const turn = await ask(world(), token, "close them");
  expectClosed("KAY-4");
  await answer(turn, await turn.asked());
  const requests = [await turn.asked(), await turn.asked()];
  expect(requests.map(({ tool_call_id, prompt }) => [tool_call_id, prompt])).toEqual([
    ["c1_2", "Close KAY-5"],
    ["c1_2_2", "Close KAY-6"],
  ]);
  for (const request of requests) await answer(turn, request, { action: "deny" });
  await turn.end();
});

test("the same write twice in a step is asked and made once", async () => {
  const { token } = await connect(world());
  log.length = 0;
  model.script({ calls: [close("c1", "KAY-4"), close("c2", "KAY-4"), close("c3", "KAY-5")] }, { text: "So." });
  const turn = await ask(world(), token, "close KAY-4 and KAY-5");
  const requests = [await turn.asked(), await turn.asked()];
  expect(requests.map(({ tool_call_id }) => tool_call_id)).toEqual(["c1", "c3"]);
  expectClosed("KAY-4", "KAY-5");
  for (const request of requests) await answer(turn, request);
  await turn.end();
  expect(log).toEqual(["close KAY-4", "close KAY-5"]);
});

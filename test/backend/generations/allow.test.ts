import { beforeEach, expect, test } from "vitest";
import * as z from "zod/mini";
import { defineTool, type ToolMode } from "#connectors/tool";
import { createPeer } from "#test/backend";
import { connect } from "#test/consent";
import { type DeskLog, deskServices } from "#test/desk";
import { json } from "#test/outside";
import { useScriptedBackend } from "#test/scripted-backend";
import { ask, follow } from "#test/turn";

const log: DeskLog = [];
const Message = z.object({ channel: z.string(), text: z.string() });
const post = (name: string, mode?: ToolMode) =>
  defineTool({
    name,
    description: "Post.",
    access: "write",
    ...(mode ? { mode } : {}),
    input: Message,
    examples: [],
    summary: ({ channel }) => `Post to ${channel}`,
    chooseMode: ({ text }): ToolMode | undefined => (/@everybody/.test(text) ? "confirm_before_execution" : undefined),
    resource: ({ channel }) => (channel === "?" ? undefined : `to ${channel}`),
    run: async ({ channel, text }, { http }) => {
      await http.request({ method: "POST", path: "/post", answer: z.unknown() });
      log.push(`${channel}: ${text}`);
      return { data: {}, text: "Posted." };
    },
  });
const services = deskServices(log, undefined, [post("jira.post"), post("jira.draft", "confirm_after_execution")]);
const { model, world } = useScriptedBackend({ services });

beforeEach(() => void log.splice(0));

const POSTED = "POST https://api.atlassian.com/post";

/** Result of a turn with one call: `asks`, or its receipt. */
async function turn(token: string, allow: string[], input: object, tool = "jira.post") {
  const logLength = log.length;
  model.script({ calls: [["c1", tool, input]] }, { text: "Done." });
  const stream = await ask(world(), token, "go", { allow });
  for (;;) {
    const { status } = (await stream.next("data-status")).data;
    const ran = log.length > logLength;
    const receipts = stream.parts.flatMap((part) => (part.type === "data-receipt" ? [part.data] : []));
    if (status === "completed") return { asks: false, ran, receipt: receipts.at(-1) };
    if (status !== "awaiting_approval") continue;
    const requests = stream.parts.flatMap((part) => (part.type === "data-interaction-request" ? [part.data] : []));
    await stream.answer(requests[0]?.interaction_id ?? "", { action: "deny" });
    await stream.end();
    return { asks: true, ran };
  }
}

const ci = { channel: "#ci", text: "hi" };

test("a call at an allowed place runs, and its receipt and log say by which entry and account", async () => {
  const { token } = await connect(world());
  world().outside.expect(POSTED, json({}));
  model.script({ calls: [["c1", "jira.post", ci]] }, { text: "Done." });
  const stream = await ask(world(), token, "go", {
    allow: ["jira.post:#ci"],
    headers: { "idempotency-key": "allow-1" },
  });
  await stream.end();
  expect(log).toEqual(["#ci: hi"]);
  const receipt = { tool_call_id: "c1", tool: "jira.post", effect: "settled", summary: "Post to #ci" };
  const expected = { ...receipt, allowed_by: "jira.post:#ci", account: "Ann Example (main)" };
  expect(stream.parts.flatMap((part) => (part.type === "data-receipt" ? [part.data] : [])).at(-1)).toEqual(expected);
  expect(stream.parts.find(({ type }) => type === "data-tool-log")).toMatchObject({
    data: { entries: [{ text: "Allowed by --allow jira.post:#ci, as Ann Example (main)." }] },
  });
  const { body } = await world().call("GET /requests/allow-1", { token });
  expect(body.answer).toMatchObject({ receipts: [expected] });
});

test.for([
  ["jira.post", ci],
  ["jira.post:ci", ci],
  ["jira.post:#CI", ci],
  ["jira.post:to #ci", ci],
  [" jira.post : #ci ", ci],
  ["jira.post:C0AbC", { channel: "C0AbC", text: "hi" }],
] as const)("%s allows it", async ([entry, input]) => {
  const { token } = await connect(world());
  world().outside.expect(POSTED, json({}));
  expect(await turn(token, ["jira.close_issue", entry], input)).toMatchObject({ asks: false, ran: true });
});

test.for([
  ["another place", "jira.post:#random", ci],
  ["a part of its name", "jira.post:c", ci],
  ["a channel that is named like an id", "jira.post:C0ENGINEE2", { channel: "#c0enginee2", text: "hi" }],
  ["an id in other letters", "jira.post:c0abc", { channel: "C0AbC", text: "hi" }],
  ["another tool", "jira.close_issue", ci],
  ["a place, where the tool names none", "jira.post:?", { channel: "?", text: "hi" }],
  ["what is asked because of the arguments", "jira.post:#ci", { ...ci, text: "@everybody" }],
  ["that, of the whole tool", "jira.post", { ...ci, text: "@everybody" }],
] as const)("%s is not allowed: it asks", async ([_, entry, input]) => {
  const { token } = await connect(world());
  expect(await turn(token, [entry], input)).toEqual({ asks: true, ran: false });
});

test("a policy to ask every time is stronger, and one to run only reads is not", async () => {
  const { token } = await connect(world());
  await world().call("PUT /policies", { token, body: { policies: [{ target: "jira.post", mode: "ask" }] } });
  expect(await turn(token, ["jira.post:#ci"], ci)).toEqual({ asks: true, ran: false });
  await world().call("PUT /policies", { token, body: { policies: [{ target: "jira.post", mode: "reads" }] } });
  world().outside.expect(POSTED, json({}));
  expect(await turn(token, ["jira.post:#ci"], ci)).toMatchObject({ asks: false, ran: true });
});

test("a tool with a review after the call is still reviewed", async () => {
  const { token } = await connect(world());
  world().outside.expect(POSTED, json({}));
  expect(await turn(token, ["jira.draft"], ci, "jira.draft")).toEqual({ asks: true, ran: true });
});

test("it counts only for its own turn", async () => {
  const { token } = await connect(world());
  world().outside.expect(POSTED, json({}));
  await turn(token, ["jira.post:#ci"], ci);
  expect(await turn(token, [], ci)).toEqual({ asks: true, ran: false });
});

test("it counts across a pause, and at the next backend", async () => {
  const { token } = await connect(world());
  model.script({
    calls: [["c1", "ask_user", { question: "Sure?" }]],
  });
  const stream = await ask(world(), token, "go", { allow: ["jira.post:#ci"] });
  const form = await stream.asked();
  await stream.until("awaiting_input");
  await stream.close();
  await world().backend.close();
  const second = createPeer(world());
  const resumed = await follow(second, token, stream.session);
  model.script({ calls: [["c2", "jira.post", ci]] }, { text: "Done." });
  world().outside.expect(POSTED, json({}));
  await resumed.answer(form.interaction_id, { action: "submit", input: { answer: "yes" } });
  await resumed.next("finish");
  await resumed.close();
  expect(log).toEqual(["#ci: hi"]);
});

test("if the request waits for the answer, a call that would be held is allowed by its name", async () => {
  const { token } = await connect(world());
  model.script({ calls: [["c1", "jira.delete_issue", { issue: "KAY-3" }]] });
  const answer = await world().call("POST /ask", { token, body: { prompt: "go", allow: ["jira.close_issue"] } });
  expect(answer.body.status).toBe("confirmation_required");
  model.script({ calls: [["c1", "jira.delete_issue", { issue: "KAY-3" }]] }, { text: "Deleted." });
  const body = { prompt: "go", allow: ["jira.delete_issue"] };
  expect((await world().call("POST /ask", { token, body })).body).toMatchObject({ status: "completed" });
  expect(log).toEqual(["delete KAY-3"]);
});

test.for([
  ["jira.pots", "Unknown tool “jira.pots” in the list of allowed tools. Did you mean jira.post?", "jira.post"],
  [
    "close_issue",
    "Unknown tool “close_issue” in the list of allowed tools. Did you mean jira.close_issue?",
    "jira.close_issue",
  ],
  ["jira", "“jira” is more than one tool; each tool is allowed by its own name."],
  ["jira.*", "“jira.*” is more than one tool; each tool is allowed by its own name."],
  ["*", "“*” is more than one tool; each tool is allowed by its own name."],
  ["jira.post:", "“jira.post:” names no target after the colon."],
  ["http_request", "Unknown tool “http_request” in the list of allowed tools."],
  ["jira.close_issue:KAY", "jira.close_issue has no target that could be named. Allow the whole tool."],
])("%s is refused before anything is done", async ([entry = "", message, nearest]) => {
  const { token } = await connect(world());
  for (const accept of ["application/json", "text/event-stream"]) {
    const body = { prompt: "go", allow: ["jira.post:#ci", entry] };
    const answer = await world().call("POST /ask", { token, body, headers: { accept } });
    expect(answer).toMatchObject({ status: 400, body: { code: "INVALID_REQUEST", message, field: "allow" } });
    expect(answer.body.nearest).toBe(nearest);
  }
});

test("confirm asks before anything, so nothing can be allowed with it", async () => {
  const { token } = await connect(world());
  const body = { prompt: "go", confirm: true, allow: ["jira.post"] };
  expect(await world().call("POST /ask", { token, body })).toMatchObject({
    status: 400,
    body: { message: "confirm asks before anything is done, and allow never asks." },
  });
});

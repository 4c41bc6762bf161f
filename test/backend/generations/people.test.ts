import { expect, test } from "vitest";
import * as z from "zod/mini";
import type { InteractionOutcome, ToolInteraction, UserResponse } from "#connectors/interaction";
import { defineTool } from "#connectors/tool";
import { NOON } from "#test/backend";
import { connect } from "#test/consent";
import { type DeskLog, deskServices } from "#test/desk";
import { useScriptedBackend } from "#test/scripted-backend";
import { ask, follow } from "#test/turn";

const log: DeskLog = [];
const FORM = {
  type: "form" as const,
  fields: [
    { id: "name", type: "text" as const, label: "Name", required: true },
    { id: "email", type: "text" as const, label: "E-mail" },
  ],
};

/** A tool that asks, with hooks that a test gives. */
function createTool(name: string, hooks: Partial<ToolInteraction>) {
  return defineTool({
    name: `jira.${name}`,
    description: "Ask.",
    access: "read",
    input: z.object({}),
    examples: [],
    summary: () => "Ask for something",
    run: async (_, { people }) => {
      const data = await people?.requestInteraction({
        type: "input",
        prompt: "Who?",
        inputSchema: FORM,
        onResponse: ({ action, input }) => ({ complete: { action, input } }),
        ...hooks,
      });
      people?.log("asked\u001b[2J");
      return { data, text: "Asked." };
    },
  });
}

const email = ({ input }: UserResponse): InteractionOutcome =>
  /@/.test(String(input?.email))
    ? { complete: { input } }
    : { reprompt: { type: "input", prompt: "Who?", inputSchema: FORM, error: "Invalid email format" } };

const tools = [
  createTool("ask", {}),
  createTool("ask_email", { onResponse: email }),
  createTool("ask_later", {
    timeoutMs: 1000,
    onTimeout: () => ({ pending: { message: "The person answers later." } }),
  }),
  createTool("ask_quietly", { timeoutMs: 1000, onTimeout: () => ({ complete: "nobody" }) }),
  createTool("ask_cancelled", { onCancel: () => void log.push("cancelled") }),
];
const { model, world } = useScriptedBackend({ services: deskServices(log, undefined, tools) });

async function askForTool(tool: string, body: object = {}) {
  const { token } = await connect(world());
  model.script({ calls: [["c1", `jira.${tool}`, {}]] }, { text: "So." });
  const turn = await ask(world(), token, "go", { approval_timeout: 300, ...body });
  return { token, turn };
}

const readToolMessages = () => JSON.stringify(model.prompts.at(-1)?.messages.filter(({ role }) => role === "tool"));

test("a form is shown as the tool defined it, and the tool's reaction to the answer is its result", async () => {
  const { turn } = await askForTool("ask");
  const request = await turn.asked();
  expect(request).toEqual({
    interaction_id: expect.stringMatching(/^int_[0-9a-f]{32}$/),
    generation_id: expect.stringMatching(/^gen_/),
    tool_call_id: "c1",
    tool_name: "jira.ask",
    interaction_type: "input",
    prompt: "Who?",
    input_schema: FORM,
    expires_at: new Date(NOON + 300_000).toISOString(),
  });
  await turn.until("awaiting_input");
  await turn.answer(request.interaction_id, { action: "submit", input: { name: "Ann" } });
  await turn.end();
  expect(readToolMessages()).toContain(String.raw`\"data\":{\"action\":\"submit\",\"input\":{\"name\":\"Ann\"}}`);
  expect(turn.parts.find(({ type }) => type === "data-tool-log")).toMatchObject({
    data: { tool_call_id: "c1", entries: [{ text: "asked" }] },
  });
});

test("a form that is canceled is an answer that the tool reacts to", async () => {
  const { turn } = await askForTool("ask");
  const { interaction_id } = await turn.asked();
  await turn.answer(interaction_id, { action: "cancel" });
  await turn.end();
  expect(readToolMessages()).toContain(String.raw`\"action\":\"cancel\"`);
});

test("G19 a form that is asked again shows the error and keeps the values", async () => {
  const { turn } = await askForTool("ask_email");
  const first = await turn.asked();
  await turn.answer(first.interaction_id, { action: "submit", input: { name: "Ann", email: "not-an-email" } });
  const second = await turn.asked();
  expect(second).toMatchObject({
    error: "Invalid email format",
    initial_values: { name: "Ann", email: "not-an-email" },
    input_schema: FORM,
  });
  expect(second.interaction_id).not.toBe(first.interaction_id);
  const again = await turn.answer(first.interaction_id, { action: "submit", input: { email: "a@b.c" } });
  expect(again).toMatchObject({ status: 409, body: { code: "INTERACTION_CLOSED" } });
  await turn.answer(second.interaction_id, { action: "submit", input: { name: "Ann", email: "ann@example.test" } });
  await turn.end();
  expect(readToolMessages()).toContain("ann@example.test");
});

test("N62 a user who changes the answer is asked again as often as needed", async () => {
  const { turn } = await askForTool("ask_email");
  for (let round = 0; round <= 9; round++) {
    const { interaction_id } = await turn.asked();
    await turn.answer(interaction_id, { action: "submit", input: { name: "Ann", email: `no ${round}` } });
  }
  const { interaction_id } = await turn.asked();
  await turn.answer(interaction_id, { action: "submit", input: { name: "Ann", email: "ann@example.test" } });
  await turn.end();
  expect(readToolMessages()).toContain("ann@example.test");
});

test("G19 after six equal invalid answers the tool ends with an error", async () => {
  const { turn } = await askForTool("ask_email");
  for (let round = 0; round <= 5; round++) {
    const { interaction_id } = await turn.asked();
    await turn.answer(interaction_id, { action: "submit", input: { name: "Ann", email: "no" } });
  }
  await turn.end();
  expect(turn.parts.filter(({ type }) => type === "data-interaction-request")).toHaveLength(6);
  expect(turn.parts.find(({ type }) => type === "tool-output-error")).toMatchObject({
    toolCallId: "c1",
    errorText: "Giving up after 6 invalid answers.",
  });
});

test("a tool may define what an expired request means", async () => {
  const { turn } = await askForTool("ask_quietly");
  await turn.until("awaiting_input");
  world().clock.advance(1000);
  await world().backend.tick();
  await turn.end();
  expect(readToolMessages()).toContain(String.raw`\"data\":\"nobody\"`);
});

test("without a handler, an expired request is the tool's failure", async () => {
  const { turn } = await askForTool("ask");
  await turn.until("awaiting_input");
  world().clock.advance(300_000);
  await world().backend.tick();
  await turn.end();
  expect(turn.parts.find(({ type }) => type === "tool-output-error")).toMatchObject({ code: "TIMED_OUT" });
});

test("N53 a request that the user is working on is extended, up to a day, and not after it has ended", async () => {
  const { token, turn } = await askForTool("ask");
  const { interaction_id } = await turn.asked();
  await turn.until("awaiting_input");
  const extend = () =>
    world().call(`POST /sessions/${turn.session}/interactions/${interaction_id}/extend`, { token, body: {} });
  for (let minute = 4; minute <= 20; minute += 4) {
    world().clock.advance(240_000);
    await world().backend.tick();
    const until = new Date(NOON + (minute + 5) * 60_000).toISOString();
    expect(await extend()).toMatchObject({ status: 200, body: { interaction_id, expires_at: until } });
    expect((await turn.next("data-interaction-extended")).data).toEqual({ interaction_id, expires_at: until });
    const { body } = await world().call("GET /pending", { token });
    expect(body).toMatchObject({ pending: [{ id: interaction_id, expires_at: until }] });
  }
  await turn.answer(interaction_id, { action: "submit", input: { name: "Ann" } });
  await turn.end();
  expect(readToolMessages()).toContain(String.raw`{\"name\":\"Ann\"}`);
  expect(await extend()).toMatchObject({ status: 409, body: { code: "INTERACTION_CLOSED" } });
  const other = await connect(world());
  expect(
    await world().call(`POST /sessions/${turn.session}/interactions/${interaction_id}/extend`, {
      token: other.token,
      body: {},
    }),
  ).toMatchObject({ status: 404, body: { code: "INTERACTION_NOT_FOUND" } });
});

test("the handler of a cancelled request is told once", async () => {
  const { token, turn } = await askForTool("ask_cancelled");
  await turn.until("awaiting_input");
  const logLength = log.length;
  const generation = turn.parts.find((part) => part.type === "data-interaction-request");
  const id = generation?.type === "data-interaction-request" ? generation.data.generation_id : "";
  await world().call(`POST /generations/${id}/cancel`, { token, body: {} });
  await turn.end();
  expect(turn.parts.find(({ type }) => type === "data-interaction-response")).toMatchObject({
    data: { action: "cancel", reason: "The user cancelled it." },
  });
  await expect.poll(() => log.slice(logLength)).toEqual(["cancelled"]);
});

test("if no client can answer, the tool learns it; one that is enabled later can answer", async () => {
  const createClient = (enabled: boolean) => ({
    id: "kay-1",
    name: "laptop",
    interaction: { supported: true, enabled },
  });
  const refused = await askForTool("ask", { client: createClient(false) });
  await refused.turn.end();
  expect(refused.turn.parts.find(({ type }) => type === "tool-output-error")).toMatchObject({
    code: "INTERACTION_UNAVAILABLE",
  });
  const { token, turn } = await askForTool("ask", { client: createClient(true) });
  const { interaction_id } = await turn.asked();
  const put = (id: string, enabled: boolean) =>
    world().call(`PUT /sessions/${turn.session}/clients/${id}`, {
      token,
      body: { ...createClient(enabled), name: id },
    });
  await put("kay-1", false);
  const answer = { action: "submit", input: { name: "Ann" } };
  const no = await turn.answer(interaction_id, { ...answer, client: "kay-1" });
  expect(no).toMatchObject({ status: 409, body: { code: "INTERACTION_UNAVAILABLE" } });
  await put("kay-2", true);
  const yes = await turn.answer(interaction_id, { ...answer, client: "kay-2" });
  expect(yes).toMatchObject({ status: 200, body: { client: "kay-2" } });
  await turn.end();
});

test("an answer after the tool has ended is a message of the user in a new turn, after the running one", async () => {
  const { token } = await connect(world());
  const gate = Promise.withResolvers<void>();
  model.script({ calls: [["c1", "jira.ask_later", {}]] }, async () => {
    await gate.promise;
    return { text: "I go on without it." };
  });
  const turn = await ask(world(), token, "go");
  await turn.asked();
  await turn.until("awaiting_input");
  const late = await follow(world(), token, turn.session);
  world().clock.advance(1000);
  await world().backend.tick();
  const request = await turn.asked();
  await turn.next("tool-output-available");
  model.script({ text: "Thank you." });
  const answered = await turn.answer(request.interaction_id, { action: "submit", input: { name: "Ann" } });
  expect(answered.status).toBe(200);
  await expect.poll(readToolMessages).toContain("The person answers later.");
  gate.resolve();
  await turn.end();
  expect(turn.text()).toBe("I go on without it.");
  await late.next("finish");
  const message = await late.next("data-user-message");
  expect(message.data).toEqual({ text: "Answer to “Who?”:\nName: Ann", source: "late_answer" });
  await late.next("finish");
  expect(late.text()).toBe("I go on without it.Thank you.");
  await late.close();
});

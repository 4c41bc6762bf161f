import { expect, test } from "vitest";
import { isRefusal, useTarget } from "./target.ts";

// The integration guide, "Ask Endpoint".

const target = useTarget();
const CONFIRMATION = /^confirm_./;

test("a one-shot ask is completed with the prompt and the response", async () => {
  const { guide, shared } = target();
  const prompt = "What can you help me with?";
  const { status, body } = await guide.ask({ prompt, interactive: false, confirm: false }, (await shared()).token);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { status: "completed", message: expect.stringMatching(/./), data: { prompt, response: expect.any(String) } },
  });
  expect([body.confirmation_token ?? null, body.session_id ?? null]).toEqual([null, null]);
});

test("a request with confirm does nothing and asks for approval", async () => {
  const { guide, shared } = target();
  const prompt = "Delete all tickets in project PROJ";
  const { status, body } = await guide.ask({ prompt, confirm: true }, (await shared()).token);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      status: "confirmation_required",
      confirmation_token: expect.stringMatching(CONFIRMATION),
      requires_confirmation: true,
      message: expect.stringMatching(/^Please confirm the following action: Delete all tickets in project PROJ/),
      data: { prompt, context: {} },
    },
  });
});

test("a request with confirm shows its context", async () => {
  const { guide, shared } = target();
  const context = { branch: "main", tickets: ["KAY-1"] };
  const prompt = "Delete all tickets in project PROJ";
  const { body } = await guide.ask({ prompt, context, confirm: true }, (await shared()).token);
  expect(body).toMatchObject({ status: "confirmation_required", data: { prompt, context } });
});

test("a cancelled confirmation is completed without doing anything", async () => {
  const { guide, shared } = target();
  const { token } = await shared();
  const confirmation = await guide.ask({ prompt: "Delete all tickets in project PROJ", confirm: true }, token);
  const confirmation_token = confirmation.body.confirmation_token;
  expect(await guide.confirm({ confirmation_token, approved: false }, token)).toMatchObject({
    status: 200,
    body: { status: "completed", message: "Action cancelled by user" },
  });
});

test("an approved confirmation runs, once", async ({ skip }) => {
  const { guide, shared, change } = target();
  const { token } = await shared();
  const prompt = await change();
  if (!prompt) return skip("Name a harmless change in KAY_CONTRACT_CHANGE to have it approved here.");
  const confirmation = await guide.ask({ prompt, confirm: true }, token);
  const confirmation_token = confirmation.body.confirmation_token;
  const { status, body } = await guide.confirm({ confirmation_token, approved: true }, token);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      status: "completed",
      message: expect.stringMatching(/^Action confirmed and executed successfully/),
      data: expect.anything(),
    },
  });
  const again = await guide.confirm({ confirmation_token, approved: true }, token);
  expect(again.body.status).toBe("error");
  expect(again.status).toBeGreaterThanOrEqual(400);
});

test("an unknown confirmation is an error", async () => {
  const { guide, shared } = target();
  const request = { confirmation_token: "confirm_1234567890_abc123", approved: true };
  const { status, body } = await guide.confirm(request, (await shared()).token);
  expect(body).toMatchObject({ status: "error", message: expect.stringMatching(/./) });
  expect(isRefusal(status)).toBe(true);
});

test("a confirmation without its token, or without an answer, is a bad request", async () => {
  const { guide, shared } = target();
  const { token } = await shared();
  const incomplete = [{ approved: true }, { confirmation_token: "confirm_1" }];
  const answers = await Promise.all(incomplete.map((body) => guide.confirm(body, token)));
  expect(answers.map(({ status, body }) => [status, body.status])).toEqual([
    [400, "error"],
    [400, "error"],
  ]);
});

test("an interactive conversation continues under its session", async () => {
  const first = await say("I need help with Jira");
  const second = await say("What can you do there?", first.session_id);
  const third = await say("And what else?", first.session_id);
  expect([second.session_id, third.session_id]).toEqual([first.session_id, first.session_id]);
});

test("an interactive conversation remembers its earlier turns", async ({ skip }) => {
  if (!(await target().sandbox())) return skip("What can be remembered is known of the sandbox only.");
  const first = await say("I need help with Jira");
  const second = await say("What is open in project KAY?", first.session_id);
  expect(second.message).toMatch(/KAY-\d/);
  const third = await say("Only the bugs", first.session_id);
  expect(third.message).toMatch(/KAY-\d/);
  expect(third.message).not.toBe(second.message);
});

test("two interactive conversations are separate", async () => {
  const { guide, shared } = target();
  const { token } = await shared();
  const begin = () => guide.ask({ prompt: "I need help with Jira", interactive: true }, token);
  const [one, other] = await Promise.all([begin(), begin()]);
  expect(one.body.session_id).not.toBe(other.body.session_id);
});

test("a request without a prompt is an error in the guide's words", async () => {
  const { guide, shared } = target();
  const { token } = await shared();
  for (const body of [{}, { prompt: "" }, { interactive: true }]) {
    expect(await guide.ask(body, token)).toMatchObject({
      status: 400,
      body: { status: "error", message: "Missing required field: prompt" },
    });
  }
});

test("a request in an unknown conversation is an error in the guide's words", async () => {
  const { guide, shared } = target();
  const request = { prompt: "Go on", interactive: true, session_id: "session_1234567890_xyz789" };
  const { status, body } = await guide.ask(request, (await shared()).token);
  expect(body).toMatchObject({ status: "error", message: "Invalid or expired session_id" });
  expect(isRefusal(status)).toBe(true);
});

test("requests and confirmations need the access token", async () => {
  const { guide } = target();
  const asked = [
    await guide.ask({ prompt: "What can you help me with?" }),
    await guide.ask({ prompt: "What can you help me with?" }, "not.a.token"),
    await guide.confirm({ confirmation_token: "confirm_1", approved: true }),
  ];
  expect(asked.map(({ status }) => status)).toEqual([401, 401, 401]);
});

/** One turn of an interactive conversation, and the body of its answer. */
async function say(prompt: string, session_id?: unknown): Promise<Record<string, unknown>> {
  const { guide, shared } = target();
  const request = { prompt, interactive: true, ...(session_id ? { session_id } : {}) };
  const { status, body } = await guide.ask(request, (await shared()).token);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      status: "interactive_response",
      session_id: session_id ?? expect.stringMatching(/^session_./),
      interactive: true,
      message: expect.stringMatching(/./),
      data: { prompt },
    },
  });
  return body;
}

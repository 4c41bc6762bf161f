import { expect, test } from "vitest";
import { connect } from "#test/consent";
import { type DeskLog, deskServices } from "#test/desk";
import { openStream } from "#test/event-stream";
import { json } from "#test/outside";
import { useScriptedBackend } from "#test/scripted-backend";

const log: DeskLog = [];
const { model, world } = useScriptedBackend({ services: deskServices(log) });

test("ask_user asks with a form, keeps the values after an error, and gives the model the answers", async () => {
  const { token } = await connect(world());
  const fields = [
    { id: "title", type: "text", label: "Title", required: true },
    { id: "kind", type: "select", label: "Kind", options: [{ value: "bug", label: "Bug" }] },
  ];
  model.script({ calls: [["q", "ask_user", { question: "What shall it be?", fields }]] }, { text: "Thanks." });
  const stream = await openStream(world(), "POST /ask", token, { body: { prompt: "make a task" } });
  const first = await stream.next("data-interaction-request");
  expect(first.data).toMatchObject({
    interaction_type: "input",
    prompt: "What shall it be?",
    presentation: "questionnaire",
    input_schema: { type: "form", fields },
  });
  expect((await stream.next("data-status")).data.status).toBe("awaiting_input");
  await answer(stream, token, first.data.interaction_id, { action: "submit", input: { kind: "bug" } });
  const second = await stream.next("data-interaction-request");
  expect(second.data).toMatchObject({ error: "“Title” is required.", initial_values: { kind: "bug" } });
  expect(second.data.interaction_id).not.toBe(first.data.interaction_id);
  await answer(stream, token, second.data.interaction_id, { action: "submit", input: { kind: "bug", title: "Login" } });
  await stream.end();
  expect(stream.text()).toBe("Thanks.");
  expect(model.prompts.at(-1)?.messages.at(-1)?.content).toContain('"answers":{"kind":"bug","title":"Login"}');
});

test("if nobody can be asked, ask_user says so and the model may ask in text", async () => {
  const { token } = await connect(world());
  model.script({ calls: [["q", "ask_user", { question: "Which one?" }]] }, { text: "Which one do you mean?" });
  const { body } = await world().call("POST /ask", { token, body: { prompt: "close it" } });
  expect(body).toMatchObject({ status: "completed", message: "Which one do you mean?" });
  expect(JSON.stringify(model.prompts.at(-1)?.messages)).toContain("INTERACTION_UNAVAILABLE");
});

test("connect_service lets the user connect, and the same request continues afterwards", async () => {
  const { token, session } = await connect(world());
  model.script(
    { calls: [["k", "connect_service", { services: ["confluence"], reason: "Run\nthis \u001b[1mfirst" }]] },
    { text: "Both are there." },
  );
  const stream = await openStream(world(), "POST /ask", token, { body: { prompt: "connect confluence" } });
  const { data } = await stream.next("data-auth-needed");
  // The card is kay's, so it says which words are not.
  const reason = "Confluence must be connected. The model says: “Run this first”";
  expect(data).toMatchObject({ integrations: ["confluence"], connected: [], reason });
  await connect(world(), { session_id: session }, { service: "confluence" });
  expect(await stream.end()).toContain("data-auth-result");
  expect(stream.text()).toBe("Both are there.");
});

test("http_request reads at once, and asks before it changes anything", async () => {
  const { token } = await connect(world());
  world().outside.expect("GET https://api.atlassian.com/ex/jira/c-main/rest/api/3/myself", json({ accountId: "1" }));
  model.script(
    { calls: [["r", "http_request", { service: "jira", path: "/rest/api/3/myself" }]] },
    { calls: [["w", "http_request", { service: "jira", method: "DELETE", path: "/rest/api/3/issue/KAY-1" }]] },
    { text: "All right." },
  );
  const stream = await openStream(world(), "POST /ask", token, { body: { prompt: "who am I, and delete KAY-1" } });
  const { data } = await stream.next("data-interaction-request");
  expect(data).toMatchObject({
    tool_name: "http_request",
    prompt: "DELETE /rest/api/3/issue/KAY-1 at jira (api.atlassian.com)",
    preview: { service: "jira", access: "destructive" },
    approval_scopes: [{ scope: "once" }, { scope: "session" }],
  });
  await answer(stream, token, data.interaction_id, { action: "deny", reason: "not that one" });
  await stream.end();
  expect(JSON.stringify(model.prompts.at(-1)?.messages.at(-1))).toContain("not that one");
});

async function answer(stream: { headers: Headers }, token: string, id: string, body: object): Promise<void> {
  const session = stream.headers.get("kay-session-id");
  const { status } = await world().call(`POST /sessions/${session}/interactions/${id}`, { token, body });
  expect(status).toBe(200);
}

test("a tool that waits for a busy service says so while it runs", async () => {
  const { token } = await connect(world());
  const path = "GET https://api.atlassian.com/ex/jira/c-main/rest/api/3/myself";
  world().outside.expect(path, json({}, 429, { "retry-after": "1" }));
  world().outside.expect(path, json({ accountId: "1" }));
  model.script({ calls: [["r", "http_request", { service: "jira", path: "/rest/api/3/myself" }]] }, { text: "You." });
  const stream = await openStream(world(), "POST /ask", token, { body: { prompt: "who am I" } });
  const { data } = await stream.next("data-tool-log");
  expect(data).toMatchObject({
    tool_call_id: "r",
    entries: [{ text: "Jira did not answer or is busy; trying again in 1 s." }],
  });
  await stream.end();
  expect(stream.text()).toBe("You.");
});

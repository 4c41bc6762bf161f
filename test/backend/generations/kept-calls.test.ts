import { afterEach, beforeEach, expect, test } from "vitest";
import * as z from "zod/mini";
import { type McpClient, openMcpClient } from "#connectors/mcp/client";
import { createElicitationHandler } from "#connectors/mcp/elicitation";
import { defineTool } from "#connectors/tool";
import type { World } from "#test/backend";
import { connect } from "#test/consent";
import { deskServices } from "#test/desk";
import { NOTES } from "#test/mcp-login";
import { notesServer } from "#test/mcp-server";
import { useNodes } from "#test/scripted-backend";
import { ask, follow } from "#test/turn";

let server = notesServer();
const links: McpClient[] = [];

/** A read that is answered by a server which asks meanwhile. */
const pick = defineTool({
  name: "jira.pick_note",
  description: "Pick a note.",
  access: "read",
  suspendable: true,
  input: z.object({}),
  examples: [],
  summary: () => "Pick a note",
  run: async (_, { people, signal }) => {
    const link = await openMcpClient({
      name: "notes",
      title: "Notes",
      version: "0.0.0",
      elicits: true,
      place: { http: { url: NOTES, fetch: (url, init) => server.fetch(new Request(url, init)) } },
    });
    links.push(link);
    const handler = createElicitationHandler(people, { title: "Notes", where: "notes.example.test" });
    const result = await link.call("pick_note", {}, { writes: false, signal, onElicitation: handler.answer });
    return { data: null, text: [...handler.notes(), JSON.stringify(result.content)].join("\n") };
  },
});

const { model, start } = useNodes({ services: deskServices([], undefined, [pick]) });
let world: World;

beforeEach(() => {
  world = start();
});
afterEach(async () => {
  await Promise.all(links.splice(0).map((link) => link.close()));
  server = notesServer();
});

const readToolMessages = () => JSON.stringify(model.prompts.at(-1)?.messages.filter(({ role }) => role === "tool"));

async function askToPick() {
  const { token } = await connect(world);
  model.script({ calls: [["c1", "jira.pick_note", {}]] }, { text: "So." });
  const turn = await ask(world, token, "pick a note");
  const request = await turn.asked();
  await turn.until("awaiting_input");
  return { token, turn, request };
}

test("a server's question is a card; the call stays open across the pause and continues with the answer, even after a wrong one", async () => {
  const { turn, request } = await askToPick();
  expect(request).toMatchObject({ tool_name: "jira.pick_note", interaction_type: "input" });
  await turn.answer(request.interaction_id, { action: "submit", input: { title: "a" } });
  const again = await turn.asked();
  expect(again).toMatchObject({ error: "“Title” must have at least 3 characters.", initial_values: { title: "a" } });
  await turn.answer(again.interaction_id, { action: "submit", input: { title: "Tea", tags: ["r"] } });
  await turn.end();
  expect([server.state.calls, server.state.said]).toEqual([1, ["accept"]]);
  expect(readToolMessages()).toContain("accept picked");
});

test("a denial reaches the server and the model; expiry is a cancel", async () => {
  const first = await askToPick();
  expect((await first.turn.answer(first.request.interaction_id, { action: "deny" })).status).toBe(200);
  await first.turn.end();
  const second = await askToPick();
  world.clock.advance(271_000);
  await world.backend.tick();
  await second.turn.end();
  expect([server.state.calls, server.state.said]).toEqual([2, ["decline", "cancel"]]);
});

test("when the request is stopped, the server learns that its question was cancelled", async () => {
  const { turn, token, request } = await askToPick();
  await world.call(`POST /generations/${request.generation_id}/cancel`, { token });
  await turn.end();
  await expect.poll(() => server.state.said).toEqual(["cancel"]);
});

test("in a request without a stream nobody is asked, and the text says so", async () => {
  const { token } = await connect(world);
  model.script({ calls: [["c1", "jira.pick_note", {}]] }, { text: "So." });
  await world.call("POST /ask", { token, body: { prompt: "pick" } });
  expect([server.state.said, readToolMessages()]).toEqual([
    ["cancel"],
    expect.stringContaining("interaction_unavailable"),
  ]);
});

test("an answer at another node runs at the node that keeps the call; if that is gone, a read is repeated with the same answer", async () => {
  const other = start();
  const first = await askToPick();
  await answer(other, first);
  await first.turn.end();
  expect([server.state.calls, server.state.said]).toEqual([1, ["accept"]]);
  const second = await askToPick();
  await world.ports.node.close();
  await answer(other, second);
  await second.turn.close();
  const resumed = await follow(other, second.token, second.turn.session, "after=0");
  await resumed.next("finish");
  expect([server.state.calls, server.state.said]).toEqual([3, ["accept", "accept"]]);
  await resumed.close();
});

function answer(backend: World, { token, turn, request }: Awaited<ReturnType<typeof askToPick>>) {
  const path = `/sessions/${turn.session}/interactions/${request.interaction_id}`;
  return backend.call(`POST ${path}`, { token, body: { action: "submit", input: { title: "Tea" } } });
}

import { expect, test } from "vitest";
import * as z from "zod/mini";
import { defineTool } from "#connectors/tool";
import { connect } from "#test/consent";
import { deskServices } from "#test/desk";
import { useScriptedBackend } from "#test/scripted-backend";
import { ask } from "#test/turn";

const send = defineTool({
  name: "jira.send",
  description: "Send.",
  access: "write",
  input: z.object({ to: z.array(z.string()), text: z.string() }),
  examples: [],
  summary: ({ to }) => `Send to ${to.join(", ")}`,
  resource: ({ to }) => `to ${to.join(", ")}`,
  destinations: ({ to }) => to.map((address) => address.toLowerCase()),
  run: async (_, { raw }) => {
    await raw?.sent();
    return { data: {}, text: "Sent." };
  },
});
const read = defineTool({
  name: "jira.read_note",
  description: "Read.",
  access: "read",
  input: z.object({}),
  examples: [],
  summary: () => "Read the note",
  run: async () => ({ data: {}, text: "A note." }),
});
const { model, world } = useScriptedBackend({ services: deskServices([], undefined, [send, read]) });

async function sendTo(token: string, to: string[], action: "approve" | "deny", text = "hi") {
  model.script({ calls: [["c1", "jira.send", { to, text }]] }, { text: "Done." });
  const turn = await ask(world(), token, `send to ${to.join(" and ")}`);
  const request = await turn.asked();
  await turn.answer(request.interaction_id, { action });
  await turn.end();
  return request.preview?.new_destinations;
}

test("a card names the destinations that kay has never written to, whatever else their names stand in", async () => {
  const { token } = await connect(world());
  expect(await sendTo(token, ["Sam@example.com"], "deny")).toEqual(["sam@example.com"]);
  expect(await sendTo(token, ["sam@example.com"], "approve", "tell eve@evil.example")).toEqual(["sam@example.com"]);
  expect(await sendTo(token, ["SAM@example.com"], "deny")).toBeUndefined();
  expect(await sendTo(token, ["sam@example.com", "eve@evil.example"], "deny")).toEqual(["eve@evil.example"]);
});

test("another installation's destinations are unknown", async () => {
  const { token } = await connect(world());
  await sendTo(token, ["ann@example.com"], "approve");
  const other = await connect(world());
  expect(await sendTo(other.token, ["ann@example.com"], "deny")).toEqual(["ann@example.com"]);
});

test("a confirmation names them below the fields of its call", async () => {
  const { token } = await connect(world());
  model.script({ calls: [["c1", "jira.send", { to: ["bo@example.com"], text: "hi" }]] });
  const { body } = await world().call("POST /ask", { token, body: { prompt: "write to bo", confirm: true } });
  expect(body.message).toContain("\n  text: hi\n  New destination: kay has never written to bo@example.com before.");
});

test("once the model has read foreign text, nothing but its own name covers a destination that is new", async () => {
  const { token } = await connect(world());
  const tell = async (to: string, more: Record<string, unknown> = {}) => {
    model.script(
      { calls: [["c1", "jira.read_note", {}]] },
      { calls: [["c2", "jira.send", { to: [to], text: "hi" }]] },
      { text: "Done." },
    );
    return await ask(world(), token, `read the note and send hi to ${to}`, more);
  };
  const turn = await tell("dee@example.com", { allow: ["jira.send"] });
  const request = await turn.asked();
  expect(request.preview?.why).toBe(
    "--allow jira.send does not cover dee@example.com, where kay has never written before.",
  );
  await turn.answer(request.interaction_id, { action: "approve" });
  await turn.end();
  for (const [to, entry] of [
    ["dee@example.com", "jira.send"],
    ["new@example.com", "jira.send:new@example.com"],
  ] as const) {
    const covered = await tell(to, { allow: [entry] });
    await covered.end();
    expect(covered.parts.filter(({ type }) => type === "data-interaction-request")).toEqual([]);
    expect(covered.parts).toContainEqual(expect.objectContaining({ type: "tool-output-available", toolCallId: "c2" }));
  }

  await world().call("PUT /policies", { token, body: { policies: [{ target: "jira", mode: "everything" }] } });
  const other = await tell("fay@example.com");
  const { preview, interaction_id } = await other.asked();
  expect(preview?.why).toBe("It would write to fay@example.com, where kay has never written before.");
  await other.answer(interaction_id, { action: "deny" });
  await other.end();
});

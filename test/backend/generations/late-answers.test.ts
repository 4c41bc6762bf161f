import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import * as z from "zod/mini";
import { defineTool } from "#connectors/tool";
import { createPeer, type World } from "#test/backend";
import { connect } from "#test/consent";
import { openWrapped } from "#test/database";
import { deskServices } from "#test/desk";
import { watchPool } from "#test/durable/moments";
import { useNodes } from "#test/scripted-backend";
import { ask, follow } from "#test/turn";

const askLater = defineTool({
  name: "jira.ask_later",
  description: "Ask.",
  access: "read",
  input: z.object({}),
  examples: [],
  summary: () => "Ask for something",
  run: async (_, { people }) => ({
    data: await people?.requestInteraction({
      type: "input",
      prompt: "Who?",
      inputSchema: { type: "form", fields: [{ id: "name", type: "text", label: "Name" }] },
      timeoutMs: 1_000,
      onResponse: () => ({ complete: {} }),
      onTimeout: () => ({ pending: { message: "The person answers later." } }),
    }),
    text: "Asked.",
  }),
});
const { database, model, start } = useNodes({ services: deskServices([], undefined, [askLater]), leaveMs: 60_000 });
let world: World;

beforeEach(() => {
  world = start();
});
afterEach(() => expect(model.left()).toBe(0));

/** An ended turn with an open question, and a backend that dies at this moment of the answer. */
async function leaveOpen(last: string) {
  const { token } = await connect(world);
  model.script({ calls: [["c1", "jira.ask_later", {}]] }, { text: "I go on without it." });
  const turn = await ask(world, token, "go");
  await turn.asked();
  await turn.until("awaiting_input");
  world.clock.advance(1_000);
  await world.backend.tick();
  const { interaction_id } = await turn.asked();
  await turn.end();
  let isOver = false;
  const { db, close } = await openWrapped(database(), (pool) =>
    watchPool(pool, (moment) => {
      isOver ||= moment === last;
      if (isOver) throw new Error("This process is gone.");
    }),
  );
  onTestFinished(close);
  const dyingPeer = createPeer(world, { db });
  const where = `POST /sessions/${turn.session}/interactions/${interaction_id}`;
  const answer = (backend: World) => backend.call(where, { token, body: { action: "submit", input: { name: "Ann" } } });
  return { token, turn, gone: dyingPeer, answer };
}

test("an answer whose process dies after it was stored still gets its turn, once", async () => {
  const { token, turn, gone, answer } = await leaveOpen("answer after");
  expect((await answer(gone)).status).toBe(500);
  expect((await answer(world)).status).toBe(409);
  model.script({ text: "Thank you." });
  const later = await follow(world, token, turn.session, `after=${turn.parts.at(-1)?.number}`);
  world.clock.advance(1_000);
  await world.backend.tick();
  expect((await later.next("data-user-message")).data).toEqual({
    text: "Answer to “Who?”:\nName: Ann",
    source: "late_answer",
  });
  await later.next("finish");
  await world.backend.tick();
  await later.close();
  expect(later.text()).toBe("Thank you.");
});

test("an answer whose process dies before it was stored can be given again, and gets its turn once", async () => {
  const { token, turn, gone, answer } = await leaveOpen("answer before");
  expect((await answer(gone)).status).toBe(500);
  model.script({ text: "Thank you." });
  const later = await follow(world, token, turn.session, `after=${turn.parts.at(-1)?.number}`);
  expect((await answer(world)).status).toBe(200);
  await later.next("finish");
  await later.close();
  expect(later.parts.filter(({ type }) => type === "data-user-message")).toHaveLength(1);
});

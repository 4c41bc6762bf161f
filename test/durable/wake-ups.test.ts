import { afterEach, beforeEach, expect, test } from "vitest";
import * as z from "zod/mini";
import type { Tool } from "#connectors/tool";
import type { World } from "#test/backend";
import { connect } from "#test/consent";
import { deskServices } from "#test/desk";
import { json } from "#test/outside";
import { useNodes } from "#test/scripted-backend";
import { ask, follow } from "#test/turn";

/** A node that ends between a commit and its notification has notified nobody, so others have only its commits. */

const gate = { open: Promise.withResolvers<void>() };
/** A read that takes as long as the test wants. */
const waitTool: Tool = {
  name: "jira.wait",
  description: "Wait.",
  access: "read",
  input: z.object({}),
  examples: ["wait"],
  summary: () => "Wait",
  run: async () => {
    await gate.open.promise;
    return { data: null, text: "Waited." };
  },
};
const services = deskServices([], undefined, [waitTool]);
const { model, start } = useNodes({ services, clock: Date, leaveMs: 30_000 });
let a: World;
let b: World;

beforeEach(() => {
  gate.open = Promise.withResolvers();
  [a, b] = [start(), start()];
  b.ports.node.publish = () => {};
});
afterEach(() => {
  gate.open.resolve();
  expect(model.left()).toBe(0);
});

/** Checks, like a backend does once a second, until something has arrived. */
async function whileTicking<T>(world: World, work: Promise<T>): Promise<T> {
  let isSettled = false;
  const settled = work.finally(() => {
    isSettled = true;
  });
  settled.catch(() => {});
  while (!isSettled) {
    await world.backend.tick();
    await Promise.race([settled.catch(() => {}), new Promise((resolve) => setTimeout(resolve, 20))]);
  }
  return await settled;
}

test("followers at another node get events without a notification at its next check", async () => {
  const { token } = await connect(a);
  model.script({ text: "Hello." });
  const turn = await ask(b, token, "hello");
  const other = await follow(a, token, turn.session);
  await whileTicking(a, other.next("finish"));
  await whileTicking(b, turn.end());
  expect(other.text()).toBe("Hello.");
  await other.close();
});

test("a generation is stopped although its node was not notified", async () => {
  const { token } = await connect(a);
  model.script(() => new Promise(() => {}));
  const turn = await ask(a, token, "hello");
  const { messageMetadata } = await turn.next("start");
  await turn.next("start-step");
  expect((await b.call(`POST /generations/${messageMetadata?.generation_id}/cancel`, { token })).status).toBe(200);
  await whileTicking(a, turn.end());
  expect(turn.parts.at(-1)).toMatchObject({ type: "abort", reason: "The user cancelled it." });
});

test("an answer without a notification to the running step is found while another call still runs", async () => {
  const { token } = await connect(a);
  model.script(
    {
      calls: [
        ["c1", "jira.close_issue", { issue: "KAY-3" }],
        ["c2", "jira.wait", {}],
      ],
    },
    { text: "Closed." },
  );
  const turn = await ask(a, token, "close it, and wait");
  const { interaction_id } = await turn.asked();
  a.outside.expect("POST https://api.atlassian.com/close/KAY-3", json({}));
  const where = `POST /sessions/${turn.session}/interactions/${interaction_id}`;
  expect((await b.call(where, { token, body: { action: "approve" } })).status).toBe(200);
  expect((await whileTicking(a, turn.next("tool-output-available"))).toolCallId).toBe("c1");
  gate.open.resolve();
  await whileTicking(a, turn.end());
  expect(turn.text()).toBe("Closed.");
});

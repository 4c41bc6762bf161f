import { expect, test } from "vitest";
import { createEventHub } from "#backend/generations/events/hub";
import { appendEvents } from "#backend/store/events";
import { useBackend } from "#test/backend";
import { connect } from "#test/consent";
import { deskServices } from "#test/desk";
import { openStream } from "#test/event-stream";
import { scriptedModel } from "#test/scripted-model";

const model = scriptedModel((url, init) => world().outside.fetch(url, init));
const world = useBackend({ services: deskServices([]), ...model.ports });

test("a node that ends sends its followers the rest of the log, then lets them continue elsewhere", async () => {
  const { token } = await connect(world());
  model.script({ text: "Hello." });
  const stream = await openStream(world(), "POST /ask", token, { body: { prompt: "hello" } });
  await stream.end();
  const session = String(stream.headers.get("kay-session-id"));
  const { db } = world().ports;
  // This node gets no notifications, as if they were still on their way.
  const hub = createEventHub({
    ...world().ports,
    node: { number: async () => 1, on: () => () => {}, publish: () => {}, close: async () => {} },
  });
  const source = hub.follow(session, 0, new AbortController().signal);
  await source.next();
  const waiting = source.next();
  const part = { type: "finish-step" } as const;
  await appendEvents(db, session, [{ generationId: null, part }], Date.now());
  hub.close();
  expect((await waiting).value).toMatchObject([{ part }]);
  expect(await source.next()).toEqual({ done: true, value: undefined });
});

import { expect, test } from "vitest";
import { createEventHub } from "#backend/generations/events/hub";
import { appendEvents } from "#backend/store/events";
import type { StoredEvent } from "#backend/store/schema-work";
import { connect } from "#test/consent";
import { deskServices } from "#test/desk";
import { openStream } from "#test/event-stream";
import { useScriptedBackend } from "#test/scripted-backend";

const { model, world } = useScriptedBackend({ services: deskServices([]) });

/** A conversation in which nothing runs any longer. Returns its ID. */
async function finishConversation(): Promise<string> {
  const { token } = await connect(world());
  model.script({ text: "Hello." });
  const stream = await openStream(world(), "POST /ask", token, { body: { prompt: "hello" } });
  await stream.end();
  return String(stream.headers.get("kay-session-id"));
}

test("a node that ends sends its followers the rest of the log, then lets them continue elsewhere", async () => {
  const session = await finishConversation();
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

test("parts that two writers report in reverse order reach every follower", async () => {
  const session = await finishConversation();
  const { db } = world().ports;
  let report: (id: string, events?: StoredEvent[]) => void = () => {};
  const hub = createEventHub({
    ...world().ports,
    node: {
      number: async () => 1,
      on: (_topic, listener) => {
        report = listener;
        return () => {};
      },
      publish: () => {},
      close: async () => {},
    },
  });
  const controller = new AbortController();
  const source = hub.follow(session, 0, controller.signal);
  const last = (await source.next()).value?.at(-1)?.number ?? 0;
  const part = { type: "finish-step" } as const;
  const event = { generationId: null, part };
  await appendEvents(db, session, [event, event, event], Date.now());
  const date = new Date();
  report(session, [{ ...event, number: last + 3, at: date }]);
  report(
    session,
    [1, 2].map((place) => ({ ...event, number: last + place, at: date })),
  );
  const numbers: number[] = [];
  while (numbers.length < 3)
    numbers.push(...((await source.next()).value ?? []).map((event: StoredEvent) => event.number));
  expect(numbers).toEqual([last + 1, last + 2, last + 3]);
  controller.abort();
  hub.close();
});

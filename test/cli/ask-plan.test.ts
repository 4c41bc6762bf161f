import { expect, test } from "vitest";
import type { StreamPart } from "#protocol/events";
import { useKay } from "#test/kay";
import { approval, begins, calls, createAnswer, createText, ends, IDS, sse, status } from "#test/parts";

const kay = useKay();
const TERMINAL = { terminal: true, env: { NO_COLOR: "1", TERM: "dumb" } };

const call = (n: number) =>
  approval({
    interaction_id: `int_${n}`,
    tool_call_id: `c${n}`,
    preview: { summary: `Message ${n}`, access: "write", fields: [{ name: "text", value: `text ${n}` }] },
    plan: { id: "plan_1", n, of: 2 },
  });

/** Creates a user whose backend asks about two writes together, and continues when both are answered. */
function stopsAtPlan() {
  const ann = kay({ signedIn: true });
  const answers: unknown[] = [];
  let go = () => {};
  const both = new Promise<void>((resolve) => {
    go = resolve;
  });
  const openingParts = [...begins(), calls("slack.send_message", {}, "c1"), calls("slack.send_message", {}, "c2")];
  const rest: StreamPart[] = [
    ...[1, 2].map((n) => createAnswer({ interaction_id: `int_${n}`, action: "approve" })),
    ...createText("So."),
    ...ends(),
  ];
  const stream = async function* () {
    const cards = [call(1), call(2), status("awaiting_approval")];
    yield* sse(openingParts, { ends: false });
    for (const [index, card] of cards.entries())
      yield* sse([card], { first: openingParts.length + index + 1, ends: false });
    await both;
    yield* sse(rest, { first: openingParts.length + cards.length + 1 });
  };
  ann.place.network.on("POST /ask", { stream: stream() });
  for (const n of [1, 2])
    ann.place.network.always(`POST /sessions/session_1/interactions/int_${n}`, ({ body }) => {
      answers.push([n, body]);
      if (answers.length === 2) go();
      return { json: { ...IDS, interaction_id: `int_${n}`, ...(body as object) } };
    });
  return { ann, given: answers };
}

const SHOWN = `
1 of 2: kay wants to run slack.send_message, which writes.
  Message 1
  text: text 1

2 of 2: kay wants to run slack.send_message, which writes.
  Message 2
  text: text 2

  a  approve all 2
  o  one by one
  n  deny all
`;

test("two writes of a step are shown as one plan, and one answer approves each of them", async () => {
  const { ann, given } = stopsAtPlan();
  const ran = await ann("ask tell them", { ...TERMINAL, types: ["a"] });
  expect([ran.exit, ran.stderr]).toEqual([0, expect.stringContaining(SHOWN)]);
  expect(given).toMatchObject([
    [1, { action: "approve", approval_scope: "once" }],
    [2, { action: "approve", approval_scope: "once" }],
  ]);
});

test("a plan is denied as a whole, with a reason", async () => {
  const { ann, given } = stopsAtPlan();
  expect((await ann("ask tell them", { ...TERMINAL, types: ["n", "not now"] })).exit).toBe(0);
  expect(given).toMatchObject([
    [1, { action: "deny", reason: "not now" }],
    [2, { action: "deny", reason: "not now" }],
  ]);
});

test("one by one, each approval is asked as usual; nothing else answers a plan", async () => {
  const { ann, given } = stopsAtPlan();
  expect((await ann("ask tell them", { ...TERMINAL, types: ["", "1", "y", "o", "2", "n", ""] })).exit).toBe(0);
  expect(given).toMatchObject([
    [1, { action: "approve", approval_scope: "session" }],
    [2, { action: "deny" }],
  ]);
});

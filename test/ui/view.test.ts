import { expect, test } from "vitest";
import type { StreamPart } from "#protocol/events";
import { reduceView } from "#ui/view/reduce";
import { EMPTY_VIEW, listOpenCards, type View } from "#ui/view/view";

/** Returns the view after these parts, numbered from 1; a number before a part is its arrival, in ms. */
function reduceParts(...parts: (StreamPart | [at: number, part: StreamPart])[]): View {
  return parts.reduce<View>((view, item, index) => {
    const [time, part] = Array.isArray(item) ? item : [undefined, item];
    return reduceView(view, { number: index + 1, part, ...(time === undefined ? {} : { at: time }) });
  }, EMPTY_VIEW);
}

const START: StreamPart = { type: "start", messageMetadata: { session_id: "session_1", generation_id: "gen_1" } };
const ASKED: StreamPart = { type: "data-user-message", data: { text: "close KAY-3", source: "typed" } };
const CALL: StreamPart = {
  type: "tool-input-available",
  toolCallId: "call_1",
  toolName: "jira.transition_issue",
  title: "Close KAY-3",
  input: { issue: "KAY-3", status: "close" },
};
const REQUEST = {
  interaction_id: "int_1",
  generation_id: "gen_1",
  tool_call_id: "call_1",
  tool_name: "jira.transition_issue",
  interaction_type: "approval" as const,
  expires_at: "2026-11-27T12:05:00.000Z",
};
const CARD: StreamPart = { type: "data-interaction-request", data: REQUEST };
const AUTH = {
  generation_id: "gen_1",
  integrations: ["slack", "gmail"],
  connected: [],
  expires_at: "2026-11-27T12:10:00.000Z",
};

test("texts grow by their deltas, and IDs that restart with a generation are separate texts", () => {
  const text = (id: string, ...deltas: string[]): StreamPart[] => [
    { type: "text-start", id },
    ...deltas.map((delta): StreamPart => ({ type: "text-delta", id, delta })),
    { type: "text-end", id },
  ];
  const thought: StreamPart[] = [
    { type: "reasoning-start", id: "r" },
    { type: "reasoning-delta", id: "r", delta: "hm" },
    { type: "reasoning-end", id: "r" },
  ];
  const view = reduceParts(
    START,
    ASKED,
    ...thought,
    ...text("0", "Hel", "lo"),
    { type: "finish" },
    ...text("0", "again"),
  );
  expect(view).toEqual({
    last: 13,
    session_id: "session_1",
    generation_id: "gen_1",
    status: "completed",
    presence: [],
    items: [
      { kind: "message", text: "close KAY-3", source: "typed" },
      { kind: "reasoning", id: "r", generation_id: "gen_1", text: "hm", done: true },
      { kind: "text", id: "0", generation_id: "gen_1", text: "Hello", done: true },
      { kind: "text", id: "0", generation_id: "gen_1", text: "again", done: true },
    ],
  });
});

test("repeated parts count once", () => {
  const delta: StreamPart = { type: "text-delta", id: "0", delta: "once" };
  const view = reduceParts({ type: "text-start", id: "0" }, delta);
  expect(reduceView(view, { number: 2, part: delta })).toBe(view);
  expect(reduceView(view, { number: 1, part: delta })).toBe(view);
});

test("parts of unknown types change only the number", () => {
  const strange = { type: "data-weather", data: {} } as unknown as StreamPart;
  expect(reduceView(EMPTY_VIEW, { number: 4, part: strange })).toEqual({ ...EMPTY_VIEW, last: 4 });
});

test("a call runs, waits for its approval, and continues, and the wait is not counted", () => {
  const states = [
    reduceParts([1_000, CALL]),
    reduceParts([1_000, CALL], [1_300, CARD]),
    reduceParts([1_000, CALL], [1_300, CARD], [61_300, answer("approve")]),
    reduceParts([1_000, CALL], [1_300, CARD], [61_300, answer("approve")], [61_400, createOutput({ key: "KAY-3" })]),
  ].map((view) => view.items.find(({ kind }) => kind === "tool"));
  const row = {
    kind: "tool",
    call: "call_1",
    name: "jira.transition_issue",
    title: "Close KAY-3",
    input: { issue: "KAY-3", status: "close" },
    log: [],
  };
  expect(states).toEqual([
    { ...row, state: "working", since: 1_000 },
    { ...row, state: "paused", workedMs: 300 },
    { ...row, state: "working", since: 61_300, workedMs: 300 },
    { ...row, state: "done", workedMs: 400, output: { key: "KAY-3" } },
  ]);
});

test.for([
  ["denied, whatever its result says", [answer("deny"), createOutput({ denied: true })], "denied", undefined],
  ["denied", [answer("deny"), { type: "tool-output-denied", toolCallId: "call_1" }], "denied", undefined],
  [
    "failed",
    [{ type: "tool-output-error", toolCallId: "call_1", errorText: "No such issue." }],
    "failed",
    "No such issue.",
  ],
  ["failed where the generation ends without it", [{ type: "abort" }], "failed", "It did not finish."],
] as [string, StreamPart[], string, string | undefined][])("a call is %s", ([, parts, state, error]) => {
  const tool = reduceParts(START, CALL, CARD, ...parts).items.find(({ kind }) => kind === "tool");
  expect(tool).toMatchObject({ state, ...(error ? { error } : {}) });
});

test("a tool's log arrives line by line or whole, and no line is doubled", () => {
  const log = (...lines: string[]): StreamPart => ({
    type: "data-tool-log",
    data: { tool_call_id: "call_1", entries: lines.map((text) => ({ text })) },
  });
  const [tool] = reduceParts(CALL, log("one"), log("one", "two"), log("three")).items;
  expect(tool).toMatchObject({ log: ["one", "two", "three"] });
});

test("a card is open until it is answered; then it is read-only and shows how and by which client", () => {
  const open = reduceParts(START, CALL, CARD);
  expect(listOpenCards(open)).toEqual([
    { kind: "card", id: "int_1", type: "approval", generation_id: "gen_1", request: REQUEST },
  ]);
  const part: StreamPart = {
    type: "data-interaction-response",
    data: { interaction_id: "int_1", action: "approve", approval_scope: "session", client: "kay on desk" },
  };
  const next = reduceView(open, { number: 4, part });
  const late = reduceView(next, { number: 5, part: answer("deny") });
  expect(listOpenCards(late)).toEqual([]);
  expect(late.items.find(({ kind }) => kind === "card")).toMatchObject({
    ended: { action: "approve", scope: "session", client: "kay on desk" },
  });
});

test("a card that waits for connections marks each one, and ends when all exist", () => {
  const authPart: StreamPart = { type: "data-auth-needed", data: AUTH };
  const progress: StreamPart = { type: "data-auth-progress", data: { connected: "slack", remaining: ["gmail"] } };
  const result: StreamPart = { type: "data-auth-result", data: { success: true, integrations: ["slack", "gmail"] } };
  expect(listOpenCards(reduceParts(START, authPart, authPart, progress))).toEqual([
    { kind: "card", id: "gen_1", type: "auth", generation_id: "gen_1", auth: { ...AUTH, connected: ["slack"] } },
  ]);
  expect(reduceParts(START, authPart, progress, result).items).toEqual([
    {
      kind: "card",
      id: "gen_1",
      type: "auth",
      generation_id: "gen_1",
      auth: { ...AUTH, connected: ["slack", "gmail"] },
      ended: { action: "connected" },
    },
  ]);
});

test("a write has one receipt, whose latest state counts", () => {
  const receipt = (effect: "sent" | "settled"): StreamPart => ({
    type: "data-receipt",
    data: { tool_call_id: "call_1", tool: "jira.transition_issue", effect, summary: "Close KAY-3" },
  });
  expect(reduceParts(receipt("sent"), receipt("settled")).items).toMatchObject([{ receipt: { effect: "settled" } }]);
});

test("an error and an abort are items, and the status says so", () => {
  expect(reduceParts({ type: "error", errorText: "No.", code: "MODEL_FAILED", hint: "Again." })).toMatchObject({
    status: "error",
    items: [{ kind: "end", how: "error", text: "No.", code: "MODEL_FAILED", hint: "Again." }],
  });
  expect(reduceParts({ type: "abort", reason: "cancelled" })).toMatchObject({
    status: "cancelled",
    items: [{ kind: "end", how: "cancelled", text: "cancelled" }],
  });
});

test("presence describes the current state, and is not an event of the log", () => {
  const clients = [{ client_id: "c1", interaction: { supported: true, enabled: true } }];
  const view = reduceParts(START, CALL);
  expect(reduceView(view, { number: 1, part: { type: "data-presence", data: { clients } } })).toEqual({
    ...view,
    presence: clients,
  });
});

function answer(action: "approve" | "deny"): StreamPart {
  return { type: "data-interaction-response", data: { interaction_id: "int_1", action } };
}

function createOutput(output: unknown): StreamPart {
  return { type: "tool-output-available", toolCallId: "call_1", output };
}

test("N20 a call took as long as the backend says, even in a replay that arrives at once", () => {
  const atTime = (part: StreamPart, time: string): StreamPart => ({ ...part, at: `2026-11-27T12:00:${time}Z` });
  const donePart: StreamPart = { type: "tool-output-available", toolCallId: "call_1", output: {} };
  const { items } = reduceParts(START, [5_000, atTime(CALL, "01.000")], [5_000, atTime(donePart, "01.400")]);
  expect(items).toMatchObject([{ kind: "tool", state: "done", workedMs: 400 }]);
});

test("the time that the user takes to connect a service does not count for the call", () => {
  const result: StreamPart = { type: "data-auth-result", data: { success: true, integrations: ["jira"] } };
  const donePart: StreamPart = { type: "tool-output-available", toolCallId: "call_1", output: {} };
  const { items } = reduceParts(
    START,
    [1_000, CALL],
    [1_300, { type: "data-auth-needed", data: AUTH }],
    [61_300, result],
    [61_400, donePart],
  );
  expect(items[0]).toMatchObject({ kind: "tool", state: "done", workedMs: 400 });
});

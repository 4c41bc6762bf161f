import { array, assert, constantFrom, dictionary, integer, oneof, property, record, string } from "fast-check";
import { expect, test } from "vitest";
import type { Writer } from "#backend/generations/events/writer";
import { advanceProgress, type ProgressEvent } from "#backend/generations/progress";
import { createClaimedGeneration } from "#backend/generations/work";
import { createConversation } from "#backend/store/conversations";
import { parseGenerationState } from "#backend/store/generation-row";
import { type GenerationProgress, INITIAL_PROGRESS } from "#backend/store/generation-state";
import { createGeneration, findGeneration } from "#backend/store/generations";
import { fromLegacyOptions, toLegacyOptions } from "#backend/store/legacy-options";
import { Problem } from "#protocol/errors";
import { NOON, useBackend } from "#test/backend";
import { connect } from "#test/consent";
import { buildRequest } from "#test/generation-request";

const world = useBackend();

const MISMATCH = { text: "no", problems: [{ path: "/a", message: "is missing" }] };
const TURN = { until: NOON, direct: true };
const ASKING = { kind: "asking", keep: 8, round: 1 } as const;
const NEWEST = { kind: "newest", keep: 8, round: 1 } as const;

type Row = [before: Partial<GenerationProgress>, event: ProgressEvent, after: Partial<GenerationProgress>];

const TABLE: Row[] = [
  [{}, { type: "began", historyLength: 0 }, { historyLength: 0 }],
  [{}, { type: "approved" }, { approval: "granted" }],
  [{ approval: "granted" }, { type: "approval-spent" }, { approval: "none" }],
  [{}, { type: "approval-spent" }, {}],
  [
    { allowances: { c1: { allowed_by: "jira.close_issue" } } },
    { type: "allowed", toolCallId: "c2", allowance: { allowed_by: "slack.send_message:#ci", account: "ann" } },
    {
      allowances: {
        c1: { allowed_by: "jira.close_issue" },
        c2: { allowed_by: "slack.send_message:#ci", account: "ann" },
      },
    },
  ],
  [
    { authAttempts: { jira: 1 } },
    { type: "auth-requested", services: ["jira", "slack"] },
    { authAttempts: { jira: 2, slack: 1 } },
  ],
  [{ authAttempts: { jira: 1 } }, { type: "auth-requested", services: [] }, { authAttempts: { jira: 1 } }],
  [
    { declinedServices: ["jira"] },
    { type: "auth-declined", services: ["jira", "slack"] },
    { declinedServices: ["jira", "slack"] },
  ],
  [{}, { type: "output-mismatch", mismatch: MISMATCH }, { correction: MISMATCH }],
  [{}, { type: "shortening-asked", keep: 8 }, { history: ASKING }],
  [{ history: ASKING }, { type: "shortening-asked", keep: 4 }, { history: { ...ASKING, keep: 4 } }],
  [{ history: ASKING }, { type: "shortened" }, { history: NEWEST }],
  [{ history: NEWEST }, { type: "shortening-asked", keep: 4 }, { history: { kind: "asking", keep: 4, round: 2 } }],
  [{ history: NEWEST }, { type: "shortened" }, { history: NEWEST }],
  [{}, { type: "shortened" }, {}],
  [{}, { type: "agent-asked", turn: TURN }, { remote: TURN }],
  [{ remote: TURN }, { type: "agent-asked", turn: { until: NOON } }, { remote: { until: NOON } }],
];

test.each(TABLE)("%j, then %j, is %j", (before, event, after) => {
  expect(advanceProgress({ ...INITIAL_PROGRESS, ...before }, event)).toEqual({ ...INITIAL_PROGRESS, ...after });
});

const services = array(constantFrom("jira", "slack", "github"), { maxLength: 3 });
const count = integer({ min: 0, max: 100 });
const EVENTS = array(
  oneof(
    record({ type: constantFrom("began" as const), historyLength: count }),
    record({ type: constantFrom("approved" as const, "approval-spent" as const, "shortened" as const) }),
    record({
      type: constantFrom("allowed" as const),
      toolCallId: constantFrom("c1", "c2"),
      allowance: record({ allowed_by: string() }),
    }),
    record({ type: constantFrom("auth-requested" as const, "auth-declined" as const), services }),
    record({
      type: constantFrom("output-mismatch" as const),
      mismatch: record({ text: string(), problems: array(record({ path: string(), message: string() })) }),
    }),
    record({ type: constantFrom("shortening-asked" as const), keep: count }),
    record({ type: constantFrom("agent-asked" as const), turn: record({ until: count }) }),
  ),
);

test("a log of events gives the same progress from the column, from the old column, and from memory", () => {
  assert(
    property(
      EVENTS,
      dictionary(
        string().filter((key) => key !== "__proto__"),
        string(),
      ),
      (events, context) => {
        const request = buildRequest({ context, limits: { allow: ["jira"], dryRun: true }, traceparent: "00-1-2-01" });
        const progress = events.reduce(advanceProgress, INITIAL_PROGRESS);
        const stored = JSON.parse(
          JSON.stringify({ request, progress, options: toLegacyOptions({ request, progress }) }),
        );
        expect(parseGenerationState({ id: "gen_1", ...stored })).toEqual({ request, progress });
        expect(parseGenerationState({ id: "gen_1", ...stored, request: null, progress: null })).toEqual({
          request,
          progress,
        });
      },
    ),
  );
});

test("replaying the events of a claimed generation gives the stored progress", async () => {
  const { installation: installationId } = await connect(world());
  const id = await create(installationId);
  const { db } = world().ports;
  const row = await findGeneration(db, id);
  if (!row) throw new Error("The generation is missing.");
  const claimed = createClaimedGeneration(world().ports, row, {} as Writer);
  const events = TABLE.map(([, event]) => event);
  for (const event of events) await claimed.advance(event, db);
  const replayed = events.reduce(advanceProgress, INITIAL_PROGRESS);
  expect(claimed.progress()).toEqual(replayed);
  expect(await findGeneration(db, id)).toMatchObject({ request: row.request, progress: replayed });
});

test("a row of an older node, which has only options, is read correctly", () => {
  const options = {
    prompt: "close KAY-3",
    context: { team: "core" },
    mode: "stream",
    interactive: true,
    confirm: true,
    source: "late_answer",
    bounds: { maxSteps: 3, allow: ["jira"] },
    at: "agent",
    remote: TURN,
    allowed: { c1: { allowed_by: "jira" } },
    seen: 7,
    mismatch: MISMATCH,
    trace: "00-1-2-01",
    approved: true,
    authAsked: { jira: 2 },
    without: ["slack"],
    newest: 8,
    shortened: 1,
  };
  expect(parseGenerationState({ id: "gen_1", request: null, progress: null, options })).toEqual({
    request: {
      prompt: "close KAY-3",
      context: { team: "core" },
      mode: "stream",
      interactive: true,
      confirm: true,
      source: "late_answer",
      limits: { maxSteps: 3, allow: ["jira"] },
      runsAt: "agent",
      traceparent: "00-1-2-01",
    },
    progress: {
      historyLength: 7,
      approval: "granted",
      allowances: { c1: { allowed_by: "jira" } },
      authAttempts: { jira: 2 },
      declinedServices: ["slack"],
      correction: MISMATCH,
      history: NEWEST,
      remote: TURN,
    },
  });
  expect(toLegacyOptions(fromLegacyOptions(options))).toEqual(options);
  const { newest: _, shortened: __, ...rest } = options;
  const asking = { ...rest, shortening: { kept: 4, round: 2 }, shortened: 1 };
  expect(fromLegacyOptions(asking).progress.history).toEqual({ kind: "asking", keep: 4, round: 2 });
});

test("an older node reads what this one writes, and this one reads what it changes", async () => {
  const { installation: installationId } = await connect(world());
  const id = await create(installationId);
  const { db } = world().ports;
  const read = async () =>
    await db.selectFrom("generations").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  const options = {
    prompt: "close KAY-3",
    context: {},
    mode: "answer",
    interactive: false,
    confirm: false,
    source: "typed",
  };
  expect((await read()).options).toEqual(options);
  const began = { ...options, seen: 3, authAsked: { jira: 1 } };
  await db
    .updateTable("generations")
    .set({ options: JSON.stringify(began) })
    .where("id", "=", id)
    .execute();
  expect(await read()).toMatchObject({ request: buildRequest(), progress: null, options: began });
  const row = await findGeneration(db, id);
  if (!row) throw new Error("The generation is missing.");
  const progress = { ...INITIAL_PROGRESS, historyLength: 3, authAttempts: { jira: 1 } };
  expect(row).toMatchObject({ request: buildRequest(), progress });
  await createClaimedGeneration(world().ports, row, {} as Writer).advance({ type: "approved" }, db);
  expect(await read()).toMatchObject({
    progress: { ...progress, approval: "granted" },
    options: { ...began, approved: true },
  });
});

test.each([
  { options: null },
  { options: { prompt: 1 } },
  { options: { prompt: "hi" }, progress: { ...INITIAL_PROGRESS, history: { kind: "none" } } },
  { options: { prompt: "hi" }, request: { prompt: "hi" } },
])("an invalid row is STORE_UNREADABLE: %j", (columns) => {
  expect(() => parseGenerationState({ id: "gen_1", request: null, progress: null, ...columns })).toThrow(
    new Problem("STORE_UNREADABLE", "The stored generation gen_1 cannot be read.", {
      hint: "Start a new conversation.",
    }),
  );
});

async function create(installationId: string): Promise<string> {
  const { db } = world().ports;
  const conversationId = await createConversation(db, { installationId, interactive: false, title: "t", now: NOON });
  return await createGeneration(db, {
    installationId,
    conversationId,
    status: "running",
    request: buildRequest(),
    now: NOON,
  });
}

import { afterEach, expect, test } from "vitest";
import { createPeer, useBackend } from "#test/backend";
import { BOB, connect } from "#test/consent";

const world = useBackend();
const MINUTE = 60_000;
const HOURLY = { timing: "hour", time_zone: "Europe/Berlin", prompt: "hello" };

afterEach(async () => {
  await world().ports.db.deleteFrom("schedules").execute();
});

async function add(token: string, body: object = {}, backend = world()) {
  return await backend.call("POST /schedules", { token, body: { ...HOURLY, ...body } });
}

async function list(token: string, backend = world()) {
  return (await backend.call("GET /schedules", { token })).body.schedules as Record<string, unknown>[];
}

async function pass(ms: number, backend = world()) {
  backend.clock.advance(ms);
  await backend.backend.tick();
}

/** Counts the conversations of a person whose access token may have expired meanwhile. */
async function countConversations(installation: string) {
  const query = world().ports.db.selectFrom("conversations").select("id");
  return (await query.where("installation_id", "=", installation).execute()).length;
}

test("a schedule outlives its backend: the next one runs it, and never the same run twice", async () => {
  const { token, installation } = await connect(world());
  await add(token);
  await world().backend.close();
  const second = createPeer(world());
  world().clock.advance(60 * MINUTE);
  for (let looks = 0; looks < 5; looks++) await second.backend.tick();
  expect(await countConversations(installation)).toBe(1);
});

test("a schedule added at another node is noticed within 20 s", async () => {
  const { token, installation } = await connect(world());
  await world().backend.tick();
  const { body } = await add(token, { timing: "1m" });
  const second = createPeer(world());
  await second.backend.tick();
  world().clock.advance(40_000);
  await second.backend.tick();
  expect(await countConversations(installation)).toBe(0);
  world().clock.advance(20_000);
  await second.backend.tick();
  expect(await countConversations(installation)).toBe(1);
  expect(await list(token)).toMatchObject([{ id: body.id, last_run: { at: expect.any(String) } }]);
});

test("only the owner sees, pauses, runs and removes a schedule", async () => {
  const ann = await connect(world());
  const bob = await connect(world(), {}, { account: BOB });
  const { id } = (await add(ann.token)).body;
  expect(await list(bob.token)).toEqual([]);
  for (const [request, body] of [
    [`PATCH /schedules/${id}`, { paused: true }],
    [`POST /schedules/${id}/run`, {}],
    [`DELETE /schedules/${id}`, undefined],
  ] as const)
    expect(await world().call(request, { token: bob.token, body })).toMatchObject({
      status: 404,
      body: { code: "NOT_FOUND" },
    });
  expect(await list(ann.token)).toMatchObject([{ id, paused: false }]);
  expect((await world().call("GET /schedules")).status).toBe(401);
});

test("a user has at most 100 schedules", async () => {
  const { token } = await connect(world());
  await add(token);
  const { db } = world().ports;
  const { request, ...first } = await db.selectFrom("schedules").selectAll().executeTakeFirstOrThrow();
  const rows = Array.from({ length: 98 }, (_, index) => ({
    ...first,
    id: `schedule_${index}`,
    request: JSON.stringify(request),
  }));
  await db.insertInto("schedules").values(rows).execute();
  const last = await Promise.all([add(token), add(token)]);
  expect(last.map(({ status }) => status).sort()).toEqual([200, 400]);
  expect(await list(token)).toHaveLength(100);
});

test("a repeat with the same key adds and runs once", async () => {
  const { token, installation } = await connect(world());
  const headers = { "idempotency-key": "once" };
  const first = await world().call("POST /schedules", { token, body: HOURLY, headers });
  expect((await world().call("POST /schedules", { token, body: HOURLY, headers })).body).toEqual(first.body);
  expect(await list(token)).toHaveLength(1);
  const run = `POST /schedules/${first.body.id}/run`;
  const [one, two] = [
    await world().call(run, { token, body: {}, headers: { "idempotency-key": "now" } }),
    await world().call(run, { token, body: {}, headers: { "idempotency-key": "now" } }),
  ];
  expect(one.status).toBe(200);
  expect(two).toMatchObject({ status: 200, body: one.body });
  expect(await countConversations(installation)).toBe(1);
});

test.for([
  [{ timing: "sometimes" }, "timing"],
  [{ timing: "30s" }, "timing"],
  [{ time_zone: "Mars/Olympus" }, "time_zone"],
  [{ time_zone: "+01:00" }, "time_zone"],
] as const)("%j is refused", async ([body, field]) => {
  const { token } = await connect(world());
  expect(await add(token, body)).toMatchObject({ status: 400, body: { code: "INVALID_REQUEST", field } });
});

test("a schedule that cannot run stops neither the others nor the checks", async () => {
  const { token, installation } = await connect(world());
  const { id } = (await add(token)).body;
  await add(token);
  await world()
    .ports.db.updateTable("schedules")
    .set({ timing: "of a newer kay" })
    .where("id", "=", String(id))
    .execute();
  await pass(60 * MINUTE);
  expect(await countConversations(installation)).toBe(1);
  expect(world().log.join("")).toContain("schedule_failed");
});

test("the backend's status counts active schedules, so that the local backend stays for them", async () => {
  const { token } = await connect(world());
  const count = async () => (await world().backend.status()).shared?.schedules;
  const firstCount = (await count()) ?? 0;
  const { id } = (await add(token)).body;
  expect(await count()).toBe(firstCount + 1);
  await world().call(`PATCH /schedules/${id}`, { token, body: { paused: true } });
  expect(await count()).toBe(firstCount);
  await world().call(`PATCH /schedules/${id}`, { token, body: { paused: false } });
  expect(await count()).toBe(firstCount + 1);
  await world().call("POST /auth/logout", { token, body: {} });
  expect(await count()).toBe(firstCount);
});

test.for([
  { timing: "hour", next: 60 * MINUTE, restarts: false },
  { timing: "hour", next: 60 * MINUTE, restarts: true },
  { timing: "day 9:00", next: undefined, restarts: false },
])(
  "after a clock that was ahead for a while, a schedule ($timing) has its next time again",
  async ({ timing, next, restarts }) => {
    const { token, installation } = await connect(world());
    await add(token, { timing, time_zone: "UTC" });
    await world().backend.tick();
    const [before] = await list(token);
    const count = await countConversations(installation);
    const ahead = 10 * 365 * 24 * 60 * MINUTE + 7 * MINUTE;
    await pass(ahead);
    expect(await countConversations(installation)).toBe(count);
    world().clock.advance(-ahead);
    await (restarts ? createPeer(world()) : world()).backend.tick();
    expect(await list(token)).toEqual([before]);
    if (next === undefined) return;
    await pass(next);
    expect(await countConversations(installation)).toBe(count + 1);
  },
);

import { beforeEach, expect, test } from "vitest";
import * as z from "zod/mini";
import { defineTool } from "#connectors/tool";
import { Problem } from "#protocol/errors";
import { NOON, type World } from "#test/backend";
import { ATLASSIAN_TOKEN, connect } from "#test/consent";
import { type DeskLog, deskServices } from "#test/desk";
import { json } from "#test/outside";
import { useNodes } from "#test/scripted-backend";
import { ask, follow, type Turn } from "#test/turn";

const HOUR = 3_600_000;
const log: DeskLog = [];
let title: string | undefined = "Release 1.4";
const archive = defineTool({
  name: "jira.archive",
  description: "Archive.",
  access: "write",
  input: z.object({ id: z.string() }),
  examples: [],
  summary: ({ id }) => `Archive ${id}`,
  describeTarget: async () => {
    if (title === undefined) throw new Problem("NOT_FOUND", "It is gone.");
    return title;
  },
  run: async ({ id }) => {
    log.push(`archive ${id}`);
    return { data: {}, text: "Archived." };
  },
});
const { database, model, start } = useNodes({ services: deskServices(log, undefined, [archive]) });
let world: World;

beforeEach(() => {
  world = start();
});

/** Waits until the rows say how many nodes have readers of this conversation. */
async function waitForReaders({ session }: Turn, count: number): Promise<void> {
  const followers = database().db.selectFrom("followers").where("conversation_id", "=", session);
  await expect.poll(() => followers.selectAll().execute(), { timeout: 20_000 }).toHaveLength(count);
}

/** Stops reading, as a terminal that is closed, and waits until the rows say so. */
async function leave(turn: Turn): Promise<void> {
  await turn.close();
  await waitForReaders(turn, 0);
}

/** A currently valid token of the same sign-in. */
async function renew({ refreshToken }: { refreshToken: string }): Promise<string> {
  const { body } = await world.call("POST /auth/refresh", { body: { refresh_token: refreshToken } });
  return String(body.token);
}

/** Requests to archive 5d2d, with its title at that time. */
async function askToArchive(more: Record<string, unknown> = {}) {
  log.length = 0;
  title = "Release 1.4";
  model.script({ calls: [["c1", "jira.archive", { id: "5d2d" }]] }, { text: "Done." });
  const { token, refreshToken } = await connect(world);
  const turn = await ask(world, token, "archive 5d2d", more);
  const request = await turn.asked();
  await turn.until("awaiting_approval");
  return { token, refreshToken, turn, request };
}

/** Expects that the service's token, which has expired meanwhile, is refreshed. */
function expectRefresh(): void {
  const tokens = { access_token: "a2", refresh_token: "r2", expires_in: 3_600, token_type: "Bearer" };
  world.outside.expect(ATLASSIAN_TOKEN, json(tokens));
}

test("an approval waits a day, outlives its reader, and runs even in the last minute", async () => {
  const { turn, request, ...signIn } = await askToArchive();
  expect(Date.parse(request.expires_at)).toBe(NOON + 24 * HOUR);
  await leave(turn);
  world.clock.advance(24 * HOUR - 1_000);
  await world.backend.tick();
  const again = await follow(world, await renew(signIn), turn.session);
  expectRefresh();
  await again.answer(request.interaction_id, { action: "approve" });
  await again.until("completed");
  expect(log).toEqual(["archive 5d2d"]);
});

test("without an answer for a day, it expires, and nothing runs", async () => {
  const { turn, ...signIn } = await askToArchive();
  await leave(turn);
  world.clock.advance(24 * HOUR);
  expectRefresh();
  await world.backend.tick();
  const again = await follow(world, await renew(signIn), turn.session);
  await again.until("completed");
  expect(log).toEqual([]);
});

test("an approval stays open while a client that can answer is attached, and a day longer", async () => {
  const { turn, request } = await askToArchive();
  await waitForReaders(turn, 1);
  for (const days of [2, 3]) {
    world.clock.advance(24 * HOUR - 30_000);
    await world.backend.tick();
    const part = await turn.next("data-interaction-extended");
    expect(part.data).toEqual({
      interaction_id: request.interaction_id,
      expires_at: new Date(NOON + days * 24 * HOUR - (days - 1) * 30_000).toISOString(),
    });
  }
  await turn.close();
});

test("a chosen time is exact: from the request, otherwise the policy, otherwise the operator", async () => {
  const pause = await askToArchive({ approval_timeout: 600 });
  expect(Date.parse(pause.request.expires_at)).toBe(NOON + 600_000);
  world.clock.advance(10 * 60_000);
  await world.backend.tick();
  await pause.turn.until("completed");
  expect(log).toEqual([]);
});

test("the policy and the operator's setting apply to later requests", async () => {
  const other = start({ approvalTimeout: () => 1_800 });
  const { token } = await connect(world);
  for (const [policy, minutes] of [
    [undefined, 30],
    [7_200, 120],
    [null, 30],
  ] as const) {
    if (policy !== undefined) {
      const set = await world.call("PUT /policies", { token, body: { policies: [], approval_timeout: policy } });
      expect(set.body).toEqual({ policies: [], ...(policy === null ? {} : { approval_timeout: policy }) });
    }
    title = "Release 1.4";
    model.script({ calls: [["c1", "jira.archive", { id: "5d2d" }]] }, { text: "Done." });
    const turn = await ask(other, token, "archive 5d2d");
    const request = await turn.asked();
    expect(Date.parse(request.expires_at) - other.clock.now()).toBe(minutes * 60_000);
    await turn.answer(request.interaction_id, { action: "deny" });
    await turn.until("completed");
  }
});

test.each([5, 604_801, 1.5, "2h"])("a request cannot wait %j seconds", async (approval_timeout) => {
  const { token } = await connect(world);
  const refused = await world.call("POST /ask", { token, body: { prompt: "hello", approval_timeout } });
  expect(refused).toMatchObject({ status: 400, body: { code: "INVALID_REQUEST" } });
});

test("a late approval asks again if its target changed, once only", async () => {
  const { turn, request } = await askToArchive();
  title = "Release 2.0";
  world.clock.advance(6 * 60_000);
  await turn.answer(request.interaction_id, { action: "approve" });
  const anew = await turn.asked();
  expect(anew).toMatchObject({
    tool_call_id: "c1",
    preview: {
      target: "Release 2.0",
      why: "The target changed since the question. Before: Release 1.4. Now: Release 2.0.",
    },
  });
  await turn.until("awaiting_approval");
  expect(log).toEqual([]);
  title = "Release 1.4";
  await turn.answer(anew.interaction_id, { action: "approve" });
  await turn.until("completed");
  expect(log).toEqual(["archive 5d2d"]);
});

test("a denial of the new question counts, even if the target is back to its old state", async () => {
  const { turn, request } = await askToArchive();
  title = undefined;
  world.clock.advance(6 * 60_000);
  await turn.answer(request.interaction_id, { action: "approve" });
  const anew = await turn.asked();
  expect(anew.preview).toMatchObject({ why: "The target can no longer be read. Before: Release 1.4." });
  expect(anew.preview).not.toHaveProperty("target");
  title = "Release 1.4";
  await turn.answer(anew.interaction_id, { action: "deny" });
  await turn.until("completed");
  expect(log).toEqual([]);
});

test("an edit is kept when kay asks again", async () => {
  const { turn, request } = await askToArchive();
  title = "Release 2.0";
  world.clock.advance(6 * 60_000);
  await turn.answer(request.interaction_id, { action: "approve", edited_args: { id: "7a7a" } });
  const anew = await turn.asked();
  expect(anew).toMatchObject({ prompt: "Archive 7a7a", preview: { fields: [{ name: "id", value: "7a7a" }] } });
  await turn.answer(anew.interaction_id, { action: "approve" });
  await turn.until("completed");
  expect(log).toEqual(["archive 7a7a"]);
});

test("within five minutes and with an unchanged target, an approval runs at once", async () => {
  const soon = await askToArchive();
  title = "Release 2.0";
  world.clock.advance(4 * 60_000);
  await soon.turn.answer(soon.request.interaction_id, { action: "approve" });
  await soon.turn.until("completed");
  expect(log).toEqual(["archive 5d2d"]);
  const late = await askToArchive();
  world.clock.advance(20 * 60_000);
  await late.turn.answer(late.request.interaction_id, { action: "approve" });
  await late.turn.until("completed");
  expect(log).toEqual(["archive 5d2d"]);
});

test("another node checks the target at once before it runs a call", async () => {
  const { token, turn, request } = await askToArchive();
  await leave(turn);
  await world.backend.close();
  title = "Release 2.0";
  const other = start();
  const again = await follow(other, token, turn.session);
  await again.asked();
  await again.answer(request.interaction_id, { action: "approve" });
  const anew = await again.asked();
  expect(anew.preview?.why).toContain("Now: Release 2.0.");
  await again.answer(anew.interaction_id, { action: "deny" });
  await again.until("completed");
});

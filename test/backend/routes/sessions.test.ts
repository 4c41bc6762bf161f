import { expect, test } from "vitest";
import { createConversation } from "#backend/store/conversations";
import { changeGeneration, createGeneration } from "#backend/store/generations";
import type { GenerationStatus } from "#protocol/events";
import { NOON, useBackend } from "#test/backend";
import { connect } from "#test/consent";
import { deskServices } from "#test/desk";
import { buildRequest } from "#test/generation-request";

const world = useBackend({ services: deskServices([]) });
const NOT_FOUND = { status: 404, body: { code: "SESSION_NOT_FOUND", message: "No conversation has this ID." } };

test("conversations need a bearer token", async () => {
  for (const request of [
    "GET /sessions",
    "GET /sessions/x",
    "PATCH /sessions/x",
    "DELETE /sessions/x",
    "PUT /sessions/x/clients/y",
  ])
    expect(await world().call(request)).toMatchObject({ status: 401, body: { code: "TOKEN_MISSING" } });
});

test("GET /sessions lists only the user's own conversations, latest activity first, page by page", async () => {
  const { token, talk } = await ann();
  await (await ann()).talk("of somebody else");
  expect(await list(token)).toEqual({ data: [], page: 1, limit: 20, total: 0, has_more: false });
  const ids: string[] = [];
  for (const title of ["one", "two", "three", "four", "five"]) ids.push(await talk(title));
  const [one = "", two = ""] = ids;
  await talk("again", one);
  const pages = [];
  for (const page of [1, 2, 3, 4]) pages.push(await list(token, `?page=${page}&limit=2`));
  expect(pages.map(({ data, ...rest }) => [data.map(({ title }) => title), rest])).toEqual([
    [["one", "five"], { page: 1, limit: 2, total: 5, has_more: true }],
    [["four", "three"], { page: 2, limit: 2, total: 5, has_more: true }],
    [["two"], { page: 3, limit: 2, total: 5, has_more: false }],
    [[], { page: 4, limit: 2, total: 5, has_more: false }],
  ]);
  const { body } = await world().call(`GET /sessions/${two}`, { token });
  expect(body).toEqual({
    id: two,
    title: "two",
    created_at: new Date(NOON + 3000).toISOString(),
    updated_at: new Date(NOON + 3000).toISOString(),
    status: "completed",
    last_event: 10,
  });
});

test.for(["page=0", "page=-1", "page=x", "page=1.5", "page=", "limit=0", "limit=101", "limit=1e1", "page=99999999999"])(
  "GET /sessions?%s is refused with the name of the field",
  async (query) => {
    const { token } = await ann();
    const answer = await world().call(`GET /sessions?${query}`, { token });
    expect(answer).toMatchObject({ status: 400, body: { code: "INVALID_REQUEST", field: query.split("=")[0] } });
  },
);

test("the status is that of the latest generation, and absent before the first", async () => {
  const { token, create, generate } = await ann();
  const id = await create("a title");
  const readStatus = async () => (await world().call(`GET /sessions/${id}`, { token })).body.status;
  expect(await readStatus()).toBeUndefined();
  const first = await generate(id, "completed");
  expect(await readStatus()).toBe("completed");
  world().clock.advance(1000);
  const second = await generate(id, "awaiting_approval");
  expect(await readStatus()).toBe("awaiting_approval");
  await changeGeneration(world().ports.db, first, { status: "error", finished_at: getEndTime("error", NOON + 2000) });
  expect(await readStatus()).toBe("awaiting_approval");
  await changeGeneration(world().ports.db, second, {
    status: "cancelled",
    finished_at: getEndTime("cancelled", NOON + 3000),
  });
  expect(await readStatus()).toBe("cancelled");
});

test("a title of any author is one line that hides nothing", async () => {
  const { token, create } = await ann();
  const id = await create("Close\nKAY-3 \u001b[2J\u202eplease");
  expect((await list(token)).data[0]?.title).toBe("Close KAY-3 U+202Eplease");
  const renamed = await world().call(`PATCH /sessions/${id}`, {
    token,
    body: { title: " Sprint \r\n 12\u0000 👩‍👩‍👧 " },
  });
  expect([renamed.status, renamed.body]).toMatchObject([200, { id, title: "Sprint 12 👩‍👩‍👧" }]);
  for (const title of ["", " \n ", "\u0007", "x".repeat(121), 3, null])
    expect([title, await world().call(`PATCH /sessions/${id}`, { token, body: { title } })]).toMatchObject([
      title,
      { status: 400, body: { field: "title" } },
    ]);
  expect((await list(token)).data[0]?.title).toBe("Sprint 12 👩‍👩‍👧");
});

test("a new title is not activity: the conversation keeps its place", async () => {
  const { token, talk } = await ann();
  const old = await talk("old");
  await talk("new");
  world().clock.advance(5000);
  await world().call(`PATCH /sessions/${old}`, { token, body: { title: "renamed" } });
  expect((await list(token)).data.map(({ title }) => title)).toEqual(["new", "renamed"]);
});

test("another user's conversation, or one that never existed, is not found by any request", async () => {
  const { create } = await ann();
  const id = await create("mine");
  const { token } = await ann();
  const interaction = { supported: true, enabled: true };
  for (const wanted of [id, "session_1", "%00", "kaysession_1"]) {
    expect(await world().call(`GET /sessions/${wanted}`, { token })).toMatchObject(NOT_FOUND);
    expect(await world().call(`PATCH /sessions/${wanted}`, { token, body: { title: "x" } })).toMatchObject(NOT_FOUND);
    expect(await world().call(`DELETE /sessions/${wanted}`, { token })).toMatchObject(NOT_FOUND);
    const put = await world().call(`PUT /sessions/${wanted}/clients/c1`, { token, body: { interaction } });
    expect(put).toMatchObject(NOT_FOUND);
  }
  const rows = world().ports.db.selectFrom("conversations").select("title").where("id", "=", id);
  expect(await rows.execute()).toEqual([{ title: "mine" }]);
});

test("DELETE removes all data of a conversation, and nothing of another one", async () => {
  const { token } = await ann();
  const talk = async (key: string) => {
    const ask = { prompt: "delete KAY-3", interactive: true };
    const { body } = await world().call("POST /ask", { token, body: ask, headers: { "idempotency-key": key } });
    return { id: (await list(token)).data[0]?.id ?? "", generation: String(body.generation_id) };
  };
  const kept = await talk(`kept-${token.slice(-8)}`);
  world().clock.advance(1000);
  const gone = await talk(`gone-${token.slice(-8)}`);
  for (const { id, generation } of [kept, gone]) await fill(id, generation);
  const before = await countRows(kept.id, kept.generation);
  expect(await countRows(gone.id, gone.generation)).toEqual(before);
  expect(Object.values(before).every((count) => count > 0)).toBe(true);
  const deleted = await world().call(`DELETE /sessions/${gone.id}`, { token });
  expect([deleted.status, deleted.body]).toEqual([200, { id: gone.id, deleted: true }]);
  expect(await countRows(gone.id, gone.generation)).toEqual(
    Object.fromEntries(Object.keys(before).map((key) => [key, 0])),
  );
  expect(await countRows(kept.id, kept.generation)).toEqual(before);
  expect(await world().call(`DELETE /sessions/${gone.id}`, { token })).toMatchObject(NOT_FOUND);
});

test("a conversation with a running answer is not deleted; one that waits for the user is", async () => {
  const { token, create, generate } = await ann();
  const id = await create("busy");
  const generation = await generate(id, "running");
  const busy = await world().call(`DELETE /sessions/${id}`, { token });
  expect(busy).toMatchObject({ status: 409, body: { code: "BACKEND_BUSY" } });
  expect((await list(token)).total).toBe(1);
  await changeGeneration(world().ports.db, generation, {
    status: "awaiting_auth",
    finished_at: getEndTime("awaiting_auth", NOON),
  });
  expect((await world().call(`DELETE /sessions/${id}`, { token })).status).toBe(200);
});

/** Rows of every kind, in addition to those of the requests themselves. */
async function fill(conversationId: string, generationId: string): Promise<void> {
  const { db } = world().ports;
  const date = new Date(NOON);
  const { installation_id } = await db
    .selectFrom("conversations")
    .select("installation_id")
    .where("id", "=", conversationId)
    .executeTakeFirstOrThrow();
  const of = { conversation_id: conversationId, generation_id: generationId, installation_id };
  const call = { tool_call_id: "call_1", tool: "jira.close_issue", input: "{}" };
  await db
    .insertInto("events")
    .values({
      conversation_id: conversationId,
      number: 1000,
      generation_id: generationId,
      part: "{}",
      created_at: date,
    })
    .execute();
  await db
    .insertInto("calls")
    .values({ generation_id: generationId, step: 1, position: 1000, ...call })
    .execute();
  await db
    .insertInto("effects")
    .values({
      id: `effect ${generationId}`,
      generation_id: generationId,
      installation_id,
      ...call,
      state: "settled",
      summary: "Close KAY-3",
      url: null,
      created_at: date,
      updated_at: date,
    })
    .execute();
  await db
    .insertInto("interactions")
    .values({
      id: `inter ${generationId}`,
      ...of,
      tool_call_id: "call_1",
      ordinal: 0,
      status: "open",
      request: "{}",
      created_at: date,
      expires_at: date,
    })
    .execute();
  const { tool } = call;
  await db
    .insertInto("approvals")
    .values({
      id: `approval ${generationId}`,
      installation_id,
      conversation_id: conversationId,
      key: "k",
      tool,
      words: tool,
      account: null,
      created_at: date,
    })
    .execute();
  await db
    .insertInto("present_clients")
    .values({
      conversation_id: conversationId,
      client_id: "c1",
      node: 0,
      supported: true,
      enabled: true,
      seen_at: date,
    })
    .execute();
}

async function countRows(conversationId: string, generationId: string): Promise<Record<string, number>> {
  const { db } = world().ports;
  const counts: Record<string, number> = {};
  for (const table of [
    "messages",
    "generations",
    "confirmations",
    "events",
    "interactions",
    "approvals",
    "present_clients",
  ] as const)
    counts[table] = (
      await db.selectFrom(table).select("conversation_id").where("conversation_id", "=", conversationId).execute()
    ).length;
  for (const table of ["calls", "effects"] as const)
    counts[table] = (
      await db.selectFrom(table).select("tool").where("generation_id", "=", generationId).execute()
    ).length;
  const requests = await db.selectFrom("requests").select("answer").execute();
  counts.requests = requests.filter(({ answer }) => JSON.stringify(answer).includes(generationId)).length;
  return counts;
}

type Page = { data: { id: string; title: string | null }[]; total: number };

async function list(token: string, query = ""): Promise<Page> {
  return (await world().call(`GET /sessions${query}`, { token })).body as Page;
}

/** A new signed-in user, a second later. */
async function ann() {
  const { ports, clock } = world();
  const { token, installation: installationId } = await connect(world());
  const create = (title: string) =>
    createConversation(ports.db, { installationId, interactive: true, title, now: clock.now() });
  const generate = async (conversationId: string, status: GenerationStatus) => {
    const id = await createGeneration(ports.db, {
      installationId,
      conversationId,
      status: "running",
      request: buildRequest({ prompt: "hi" }),
      now: clock.now(),
    });
    await changeGeneration(ports.db, id, { status: status, finished_at: getEndTime(status, clock.now()) });
    return id;
  };
  const talk = async (prompt: string, session?: string): Promise<string> => {
    clock.advance(1000);
    const body = { prompt, interactive: true, ...(session === undefined ? {} : { session_id: session }) };
    return String((await world().call("POST /ask", { token, body })).body.session_id);
  };
  return { token, create, generate, talk };
}

function getEndTime(status: GenerationStatus, time: number): Date | null {
  return ["completed", "cancelled", "error"].includes(status) ? new Date(time) : null;
}

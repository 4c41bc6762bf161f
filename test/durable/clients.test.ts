import { afterEach, beforeEach, expect, test } from "vitest";
import type { World } from "#test/backend";
import { begin, callback, connect, expectAtlassian } from "#test/consent";
import { deskServices } from "#test/desk";
import { openStream, type TestStream } from "#test/event-stream";
import { json } from "#test/outside";
import { useNodes } from "#test/scripted-backend";

const { database, model, start } = useNodes({ services: deskServices([]), clock: Date, leaveMs: 300 });
let a: World;
let b: World;

beforeEach(() => {
  [a, b] = [start(), start()];
});
afterEach(() => expect(model.left()).toBe(0));

const follow = (world: World, token: string, session: unknown, query = "") =>
  openStream(world, `GET /sessions/${session}/events?after=0${query}`, token);

/** Reads until the clients have these names, each with whether it is enabled. */
async function waitForNames(stream: TestStream, names: Record<string, boolean>): Promise<void> {
  for (;;) {
    const { data, number } = await stream.next("data-presence");
    expect(number).toBeNaN();
    const now = Object.fromEntries(data.clients.map(({ name = "", interaction }) => [name, interaction.enabled]));
    if (JSON.stringify(now) === JSON.stringify(names)) return;
  }
}

/** An ended conversation, and one with an open approval. */
async function conversation(world = a) {
  const { token } = await connect(world);
  model.script({ text: "Hello." });
  const stream = await openStream(world, "POST /ask", token, { body: { prompt: "hello" } });
  await stream.end();
  return { token, session: String(stream.headers.get("kay-session-id")) };
}

async function askForApproval(client?: object) {
  const { token, session: installation } = await connect(a);
  model.script({ calls: [["c1", "jira.close_issue", { issue: "KAY-3" }]] }, { text: "Closed." });
  const stream = await openStream(a, "POST /ask", token, {
    body: { prompt: "close KAY-3", ...(client ? { client } : {}) },
  });
  const { data } = await stream.next("data-interaction-request");
  const session = String(stream.headers.get("kay-session-id"));
  const answer = (world: World, by: string, action = "approve") =>
    world.call(`POST /sessions/${session}/interactions/${data.interaction_id}`, {
      token,
      body: { action, client: by },
    });
  return { token, installation, stream, session, id: data.interaction_id, answer };
}

test("clients that connect, leave, or stop answering at one node are reported at the other, and the log is unchanged", async () => {
  const { token, session } = await conversation();
  const before = (await a.call(`GET /sessions/${session}`, { token })).body;
  const ann = await follow(a, token, session, "&client=a&name=ann");
  await waitForNames(ann, { ann: true });
  const bob = await follow(b, token, session, "&client=b&name=bob&interaction=disabled");
  await waitForNames(bob, { ann: true, bob: false });
  await waitForNames(ann, { ann: true, bob: false });
  await b.call(`PUT /sessions/${session}/clients/b`, {
    token,
    body: { interaction: { supported: true, enabled: true } },
  });
  await waitForNames(ann, { ann: true, bob: true });
  // The same client twice; one leaves, and the client is still there.
  const twice = await follow(b, token, session, "&client=b&name=bob");
  await twice.close();
  await bob.close();
  await waitForNames(ann, { ann: true });
  await ann.close();
  expect((await a.call(`GET /sessions/${session}`, { token })).body).toEqual(before);
});

test("the stream of a question begins with its own first part, and followers come after it", async () => {
  const { token, session } = await conversation();
  const gate = Promise.withResolvers<void>();
  const ann = await follow(a, token, session, "&client=a&name=ann");
  await waitForNames(ann, { ann: true });
  model.script(async () => {
    await gate.promise;
    return { text: "Hello again." };
  });
  const client = { id: "b", name: "bob" };
  const stream = await openStream(b, "POST /ask", token, { body: { prompt: "hello", session_id: session, client } });
  await stream.next("data-presence");
  expect(stream.parts[0]).toMatchObject({ number: expect.any(Number), type: "data-user-message" });
  expect(stream.parts[0]?.number).not.toBeNaN();
  gate.resolve();
  await stream.end();
  await ann.close();
});

test("clients of a killed node are gone at the next check", async () => {
  const { token, session } = await conversation();
  const c = start();
  const ann = await follow(a, token, session, "&client=a&name=ann");
  const ghost = await follow(c, token, session, "&client=g&name=ghost");
  await waitForNames(ann, { ann: true, ghost: true });
  await c.ports.node.close();
  await a.backend.tick();
  await waitForNames(ann, { ann: true });
  await ghost.close();
  await ann.close();
});

test("two hundred clients that connect at once are reported in a few words, and the log does not grow", async () => {
  const { token, session } = await conversation();
  const ann = await follow(a, token, session, "&client=a&name=ann");
  const all = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      follow(index % 2 ? a : b, token, session, `&client=c${index}&name=n${index}`),
    ),
  );
  for (let total: number | undefined; total !== 201; ) total = (await ann.next("data-presence")).data.total;
  expect(ann.parts.filter(({ type }) => type === "data-presence").length).toBeLessThan(60);
  const { db } = database();
  const rows = await db.selectFrom("events").select("part").where("conversation_id", "=", session).execute();
  expect(rows.filter(({ part }) => part.type === "data-presence")).toEqual([]);
  await Promise.all([...all, ann].map((stream) => stream.close()));
});

test("G02 of two clients that answer at two nodes at once one wins, and the other learns which answer counts and whose", async () => {
  const { token, stream, session, id, answer } = await askForApproval();
  const [ann, bob] = [
    await follow(a, token, session, "&client=a&name=ann"),
    await follow(b, token, session, "&client=b&name=bob"),
  ];
  a.outside.expect("POST https://api.atlassian.com/close/KAY-3", json({}));
  const answers = await Promise.all([answer(a, "a"), answer(b, "b")]);
  const [won, lost] = answers.toSorted((answer, other) => answer.status - other.status);
  const by = won?.body.client;
  expect(["ann", "bob"]).toContain(by);
  expect(lost).toMatchObject({
    status: 409,
    body: {
      code: "INTERACTION_CLOSED",
      message: `It was already answered: approve, by ${by}.`,
      answered: { client: by },
    },
  });
  expect(await b.call(`GET /pending/${id}`, { token })).toMatchObject({
    status: 409,
    body: { code: "INTERACTION_CLOSED", answered: { action: "approve", client: by } },
  });
  await stream.end();
  for (const one of [ann, bob]) await one.close();
});

test("a disabled client is refused at every node, the card stays open, and it answers once enabled", async () => {
  const only = { id: "a", name: "ann", interaction: { supported: true, enabled: true } };
  const { token, stream, session, answer } = await askForApproval(only);
  const put = (enabled: boolean) =>
    b.call(`PUT /sessions/${session}/clients/a`, { token, body: { interaction: { supported: true, enabled } } });
  await put(false);
  expect(await answer(b, "a")).toMatchObject({ status: 409, body: { code: "INTERACTION_UNAVAILABLE" } });
  expect((await a.call("GET /pending", { token })).body).toMatchObject({ pending: [{ session_id: session }] });
  await put(true);
  a.outside.expect("POST https://api.atlassian.com/close/KAY-3", json({}));
  expect(await answer(b, "a")).toMatchObject({ status: 200, body: { client: "ann" } });
  await stream.end();
  expect(stream.text()).toBe("Closed.");
});

test("of two denials to connect a service one wins; a denial after the connection changes nothing", async () => {
  const { token, session: installation } = await connect(a);
  await a.call("POST /connections/disconnect?service=jira", { token });
  const asks = async () => {
    model.script({ calls: [["c1", "jira.close_issue", { issue: "KAY-3" }]] });
    const stream = await openStream(a, "POST /ask", token, { body: { prompt: "close KAY-3" } });
    const { data } = await stream.next("data-auth-needed");
    await stream.next("data-status");
    const no = (world: World, client: string) =>
      world.call(`POST /generations/${data.generation_id}/auth`, {
        token,
        body: { integration: "jira", success: false, client },
      });
    return { stream, no };
  };
  const first = await asks();
  const answers = await Promise.all([first.no(a, "ann"), first.no(b, "bob")]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  await first.stream.end();
  expect(await first.no(b, "bob")).toMatchObject({ status: 409, body: { code: "INTERACTION_CLOSED" } });
  const second = await asks();
  const { state } = await begin(b, { session_id: installation });
  expectAtlassian(b);
  expect((await callback(b, state)).status).toBe(200);
  expect(await second.no(a, "ann")).toMatchObject({
    status: 409,
    body: { code: "INTERACTION_CLOSED", answered: { action: "connected" } },
  });
  await second.stream.next("data-interaction-request");
  await second.stream.close();
});

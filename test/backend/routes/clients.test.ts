import { expect, test } from "vitest";
import { attachClient, canAnswer, detachClient, forgetLostClients, listClients } from "#backend/store/clients";
import { createConversation } from "#backend/store/conversations";
import { NOON, useBackend } from "#test/backend";
import { connect } from "#test/consent";
import { deskServices } from "#test/desk";

const world = useBackend({ services: deskServices([]) });
const ABLE = { supported: true, enabled: true };
const OFF = { supported: true, enabled: false };

test("a client reports whether it can answer, and may change that", async () => {
  const { put, answerable, list } = await conversation();
  expect(await answerable()).toBeUndefined();
  const first = await put("terminal-1", { name: "kay on\nlaptop\u202e", interaction: OFF });
  const terminal = { client_id: "terminal-1", name: "kay on laptopU+202E", interaction: OFF };
  expect([first.status, first.body]).toEqual([200, { clients: [terminal] }]);
  expect(await answerable()).toBe(false);
  expect((await put("terminal-1", { interaction: ABLE })).body).toEqual({
    clients: [{ ...terminal, interaction: ABLE }],
  });
  expect(await answerable()).toBe(true);
  const unable = { supported: false, enabled: true };
  const both = {
    clients: [
      { client_id: "script:2", interaction: unable },
      { ...terminal, interaction: ABLE },
    ],
  };
  expect((await put("script:2", { interaction: unable })).body).toEqual(both);
  expect(await list()).toMatchObject({ status: 200, body: both });
  await put("terminal-1", { interaction: OFF });
  expect(await answerable()).toBe(false);
});

test("a client that only reported its abilities counts for a minute, one with a stream as long as that", async () => {
  const { put, attach, answerable, id } = await conversation();
  const { ports } = world();
  await put("c", { interaction: ABLE });
  world().clock.advance(59_000);
  expect(await answerable()).toBe(true);
  world().clock.advance(2_000);
  expect(await answerable()).toBeUndefined();
  await attach("c", await ports.node.number());
  world().clock.advance(3_600_000);
  await forgetLostClients(ports.db, ports.clock.now());
  expect(await answerable()).toBe(true);
  expect(await listClients(ports.db, id, ports.clock.now())).toEqual({
    clients: [{ client_id: "c", interaction: ABLE }],
  });
});

test("clients of another conversation do not answer in this one, and another user's conversation has none", async () => {
  const first = await conversation();
  const other = await conversation();
  await first.put("c", { interaction: ABLE });
  expect([await first.answerable(), await other.answerable()]).toEqual([true, undefined]);
  const { token } = await connect(world());
  for (const request of [`GET /sessions/${first.id}/clients`, `PUT /sessions/${first.id}/clients/c`] as const)
    expect(
      await world().call(request, { token, ...(request.startsWith("PUT") ? { body: { interaction: ABLE } } : {}) }),
    ).toMatchObject({
      status: 404,
      body: { code: "SESSION_NOT_FOUND" },
    });
});

test("an invalid ID or an incomplete mode is refused", async () => {
  const { put, id } = await conversation();
  for (const client of ["a%20b", "%00", "x".repeat(101), "a%2Fb"])
    expect(await put(client, { interaction: ABLE })).toMatchObject({ status: 400, body: { field: "client_id" } });
  for (const body of [{}, { interaction: {} }, { interaction: { supported: true, enabled: "yes" } }])
    expect(await put("c", body)).toMatchObject({ status: 400, body: { code: "INVALID_REQUEST" } });
  expect(await listClients(world().ports.db, id, NOON)).toEqual({ clients: [] });
});

test("a client at several nodes counts once, with its last report, until its last stream has ended", async () => {
  const { id, put, attach, answerable } = await conversation();
  const { ports } = world();
  const here = await ports.node.number();
  await attach("c", here);
  await attach("c", -1);
  await put("c", { interaction: OFF });
  expect(await answerable()).toBe(false);
  world().clock.advance(10);
  await attach("c", here);
  expect(await answerable()).toBe(false);
  await attach("c", here, ABLE);
  expect(await answerable()).toBe(true);
  await detachClient(ports.db, { conversationId: id, clientId: "c" }, -1);
  expect(await answerable()).toBe(true);
  await detachClient(ports.db, { conversationId: id, clientId: "c" }, here);
  expect(await answerable()).toBeUndefined();
});

test("a client at a node that is gone is gone too, and every node is notified", async () => {
  const { id, attach, answerable } = await conversation();
  const { ports } = world();
  await ports.node.number();
  await attach("ghost", -1);
  expect(await answerable()).toBeUndefined();
  const told = Promise.withResolvers<string>();
  const stop = ports.node.on("presence", told.resolve);
  await forgetLostClients(ports.db, ports.clock.now());
  expect(await told.promise).toBe(id);
  stop();
  const rows = ports.db.selectFrom("present_clients").selectAll().where("conversation_id", "=", id);
  expect(await rows.execute()).toEqual([]);
});

test("of very many clients not all are listed; those that can answer come first", async () => {
  const { attach, list } = await conversation();
  const here = await world().ports.node.number();
  for (let index = 0; index < 105; index++)
    await attach(`c${String(index).padStart(3, "0")}`, here, index > 100 ? ABLE : OFF);
  const { clients, total } = (await list()).body as unknown as { clients: { client_id: string }[]; total: number };
  expect([clients.length, total]).toEqual([100, 105]);
  expect(clients.slice(-5).map(({ client_id }) => client_id)).toEqual(["c095", "c101", "c102", "c103", "c104"]);
});

async function conversation() {
  const { ports } = world();
  const { token, installation: installationId } = await connect(world());
  const id = await createConversation(ports.db, { installationId, interactive: true, title: "A title", now: NOON });
  return {
    id,
    put: (client: string, body: object) => world().call(`PUT /sessions/${id}/clients/${client}`, { token, body }),
    list: () => world().call(`GET /sessions/${id}/clients`, { token }),
    attach: (clientId: string, node: number, interaction?: typeof ABLE) =>
      attachClient(ports.db, { conversationId: id, clientId }, interaction ? { interaction } : {}, {
        node,
        now: ports.clock.now(),
      }),
    answerable: () => canAnswer(ports.db, id, ports.clock.now()),
  };
}

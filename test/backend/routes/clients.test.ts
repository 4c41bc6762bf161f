import { expect, test } from "vitest";
import { canAnswer, forgetLostClients, listClients, putClient, removeClient } from "#backend/store/clients";
import { createConversation } from "#backend/store/conversations";
import { NOON, useBackend } from "#test/backend";
import { connect } from "#test/consent";
import { deskServices } from "#test/desk";

const world = useBackend({ services: deskServices([]) });
const ABLE = { supported: true, enabled: true };
const OFF = { supported: true, enabled: false };

test("a client says whether it can answer, and may change its mind", async () => {
  const { id, put, answerable } = await conversation();
  expect(await answerable()).toBe(false);
  const first = await put("terminal-1", { name: "kay on\nlaptop\u202e", interaction: OFF });
  const terminal = { client_id: "terminal-1", name: "kay on laptopU+202E", interaction: OFF };
  expect([first.status, first.body]).toEqual([200, { clients: [terminal] }]);
  expect(await answerable()).toBe(false);
  expect((await put("terminal-1", { interaction: ABLE })).body).toEqual({
    clients: [{ ...terminal, interaction: ABLE }],
  });
  expect(await answerable()).toBe(true);
  const unable = { supported: false, enabled: true };
  expect((await put("script:2", { interaction: unable })).body).toEqual({
    clients: [
      { client_id: "script:2", interaction: unable },
      { ...terminal, interaction: ABLE },
    ],
  });
  await put("terminal-1", { interaction: OFF });
  expect(await answerable()).toBe(false);
  expect(await listClients(world().ports.db, id)).toHaveLength(2);
});

test("clients of another conversation do not answer in this one", async () => {
  const one = await conversation();
  const other = await conversation();
  await one.put("c", { interaction: ABLE });
  expect([await one.answerable(), await other.answerable()]).toEqual([true, false]);
});

test("a wrong id or a mode without its parts is refused", async () => {
  const { put, id } = await conversation();
  for (const client of ["a%20b", "%00", "x".repeat(101), "a%2Fb"])
    expect(await put(client, { interaction: ABLE })).toMatchObject({ status: 400, body: { field: "client_id" } });
  for (const body of [{}, { interaction: {} }, { interaction: { supported: true, enabled: "yes" } }])
    expect(await put("c", body)).toMatchObject({ status: 400, body: { code: "INVALID_REQUEST" } });
  expect(await listClients(world().ports.db, id)).toEqual([]);
});

test("a change of mode leaves the stream where it is connected", async () => {
  const { id, put, connected, answerable } = await conversation();
  await connected("c", await world().ports.node.number());
  await put("c", { interaction: ABLE });
  await forgetLostClients(world().ports.db);
  expect(await answerable()).toBe(true);
  await connected("c", -1);
  await forgetLostClients(world().ports.db);
  expect(await listClients(world().ports.db, id)).toEqual([]);
});

test("a stream that ends takes its client away, unless that has connected elsewhere since", async () => {
  const { id, connected, answerable } = await conversation();
  const place = { conversationId: id, clientId: "c" };
  await connected("c", 1);
  await connected("c", 2);
  await removeClient(world().ports.db, place, 1);
  expect(await answerable()).toBe(true);
  await removeClient(world().ports.db, place, 2);
  expect(await answerable()).toBe(false);
  await connected("c", 2);
  await removeClient(world().ports.db, place);
  expect(await listClients(world().ports.db, id)).toEqual([]);
});

async function conversation() {
  const { ports } = world();
  const { token, session: installationId } = await connect(world());
  const id = await createConversation(ports.db, { installationId, interactive: true, title: "A title", now: NOON });
  return {
    id,
    put: (client: string, body: object) => world().call(`PUT /sessions/${id}/clients/${client}`, { token, body }),
    connected: (clientId: string, node: number) =>
      putClient(ports.db, { conversationId: id, clientId }, { interaction: ABLE }, { node, now: NOON }),
    answerable: () => canAnswer(ports.db, id),
  };
}

import { beforeEach, expect, test } from "vitest";
import * as z from "zod/mini";
import { defineTool } from "#connectors/tool";
import { ATLASSIAN_TOKEN, callback, connect, expectAtlassian } from "#test/consent";
import { type DeskLog, deskServices } from "#test/desk";
import { json } from "#test/outside";
import { useScriptedBackend } from "#test/scripted-backend";
import { ask, type Turn } from "#test/turn";

const log: DeskLog = [];
const tools = (["jira", "confluence"] as const).map((service) =>
  defineTool({
    name: `${service}.read`,
    description: "Read.",
    access: "read",
    input: z.object({ what: z.string() }),
    examples: [],
    summary: ({ what }) => `Read ${what}`,
    run: async ({ what }, { http }) => {
      await http.request({ path: `/read/${what}`, answer: z.unknown() });
      log.push(`${service} ${what}`);
      return { data: {}, text: `It is ${what}.` };
    },
  }),
);
const { model, world } = useScriptedBackend({ services: deskServices(log, undefined, tools) });
const read = (id: string, service: string, name: string): [string, string, object] => [
  id,
  `${service}.read`,
  { what: name },
];
const READ = (name: string) => `GET https://api.atlassian.com/read/${name}`;
const bearers = () =>
  world()
    .outside.sent.filter(({ url }) => url.includes("/read/"))
    .map(({ headers }) => headers.get("authorization"));

beforeEach(() => void log.splice(0));

/** A user whose Jira is no longer connected. */
async function disconnectJira() {
  const { token, session } = await connect(world());
  await world().call("POST /connections/disconnect?service=jira", { token, body: {} });
  const link = async (service: string, access: string, afterwards = () => {}) => {
    const path = `POST /connections/connect?service=${service}`;
    const { body } = await world().call(path, { token, body: { session_id: session } });
    expectAtlassian(world(), { tokens: { access_token: access } });
    afterwards();
    expect((await callback(world(), String(body.state))).status).toBe(200);
  };
  return { token, session, link };
}

const cards = ({ parts }: Turn) => parts.filter(({ type }) => type === "data-auth-needed");

test("G13 two services are requested on one card, and once both are connected the same calls are made with the new tokens", async () => {
  const { token, link } = await disconnectJira();
  model.script(
    { calls: [read("c1", "jira", "a"), read("c2", "confluence", "b"), read("c3", "jira", "c")] },
    { text: "All read." },
  );
  const turn = await ask(world(), token, "read a, b and c");
  await turn.until("awaiting_auth");
  expect(cards(turn)).toMatchObject([{ data: { integrations: ["jira", "confluence"], connected: [] } }]);
  const { body } = await world().call("GET /pending", { token });
  expect(body.pending).toMatchObject([{ kind: "auth", title: "read a, b and c" }]);
  await link("jira", "jira-new");
  expect((await turn.next("data-auth-progress")).data).toEqual({ connected: "jira", remaining: ["confluence"] });
  for (const name of ["a", "b", "c"]) world().outside.expect(READ(name), json({}));
  await link("confluence", "confluence-new");
  await turn.end();
  expect(turn.parts.filter(({ type }) => /^data-auth-(progress|result)/.test(type))).toMatchObject([
    { data: { connected: "jira", remaining: ["confluence"] } },
    { data: { connected: "confluence", remaining: [] } },
    { type: "data-auth-result", data: { success: true, integrations: ["jira", "confluence"] } },
  ]);
  expect(cards(turn)).toHaveLength(1);
  expect([...log].sort()).toEqual(["confluence b", "jira a", "jira c"]);
  expect(bearers().sort()).toEqual(["Bearer confluence-new", "Bearer jira-new", "Bearer jira-new"]);
  expect(turn.text()).toBe("All read.");
});

test("G14 text typed while a connection is pending waits too, and the card stays; a closed browser changes nothing", async () => {
  const { token, session, link } = await disconnectJira();
  model.script({ calls: [read("c1", "jira", "a")] }, { text: "Read." }, { text: "Hello." });
  const turn = await ask(world(), token, "read a");
  await turn.until("awaiting_auth");
  const other = await ask(world(), token, "hello", { session_id: turn.session });
  await world().call("POST /connections/connect?service=jira", { token, body: { session_id: session } });
  await world().backend.tick();
  expect((await world().call("GET /pending", { token })).body.pending).toHaveLength(1);
  world().outside.expect(READ("a"), json({}));
  await link("jira", "jira-new");
  await turn.end();
  await other.end();
  expect([turn.text(), other.text()]).toEqual(["Read.", "Hello."]);
});

test("a user continues without a service: its calls fail, it is not requested again, and the model answers", async () => {
  const { token } = await disconnectJira();
  model.script(
    { calls: [read("c1", "jira", "a")] },
    { calls: [read("c2", "jira", "b")] },
    { text: "Not without Jira." },
  );
  const turn = await ask(world(), token, "read a");
  await turn.until("awaiting_auth");
  const id = turn.parts.flatMap((part) => (part.type === "data-auth-needed" ? [part.data.generation_id] : []))[0];
  const body = { integration: "jira", success: false, go_on: true };
  expect((await world().call(`POST /generations/${id}/auth`, { token, body })).status).toBe(200);
  await turn.end();
  expect(turn.parts.filter(({ type }) => /^data-auth-result|^tool-output/.test(type))).toMatchObject([
    { data: { success: false, integrations: ["jira"], reason: "The user continues without jira." } },
    { type: "tool-output-error", toolCallId: "c1" },
    { type: "tool-output-error", toolCallId: "c2" },
  ]);
  expect([cards(turn).length, turn.text(), log]).toEqual([1, "Not without Jira.", []]);
});

test.each(["answer", "time"] as const)(
  "G14 a denial, or ten minutes without an answer, cancels it; the message stays (%s)",
  async (action) => {
    const { token } = await disconnectJira();
    model.script({ calls: [read("c1", "jira", "a")] }, { text: "Hello." });
    const turn = await ask(world(), token, "read a");
    await turn.until("awaiting_auth");
    const id = turn.parts.flatMap((part) => (part.type === "data-auth-needed" ? [part.data.generation_id] : []))[0];
    if (action === "answer") {
      const no = await world().call(`POST /generations/${id}/auth`, {
        token,
        body: { integration: "jira", success: false },
      });
      expect(no.status).toBe(200);
    } else {
      world().clock.advance(600_000);
      await world().backend.tick();
    }
    await turn.end();
    const reason =
      action === "answer" ? "The user declined to connect jira." : "No connection to jira was made within ten minutes.";
    expect(turn.parts.slice(-4)).toMatchObject([
      { type: "data-auth-result", data: { success: false, integrations: ["jira"], reason } },
      { type: "tool-output-denied", toolCallId: "c1" },
      { type: "data-status", data: { status: "cancelled" } },
      { type: "abort", reason },
    ]);
    const next = await ask(world(), token, "hello", { session_id: turn.session });
    await next.end();
    const userMessages = (model.prompts.at(-1)?.messages ?? []).filter(({ role }) => role === "user");
    expect(userMessages.map(({ content }) => content)).toEqual(["read a", "hello"]);
  },
);

test("a reported success without a connection is ignored, and one for a service that is not needed is refused", async () => {
  const { token, link } = await disconnectJira();
  model.script({ calls: [read("c1", "jira", "a")] }, { text: "Read." });
  const turn = await ask(world(), token, "read a");
  await turn.until("awaiting_auth");
  const id = turn.parts.flatMap((part) => (part.type === "data-auth-needed" ? [part.data.generation_id] : []))[0];
  const yes = (integration: string) =>
    world().call(`POST /generations/${id}/auth`, { token, body: { integration, success: true } });
  expect(await yes("jira")).toMatchObject({ status: 409, body: { code: "NOT_CONNECTED" } });
  expect(await yes("slack")).toMatchObject({ status: 409, body: { code: "GENERATION_CLOSED" } });
  world().outside.expect(READ("a"), json({}));
  await link("jira", "jira-new");
  await turn.end();
  expect(await yes("jira")).toMatchObject({ status: 409, body: { code: "GENERATION_CLOSED" } });
});

test("G15 a service that still refuses is requested twice in a turn, then its calls fail and the turn ends", async () => {
  const { token, link } = await disconnectJira();
  model.script({ calls: [read("c1", "jira", "a")] }, { calls: [read("c2", "jira", "b")] }, { text: "It refuses." });
  const turn = await ask(world(), token, "read a");
  for (const access of ["jira-2", "jira-3"]) {
    await turn.until("awaiting_auth");
    await link("jira", access, () => {
      world().outside.expect(READ("a"), json({}, 401));
      world().outside.expect(ATLASSIAN_TOKEN, json({ error: "invalid_grant" }, 403));
    });
  }
  await turn.end();
  expect(cards(turn)).toHaveLength(2);
  expect(turn.parts.flatMap((part) => (part.type === "tool-output-error" ? [part] : []))).toMatchObject([
    { toolCallId: "c1", errorText: expect.stringContaining("still rejects the connection") },
    { toolCallId: "c2", errorText: expect.stringContaining("still rejects the connection") },
  ]);
  expect(turn.text()).toBe("It refuses.");
  expect(turn.parts.at(-1)).toMatchObject({ type: "finish" });
});

test("G16 a token that expires during a long turn is refreshed without asking anyone", async () => {
  const { token } = await connect(world());
  const steps = ["a", "b", "c"].map((name, index) => async () => {
    if (index > 0) world().clock.advance(index === 1 ? 50_000 : 40_000);
    return { calls: [read(`c${index}`, "jira", name)] };
  });
  model.script(...steps, { text: "Read." });
  const fresh = {
    access_token: "jira-access-2",
    refresh_token: "jira-refresh-2",
    expires_in: 3600,
    token_type: "Bearer",
  };
  const { db } = world().ports;
  const soon = new Date(world().clock.now() + 120_000);
  await db.updateTable("grants").set({ access_expires_at: soon }).where("service", "=", "jira").execute();
  for (const name of ["a", "b", "c"]) world().outside.expect(READ(name), json({}));
  world().outside.expect(ATLASSIAN_TOKEN, json(fresh));
  const turn = await ask(world(), token, "read a, b and c");
  await turn.end();
  expect(bearers()).toEqual(["Bearer jira-access-1", "Bearer jira-access-1", "Bearer jira-access-2"]);
  expect(cards(turn)).toEqual([]);
});

import { isIP } from "node:net";
import { beforeEach, expect, test } from "vitest";
import type { Fetch } from "#net/ports";
import type { World } from "#test/backend";
import { connect } from "#test/consent";
import { mcpLogin, NOTES } from "#test/mcp-login";
import { notesServer } from "#test/mcp-server";
import { useNodes } from "#test/scripted-backend";
import { ask, follow, type Turn } from "#test/turn";

let login = mcpLogin();
let server = notesServer();
/** The server behind its sign-in, and the authorization server. */
const reach: Fetch = async (url, init) => {
  const request = new Request(url, init);
  return request.url === NOTES
    ? (login.refused(request) ?? (await server.fetch(request)))
    : await login.fetch(url, init);
};
const { model, start } = useNodes({
  guarded: { fetch: reach, addresses: async (host) => (isIP(host) ? [host] : ["93.184.215.14"]) },
});
let world: World;

beforeEach(async () => {
  world = start();
  login = mcpLogin();
  server = notesServer();
  await world.ports.db.deleteFrom("mcp_clients").execute();
});

/** The user consents, as from the card or `kay connect`. */
async function consent(session: string, token: string) {
  const { body } = await world.call("POST /connections/connect?service=notes", {
    token,
    body: { session_id: session },
  });
  const url = login.consent(String(body.authorization_url));
  return {
    page: await world.call(`GET ${url.pathname}${url.search}`),
    scope: new URL(String(body.authorization_url)).searchParams.get("scope"),
  };
}

/** A signed-in user who has added the server and approved its tools after the first consent. */
async function addServer() {
  const { token, session } = await connect(world);
  const add = await world.call("POST /services", { token, body: { mcp: { url: NOTES, name: "notes" } } });
  const { page } = await consent(session, token);
  const approved = await world.call("POST /services/notes/approve", { token, body: { trust_reads: true } });
  return { token, session, add, page, approved };
}

const readToolMessages = () => JSON.stringify(model.prompts.at(-1)?.messages.filter(({ role }) => role === "tool"));

async function askForTool(token: string, tool: string): Promise<Turn> {
  model.script({ calls: [["c1", `notes.${tool}`, {}]] }, { text: "So." });
  return await ask(world, token, "go");
}

test("a server that requires a sign-in is added, connected by consent, and its tools are approved and called with the token", async () => {
  const { add, page, approved, token } = await addServer();
  expect([add.status, (add.body.service as { sign_in: string }).sign_in]).toEqual([200, "oauth2"]);
  expect([page.status, approved.status]).toEqual([200, 200]);
  expect((approved.body.service as { tools: { name: string }[] }).tools.map(({ name }) => name)).toEqual([
    "notes.add_note",
    "notes.list_paid",
    "notes.nag",
    "notes.pick_note",
  ]);
  server.state.paid = true;
  const turn = await askForTool(token, "list_paid");
  await turn.end();
  expect([readToolMessages().includes("paid notes"), login.state.faults]).toEqual([true, []]);
});

test("without a token the same call waits for the consent, and so does a refused token that cannot be refreshed", async () => {
  const { token, session } = await addServer();
  server.state.paid = true;
  login.endAccess();
  login.refresh.clear();
  const turn = await askForTool(token, "list_paid");
  const needed = await turn.next("data-auth-needed");
  expect(needed.data).toMatchObject({ integrations: ["notes"] });
  await turn.until("awaiting_auth");
  expect((await consent(session, token)).page.status).toBe(200);
  await turn.end();
  expect([readToolMessages().includes("paid notes"), server.state.calls]).toEqual([true, 1]);
});

test("a call that needs another scope requests it in addition, and continues after the consent", async () => {
  const { token, session } = await addServer();
  server.state.paid = true;
  login.state.needs = "notes:read notes:list";
  const turn = await askForTool(token, "list_paid");
  const needed = await turn.next("data-auth-needed");
  expect(needed.data).toMatchObject({
    reason: "Notes requires more permissions than were granted (notes:read notes:list).",
  });
  await turn.until("awaiting_auth");
  expect((await consent(session, token)).scope).toBe("notes:read notes:list");
  await turn.end();
  expect(readToolMessages()).toContain("paid notes");
});

test.each(["legacy", "modern"] as const)(
  "a %s server asks during a write, which is sent once; when the node that keeps it is gone, an older server's write is unknown, a newer one's is made",
  async (era) => {
    server = notesServer({ era });
    const other = start();
    const { token } = await addServer();
    await world.call("PUT /policies", {
      token,
      body: { policies: [{ target: "notes.add_note", mode: "everything" }] },
    });
    const first = await askForTool(token, "add_note");
    const request = await first.asked();
    await first.until("awaiting_input");
    await other.call(`POST /sessions/${first.session}/interactions/${request.interaction_id}`, {
      token,
      body: { action: "submit", input: { title: "Tea" } },
    });
    await first.end();
    expect([server.state.notes, readToolMessages().includes("accept added")]).toEqual([[{ title: "Tea" }], true]);
    const second = await askForTool(token, "add_note");
    const open = await second.asked();
    await second.until("awaiting_input");
    await world.ports.node.close();
    await second.close();
    const resumed = await follow(other, token, second.session, "after=0");
    await other.call(`POST /sessions/${second.session}/interactions/${open.interaction_id}`, {
      token,
      body: { action: "submit", input: { title: "Milk" } },
    });
    await resumed.next("finish");
    await resumed.close();
    expect(readToolMessages().includes("may have been partly completed")).toBe(era === "legacy");
    expect(server.state.notes.length).toBe(era === "legacy" ? 1 : 2);
  },
  60_000,
);

test("the tokens of a removed server are revoked", async () => {
  const { token } = await addServer();
  expect(login.refresh.size).toBe(1);
  expect((await world.call("DELETE /services/notes", { token })).status).toBe(200);
  expect([login.refresh.size, login.access.size]).toEqual([0, 0]);
});

test("a server without registration asks for a token instead; a client registered by hand is used", async () => {
  login = mcpLogin({ metadata: { registration_endpoint: undefined } });
  const { token, session } = await connect(world);
  const plain = await world.call("POST /services", { token, body: { mcp: { url: NOTES, name: "notes" } } });
  expect((plain.body.service as { sign_in: string }).sign_in).toBe("bearer");
  const answer = await world.call("POST /services", {
    token,
    body: { mcp: { url: NOTES, name: "notes", client_id: "mine" } },
  });
  expect((answer.body.service as { sign_in: string }).sign_in).toBe("oauth2");
  const { body } = await world.call("POST /connections/connect?service=notes", { body: { session_id: session } });
  expect(new URL(String(body.authorization_url)).searchParams.get("client_id")).toBe("mine");
});

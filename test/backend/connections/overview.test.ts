import { expect, test } from "vitest";
import { deriveInstallationId } from "#backend/accounts/sessions";
import { useBackend } from "#test/backend";
import { ANN, connect } from "#test/consent";
import { json } from "#test/outside";

const world = useBackend();
const NONE = { connected: false };

/** All services, none connected. */
const nothing = () => Object.fromEntries(world().ports.services.map(({ service }) => [service.name, NONE]));

const INVALID = [
  400,
  {
    error: "Invalid session_id",
    code: "SESSION_INVALID",
    message: "The provided session_id no longer exists. Please reconnect your services.",
    session_reset_required: true,
  },
];

test("GET /connections shows every service with user and metadata, both by token and by session ID", async () => {
  const { session, token } = await connect(world());
  const byToken = await world().call("GET /connections", { token });
  expect([byToken.status, byToken.body]).toEqual([
    200,
    {
      connections: {
        ...nothing(),
        jira: {
          connected: true,
          user: ANN,
          metadata: { url: "https://main.example.test", cloud_id: "c-main", site: "main" },
        },
      },
    },
  ]);
  expect((await world().call(`GET /connections?session_id=${session}`)).body).toEqual(byToken.body);
});

test("an installation with nothing connected sees every service as not connected", async () => {
  const { body } = await world().call("POST /connections/connect?service=jira");
  const answer = await world().call(`GET /connections?session_id=${body.session_id}`);
  expect(answer.body).toEqual({
    connections: {
      jira: NONE,
      confluence: NONE,
      bitbucket: NONE,
      slack: NONE,
      github: NONE,
      gmail: NONE,
      "google-calendar": NONE,
      "google-docs": NONE,
      "google-sheets": NONE,
      "google-drive": NONE,
      notion: NONE,
      airtable: NONE,
      hubspot: NONE,
      linkedin: NONE,
      kyg: NONE,
    },
  });
});

test("a connection whose key is gone is not connected, says so everywhere, and works after a new consent", async () => {
  const { session, token } = await connect(world());
  const { sealing } = world().ports.keys;
  sealing.splice(0, 1, { id: "k2", key: new Uint8Array(32).fill(9) });
  const reason = "The backend's keys no longer decrypt the sign-in to Jira.";
  const { body } = await world().call("GET /connections", { token });
  expect(body.connections).toEqual({ ...nothing(), jira: { connected: false, reason } });
  const { services } = (await world().call("GET /services", { token })).body as { services: object[] };
  expect(services[0]).toMatchObject({ name: "jira", state: "not_connected", connected: false, reason });
  const { tools } = (await world().call("GET /tools?service=jira", { token })).body as { tools: object[] };
  expect(tools[0]).toMatchObject({ connected: false });
  const call = { token, body: { input: { issue: "KAY-1" } } };
  expect(await world().call("POST /tools/jira.get_issue/call", call)).toMatchObject({
    status: 403,
    body: { code: "AUTH_REQUIRED", message: reason, hint: "Run `kay connect jira`, then ask again." },
  });
  await connect(world(), { session_id: session }, { token });
  expect((await world().call("GET /connections", { token })).body).toMatchObject({
    connections: { jira: { connected: true } },
  });
});

test("an unknown session ID is the guide's error, word for word, and requires a reset", async () => {
  for (const id of ["kaysession_1234567890_abc123", "nonsense", "%00", "kaysession_%00"]) {
    const answer = await world().call(`GET /connections?session_id=${id}`);
    expect([answer.status, answer.body]).toEqual(INVALID);
    const session_id = decodeURIComponent(id);
    const other = await world().call("POST /connections/disconnect?service=jira", { body: { session_id } });
    expect([other.status, other.body]).toEqual(INVALID);
  }
});

test("without a token and a session ID, the answer is TOKEN_MISSING", async () => {
  for (const request of [
    "GET /connections",
    "GET /connections?session_id=",
    "POST /connections/disconnect?service=jira",
  ]) {
    expect(await world().call(request)).toMatchObject({ status: 401, body: { code: "TOKEN_MISSING" } });
  }
});

test("an invalid token is not replaced by a session ID", async () => {
  const { session } = await connect(world());
  const answer = await world().call(`GET /connections?session_id=${session}`, { token: "opaque" });
  expect(answer).toMatchObject({ status: 401, body: { code: "TOKEN_INVALID" } });
});

test("disconnect deletes the tokens of one service, by session ID or by token, and may be repeated", async () => {
  const { session, token } = await connect(world());
  await connect(world(), { session_id: session }, { service: "confluence" });
  const expected = { service: "jira", connected: false, message: "Successfully disconnected from jira" };
  const revocation = {
    status: "shared",
    message: "kay deleted its tokens for Jira and did not revoke them: that would end the access of confluence too.",
    page: "https://id.atlassian.com/manage-profile/apps",
  };
  const first = await world().call("POST /connections/disconnect?service=jira", { body: { session_id: session } });
  expect([first.status, first.body]).toEqual([200, { ...expected, revocation }]);
  const again = await world().call("POST /connections/disconnect?service=jira", { token });
  expect([again.status, again.body]).toEqual([200, expected]);
  expect((await world().call("GET /connections", { token })).body).toMatchObject({
    connections: { jira: NONE, confluence: { connected: true } },
  });
  const rows = await world()
    .ports.db.selectFrom("grants")
    .select("service")
    .where("installation_id", "=", deriveInstallationId(session))
    .execute();
  expect(rows).toEqual([{ service: "confluence" }]);
});

test("disconnect uses the session ID of its body, with or without a token", async () => {
  const { session, token } = await connect(world());
  const gone = { body: { session_id: "kaysession_1_gone" }, token };
  expect(await world().call("POST /connections/disconnect?service=jira", gone)).toMatchObject({
    status: 400,
    body: { error: "Invalid session_id" },
  });
  const stale = { body: { session_id: session }, token: "stale" };
  expect((await world().call("POST /connections/disconnect?service=jira", stale)).status).toBe(200);
});

test("disconnect from an unknown service is refused with the nearest name", async () => {
  const { session } = await connect(world());
  const body = { session_id: session };
  expect(await world().call("POST /connections/disconnect?service=jirra", { body })).toMatchObject({
    status: 400,
    body: { code: "UNKNOWN_SERVICE", nearest: "jira" },
  });
});

test("bitbucket connects with its own consumer, and shows the guide's fields", async () => {
  const { session, status } = await connectBitbucket({}, ["team"]);
  expect(status.body).toMatchObject({ status: "completed", account_id: "bb-1", token: expect.any(String) });
  const { body } = await world().call(`GET /connections?session_id=${session}`);
  expect(body).toMatchObject({
    connections: {
      bitbucket: {
        connected: true,
        user: { account_id: "bb-1", username: "johndoe", display_name: "John Doe" },
        metadata: { url: "https://bitbucket.org/team" },
      },
    },
  });
});

test("V04 workspaces of Bitbucket, which share a host, are distinguished by name and by URL", async () => {
  const missing = await connectBitbucket({}, ["team", "other"]);
  expect(missing.status.body).toMatchObject({ status: "failed", code: "SITE_REQUIRED" });
  const vague = await connectBitbucket({ site: "https://bitbucket.org" }, ["team", "other"]);
  expect(vague.status.body).toMatchObject({ status: "failed", code: "SITE_REQUIRED" });
  for (const site of ["team", "https://bitbucket.org/team", "bitbucket.org/team/repository"]) {
    const { session, status } = await connectBitbucket({ site }, ["other", "team"]);
    expect([site, status.body.status]).toEqual([site, "completed"]);
    const again = await connectBitbucket({ session_id: session }, ["other", "team"]);
    expect(again.status.body.status).toBe("completed");
    const { body } = await world().call(`GET /connections?session_id=${session}`);
    expect(body).toMatchObject({ connections: { bitbucket: { metadata: { workspace: "team" } } } });
  }
  expect((await connectBitbucket({ site: "elsewhere" }, ["team"])).status.body).toMatchObject({
    code: "SITE_REQUIRED",
  });
});

async function connectBitbucket(request: object, workspaces: string[]) {
  const { body } = await world().call("POST /connections/connect?service=bitbucket", { body: request });
  const { outside } = world();
  outside.expect("POST https://bitbucket.org/site/oauth2/access_token", (request) => {
    expect(request.headers.get("authorization")).toBe(`Basic ${btoa("bitbucket-client:bitbucket-secret")}`);
    return json({ access_token: "b", refresh_token: "r", expires_in: 7200, token_type: "bearer", scopes: "account" })(
      request,
    );
  });
  const user = { uuid: "{u-1}", account_id: "bb-1", username: "johndoe", display_name: "John Doe" };
  outside.expect("GET https://api.bitbucket.org/2.0/user", json(user));
  const values = workspaces.map((slug) => ({ workspace: { slug, uuid: `{${slug}}` } }));
  outside.expect("GET https://api.bitbucket.org/2.0/user/workspaces", json({ values }));
  await world().call(`GET /auth/callback?code=c&state=${body.state}`);
  return { session: String(body.session_id), status: await world().call(`GET /auth/status/${body.state}`) };
}

test("V07 notion's tokens are requested in JSON with its own client, and its workspace is shown", async () => {
  const { body } = await world().call("POST /connections/connect?service=notion", { body: {} });
  expect(body.authorization_url).toBe(
    "https://api.notion.com/v1/oauth/authorize?owner=user&response_type=code&client_id=notion-client" +
      `&redirect_uri=http%3A%2F%2F127.0.0.1%3A4000%2Fauth%2Fcallback&state=${body.state}`,
  );
  const { outside } = world();
  outside.expect("POST https://api.notion.com/v1/oauth/token", async (request) => {
    expect(request.headers.get("authorization")).toBe(`Basic ${btoa("notion-client:notion-secret")}`);
    expect(request.headers.get("content-type")).toBe("application/json");
    expect(JSON.parse(request.body)).toEqual({
      grant_type: "authorization_code",
      code: "c",
      redirect_uri: "http://127.0.0.1:4000/auth/callback",
    });
    return json({ access_token: "n", refresh_token: "r", token_type: "bearer", bot_id: "b-1" })(request);
  });
  outside.expect("GET https://api.notion.com/v1/users/me", (request) => {
    expect(request.headers.get("notion-version")).toBe("2026-03-11");
    const owner = { type: "user", user: { id: "u-1", name: "Ana", person: { email: "ana@x.test" } } };
    return json({
      object: "user",
      id: "b-1",
      type: "bot",
      bot: { owner, workspace_name: "Acme", workspace_id: "w-1" },
    })(request);
  });
  await world().call(`GET /auth/callback?code=c&state=${body.state}`);
  const answer = await world().call(`GET /connections?session_id=${body.session_id}`);
  expect(answer.body.connections).toMatchObject({
    notion: {
      connected: true,
      user: { account_id: "u-1", name: "Ana", email: "ana@x.test" },
      metadata: { workspace: "Acme", workspace_id: "w-1" },
    },
  });
});

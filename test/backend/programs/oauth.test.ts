import { createHash } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { type Answer, useBackend } from "#test/backend";
import { connect } from "#test/consent";
import { json } from "#test/outside";

const ORIGIN = "http://127.0.0.1:4000";
const CALLBACK = "http://127.0.0.1:33418/callback";
const VERIFIER = "v".repeat(43);
const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url");
const DOCUMENT = "https://agent.example.test/client.json";

const world = useBackend({
  mcp: true,
  guarded: { fetch: (url, init) => world().outside.fetch(url, init), addresses: async () => ["93.184.215.14"] },
});

const register = (body: object = {}) =>
  world().call("POST /mcp/register", { body: { client_name: "Claude Code", redirect_uris: [CALLBACK], ...body } });

const registerClient = async (body: object = {}) => String((await register(body)).body.client_id);

function authorize(clientId: string, changes: Record<string, string | undefined> = {}): Promise<Answer> {
  const query = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: CALLBACK,
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    resource: `${ORIGIN}/mcp`,
    state: "s1",
    ...changes,
  };
  const parameters = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return world().call(`GET /mcp/authorize?${new URLSearchParams(parameters)}`, { address: "192.0.2.7" });
}

const findUserCode = ({ text }: Answer) => /<dd>([A-Z]{4}-[A-Z]{4})<\/dd>/.exec(text)?.[1] ?? "";

/** Posts a form without a token, as programs do. */
const post = (path: string, form: Record<string, string>) =>
  world().call(`POST ${path}`, {
    body: new URLSearchParams(form).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });

/** A program that the user let in: its code, and who it is. */
async function letIn(token: string) {
  const clientId = await registerClient();
  const userCode = findUserCode(await authorize(clientId));
  const { body } = await world().call(`POST /mcp/requests/${userCode}`, { token, body: { allow: true } });
  const link = String(body.url);
  return { clientId, link, code: link.slice(link.lastIndexOf("/") + 1) };
}

const exchange = ({ clientId, code }: { clientId: string; code: string }, changes: Record<string, string> = {}) =>
  post("/mcp/token", {
    grant_type: "authorization_code",
    client_id: clientId,
    code,
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
    ...changes,
  });

const refresh = (clientId: string, refreshToken: unknown) =>
  post("/mcp/token", { grant_type: "refresh_token", client_id: clientId, refresh_token: String(refreshToken) });

/** Calls `/mcp`, as the first message of a program does. */
const initialize = (token?: string, headers: Record<string, string> = {}) =>
  world().call("POST /mcp", {
    ...(token === undefined ? {} : { token }),
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
    },
  });

test("a program without a token learns where to get one", async () => {
  const { status, headers } = await initialize();
  expect(status).toBe(401);
  const metadataUrl = `${ORIGIN}/.well-known/oauth-protected-resource/mcp`;
  expect(headers.get("www-authenticate")).toContain(`resource_metadata="${metadataUrl}"`);
  const { body: resource } = await world().call(`GET ${new URL(metadataUrl).pathname}`);
  expect(resource).toMatchObject({ resource: `${ORIGIN}/mcp`, authorization_servers: [ORIGIN] });
  const { body: server } = await world().call("GET /.well-known/oauth-authorization-server");
  expect(server).toMatchObject({
    issuer: ORIGIN,
    authorization_endpoint: `${ORIGIN}/mcp/authorize`,
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  });
});

test("the page shows who asks and what the user can do; the terminal's link returns with a code", async () => {
  const { token } = await connect(world());
  const clientId = await registerClient({ client_name: "<b>Claude</b>" });
  const page = await authorize(clientId);
  expect(page.status).toBe(200);
  expect(page.headers.get("content-security-policy")).toMatch(
    /default-src 'none'.*form-action 'none'.*frame-ancestors 'none'/,
  );
  expect(page.text).toContain("&lt;b&gt;Claude&lt;/b&gt;");
  expect(page.text).toContain("127.0.0.1:33418, a program on your own computer");
  const userCode = findUserCode(page);
  expect(page.text).toContain(`kay mcp authorize ${userCode}`);
  expect(page.text).not.toContain("<form");
  const spacedCode = userCode.toLowerCase().replace("-", " ");
  expect((await world().call(`GET /mcp/requests/${encodeURIComponent(spacedCode)}`, { token })).body).toMatchObject({
    name: "<b>Claude</b>",
    redirect_host: "127.0.0.1:33418",
    requested_from: "192.0.2.7",
  });
  const { body } = await world().call(`POST /mcp/requests/${userCode}`, { token, body: { allow: true } });
  const again = await world().call(`POST /mcp/requests/${userCode}`, { token, body: { allow: true } });
  expect(again.status).toBe(404);
  const back = await world().call(`GET ${new URL(String(body.url)).pathname}`);
  const address = new URL((/url=([^"]*)"/.exec(back.text)?.[1] ?? "").replaceAll("&amp;", "&"));
  expect(address.origin + address.pathname).toBe(CALLBACK);
  expect(Object.fromEntries(address.searchParams)).toEqual({ code: expect.any(String), state: "s1", iss: ORIGIN });
  expect(String(body.url)).toContain(address.searchParams.get("code") ?? "?");
});

test("a user who is not signed in can authorize nothing, and a refused program gets no code", async () => {
  const { token } = await connect(world());
  const userCode = findUserCode(await authorize(await registerClient()));
  expect((await world().call(`GET /mcp/requests/${userCode}`)).status).toBe(401);
  expect((await world().call(`POST /mcp/requests/${userCode}`, { body: { allow: true } })).status).toBe(401);
  const { status, body } = await world().call(`POST /mcp/requests/${userCode}`, { token, body: { allow: false } });
  expect([status, body]).toEqual([200, {}]);
  expect((await world().call(`GET /mcp/requests/${userCode}`, { token })).status).toBe(404);
});

test.for([
  ["an unknown client", { client_id: "nobody" }, "does not know the client_id"],
  ["another redirect address", { redirect_uri: "https://evil.example.test/" }, "redirect_uri must be one"],
  ["another path on this machine", { redirect_uri: "http://127.0.0.1:33418/other" }, "redirect_uri must be one"],
  ["no PKCE", { code_challenge: undefined }, "PKCE is required"],
  ["plain PKCE", { code_challenge_method: "plain" }, "PKCE is required"],
  ["a token in the browser", { response_type: "token" }, "response_type must be code"],
  ["another resource", { resource: "https://other.example.test/mcp" }, "resource must be"],
] as const)("kay shows why it refuses %s, and redirects nowhere", async ([, changes, reason]) => {
  const page = await authorize(await registerClient(), changes);
  expect(page.status).toBe(400);
  expect(page.text).toContain(reason);
  expect(page.text).not.toContain("href=");
  expect(page.headers.get("location")).toBeNull();
});

test("a program on this machine may use another port, and only http on this machine or https can be registered", async () => {
  const clientId = await registerClient();
  expect((await authorize(clientId, { redirect_uri: "http://127.0.0.1:5/callback" })).status).toBe(200);
  for (const uri of [
    "http://evil.example.test/",
    "javascript:alert(1)",
    "cursor://x/y",
    "https://a@evil.example.test/",
  ])
    expect((await register({ redirect_uris: [uri] })).body).toMatchObject({ error: "invalid_redirect_uri" });
  for (const redirect_uris of [[], ["x".repeat(301)], Array.from({ length: 11 }, () => CALLBACK), "x", undefined])
    expect((await register({ redirect_uris })).body).toMatchObject({ error: "invalid_client_metadata" });
  const long = Array.from({ length: 10 }, (_, index) => `https://agent.example.test/${index}${"x".repeat(200)}`);
  expect((await register({ redirect_uris: long })).body).toMatchObject({ error: "invalid_client_metadata" });
  const mixed = ["cursor://x/y", CALLBACK];
  expect((await register({ redirect_uris: mixed })).body).toMatchObject({ redirect_uris: [CALLBACK] });
  const [data, ticket] = clientId.split(".");
  const forged = Buffer.from(JSON.stringify(["Claude Code", "https://evil.example.test/"])).toString("base64url");
  expect(data).not.toBe(forged);
  const page = await authorize(`${forged}.${ticket}`, { redirect_uri: "https://evil.example.test/" });
  expect(page.status).toBe(400);
});

test("a document at the program's own address describes it, and shows its host to the user", async () => {
  const { token } = await connect(world());
  const redirect_uri = "https://agent.example.test/back";
  const document = { client_id: DOCUMENT, client_name: "Agent", redirect_uris: [redirect_uri] };
  world().outside.expect(`GET ${DOCUMENT}`, json(document));
  const userCode = findUserCode(await authorize(DOCUMENT, { redirect_uri }));
  expect((await world().call(`GET /mcp/requests/${userCode}`, { token })).body).toMatchObject({
    name: "Agent",
    redirect_host: "agent.example.test",
    document_host: "agent.example.test",
  });
  world().outside.expect(`GET ${DOCUMENT}`, json({ ...document, client_id: `${DOCUMENT}?` }));
  expect((await authorize(DOCUMENT, { redirect_uri })).status).toBe(400);
  world().outside.expect(`GET ${DOCUMENT}`, json({}, 302, { location: "http://10.0.0.1/" }));
  expect((await authorize(DOCUMENT, { redirect_uri })).status).toBe(400);
  for (const id of ["https://agent.example.test/", "https://agent.example.test", `${DOCUMENT}#x`, "http://a.example/x"])
    expect((await authorize(id, { redirect_uri })).status).toBe(400);
});

test("a code returns tokens once, for its program and address, with its verifier", async () => {
  const { token } = await connect(world());
  const wrong: Record<string, string>[] = [
    { code_verifier: "w".repeat(43) },
    { code_verifier: "" },
    { redirect_uri: "http://127.0.0.1:5/callback" },
    { client_id: await registerClient({ client_name: "Other" }) },
  ];
  for (const changes of wrong) {
    const program = await letIn(token);
    expect((await exchange(program, changes)).body).toMatchObject({ error: "invalid_grant" });
    expect((await exchange(program)).body).toMatchObject({ error: "invalid_grant" });
  }
  const late = await letIn(token);
  world().clock.advance(10 * 60_000 + 1);
  expect((await exchange(late)).body).toMatchObject({ error: "invalid_grant" });
  const program = await letIn(token);
  expect((await exchange(program, { resource: "https://other.example.test" })).body).toMatchObject({
    error: "invalid_target",
  });
  const { status, body } = await exchange(program, { resource: `${ORIGIN}/mcp` });
  expect(status).toBe(200);
  expect(body).toMatchObject({ token_type: "Bearer", expires_in: 1800, scope: "mcp" });
  expect((await initialize(String(body.access_token))).status).toBe(200);
  expect((await world().call(`GET ${new URL(program.link).pathname}`)).status).toBe(410);
  // A second use means that there is a copy, so the access ends.
  expect((await exchange(program)).body).toMatchObject({ error: "invalid_grant" });
  expect((await initialize(String(body.access_token))).status).toBe(401);
});

test("of two concurrent exchanges of a code at most one gets tokens", async () => {
  const { token } = await connect(world());
  const program = await letIn(token);
  const answers = await Promise.all([exchange(program), exchange(program)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
});

test("a refresh token works once, with a minute of grace, and a later use ends the access", async () => {
  const { token } = await connect(world());
  const program = await letIn(token);
  const first = (await exchange(program)).body;
  const second = (await refresh(program.clientId, first.refresh_token)).body;
  expect(second.refresh_token).not.toBe(first.refresh_token);
  expect((await refresh(program.clientId, first.refresh_token)).body).toEqual(second);
  const others = await registerClient({ client_name: "Other" });
  expect((await refresh(others, second.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
  world().clock.advance(61_000);
  const third = (await refresh(program.clientId, second.refresh_token)).body;
  expect((await initialize(String(third.access_token))).status).toBe(200);
  expect((await refresh(program.clientId, first.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
  expect((await initialize(String(third.access_token))).status).toBe(401);
  expect((await refresh(program.clientId, third.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
});

test("tokens have one audience: a program's /mcp, and a terminal's everything else", async () => {
  const { token, refreshToken } = await connect(world());
  const program = await letIn(token);
  const tokens = (await exchange(program)).body;
  const access = String(tokens.access_token);
  for (const call of ["GET /connections", "GET /pending", "GET /mcp/programs", "POST /pending/link", "POST /calls"])
    expect([call, (await world().call(call, { token: access })).status]).toEqual([call, 401]);
  const stolen = await world().call("POST /auth/refresh", { body: { refresh_token: tokens.refresh_token } });
  expect(stolen.status).toBe(401);
  expect((await initialize(token)).status).toBe(401);
  expect((await refresh(program.clientId, refreshToken)).body).toMatchObject({ error: "invalid_grant" });
  const [head, , signature] = access.split(".");
  const claims = Buffer.from(JSON.stringify({ aud: `${ORIGIN}/mcp` })).toString("base64url");
  expect((await initialize(`${head}.${claims}.${signature}`)).status).toBe(401);
});

test("a program ends its own access, and a sign-out ends the access of programs that it authorized", async () => {
  const { token } = await connect(world());
  const [first, second] = [await letIn(token), await letIn(token)];
  const [one, two] = [(await exchange(first)).body, (await exchange(second)).body];
  expect((await post("/mcp/revoke", { token: String(one.refresh_token) })).status).toBe(200);
  expect((await post("/mcp/revoke", { token: "unknown" })).status).toBe(200);
  expect((await initialize(String(one.access_token))).status).toBe(401);
  expect((await initialize(String(two.access_token))).status).toBe(200);
  const late = await letIn(token);
  await world().call("POST /auth/logout", { token });
  expect((await initialize(String(two.access_token))).status).toBe(401);
  expect((await refresh(second.clientId, two.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
  expect((await exchange(late)).body).toMatchObject({ error: "invalid_grant" });
});

test("the access of a program ends with the sign-in that authorized it, after 30 days", async () => {
  const { token } = await connect(world());
  const program = await letIn(token);
  let tokens = (await exchange(program)).body;
  for (let day = 0; day < 29; day += 1) {
    world().clock.advance(24 * 3_600_000);
    tokens = (await refresh(program.clientId, tokens.refresh_token)).body;
  }
  expect((await initialize(String(tokens.access_token))).status).toBe(200);
  world().clock.advance(24 * 3_600_000);
  expect((await refresh(program.clientId, tokens.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
});

test("one user neither sees nor ends the programs of another", async () => {
  const { token } = await connect(world());
  const other = await connect(world());
  await exchange(await letIn(token));
  const [program] = (await world().call("GET /mcp/programs", { token })).body.programs as { id: string }[];
  expect((await world().call("GET /mcp/programs", { token: other.token })).body).toEqual({ programs: [] });
  const path = `DELETE /mcp/programs/${program?.id}`;
  expect((await world().call(path, { token: other.token })).status).toBe(404);
  expect((await world().call(path, { token })).body).toMatchObject({ name: "Claude Code" });
});

test("pages of other origins, foreign host names and other methods get nothing from /mcp", async () => {
  const { token } = await connect(world());
  const access = String((await exchange(await letIn(token))).body.access_token);
  expect((await initialize(access, { origin: "https://evil.example.test" })).status).toBe(403);
  expect((await initialize(access, { host: "evil.example.test" })).status).toBe(403);
  expect((await initialize(access, { origin: ORIGIN })).status).toBe(200);
  const get = await world().call("GET /mcp", { token: access });
  expect([get.status, get.headers.get("allow")]).toEqual([405, "POST"]);
  expect((await initialize(access, { "content-type": "text/plain" })).status).toBe(415);
});

test("the newest thousand unanswered requests are kept", async () => {
  const { token } = await connect(world());
  const first = findUserCode(await authorize(await registerClient()));
  const { db } = world().ports;
  onTestFinished(async () => void (await db.deleteFrom("program_requests").execute()));
  const empty = { state: null, requested_from: null, family_id: null, code_hash: null, program_id: null };
  const rows = Array.from({ length: 1_000 }, (_, index) => ({
    ...empty,
    user_code: `flood-${index}`,
    client_id: "x",
    name: "x",
    redirect_uri: CALLBACK,
    code_challenge: CHALLENGE,
    created_at: new Date(world().clock.now() + 1 + index),
    expires_at: new Date(world().clock.now() + 600_000),
  }));
  await db.insertInto("program_requests").values(rows).execute();
  world().clock.advance(2_000);
  const last = findUserCode(await authorize(await registerClient()));
  expect((await world().call(`GET /mcp/requests/${first}`, { token })).status).toBe(404);
  expect((await world().call(`GET /mcp/requests/${last}`, { token })).status).toBe(200);
});

test("the log has neither codes nor tokens", async () => {
  const { token } = await connect(world());
  const program = await letIn(token);
  await world().call(`GET ${new URL(program.link).pathname}`);
  const { access_token, refresh_token } = (await exchange(program)).body;
  await initialize(String(access_token));
  await refresh(program.clientId, refresh_token);
  const log = world().log.join("\n");
  for (const secret of [program.code, String(access_token), String(refresh_token)]) expect(log).not.toContain(secret);
});

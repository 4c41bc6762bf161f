import { isIP } from "node:net";
import { beforeEach, expect, test } from "vitest";
import { deriveInstallationId } from "#backend/accounts/sessions";
import { getServiceAccess } from "#backend/connections/tokens/access";
import type { ServiceConfiguration } from "#connectors/service";
import type { Fetch } from "#net/ports";
import { createWorld, useBackend, type World } from "#test/backend";
import { LOGIN, type LoginOptions, mcpLogin, NOTES } from "#test/mcp-login";

let login = mcpLogin();
const reach: Fetch = (url, init) => login.fetch(url, init);
const world = useBackend({
  fetch: reach,
  services: [notes()],
  guarded: { fetch: reach, addresses: async (host) => (isIP(host) ? [host] : ["93.184.215.14"]) },
});

/** An MCP server as a service, as the catalogue makes one of its description. */
function notes(): ServiceConfiguration {
  return {
    service: {
      name: "notes",
      title: "Notes",
      oauth: { provider: "notes", scopes: [], pkce: true, clientAuth: "none", refresh: "rotating" },
      endpoints: { authorize: "", token: "", api: NOTES },
      identify: async () => ({ accountId: "ann", user: { name: "Ann" }, metadata: { url: NOTES } }),
      tools: [],
    },
    endpoints: { authorize: "", token: "", api: NOTES },
    client: { id: "notes" },
    discovers: { server: NOTES },
  };
}

beforeEach(async () => {
  login = mcpLogin();
  await world().ports.db.deleteFrom("mcp_clients").execute();
});

async function begin(backend: World = world(), session?: string) {
  const body = session === undefined ? {} : { session_id: session };
  const answer = await backend.call("POST /connections/connect?service=notes", { body });
  return { ...answer, session: String(answer.body.session_id), link: String(answer.body.authorization_url) };
}

/** The browser returns. */
const back = (url: URL, backend: World = world()) => backend.call(`GET ${url.pathname}${url.search}`);

async function connectService(session?: string) {
  const begun = await begin(world(), session);
  const page = await back(login.consent(begun.link));
  const status = (await world().call(`GET /auth/status/${begun.body.state}`)).body;
  return { ...begun, page, status };
}

// https://github.com/modelcontextprotocol/python-sdk/issues/1919: Google's MCP servers and others
test.each<[string, LoginOptions]>([
  ["in the metadata", { metadata: { issuer: `${LOGIN}/` } }],
  ["in the resource", { resource: { authorization_servers: [`${LOGIN}/`] } }],
])("a slash at the end of the issuer makes no difference: %s", async (_, options) => {
  login = mcpLogin(options);
  expect((await connectService()).status).toMatchObject({ status: "completed" });
});

const readError = async (options: LoginOptions) => {
  login = mcpLogin(options);
  const { body, status } = await begin();
  return [status, body.code, body.message];
};

test("a server that requires a sign-in is connected: discovery, registration, consent with PKCE and resource, refreshed and encrypted tokens", async () => {
  const { page, status, session, link } = await connectService();
  expect([page.status, status.status, status.message]).toEqual([
    200,
    "completed",
    "Authorization completed successfully. Connected notes as Ann.",
  ]);
  const consentUrl = new URL(link);
  expect(`${consentUrl.origin}${consentUrl.pathname}`).toBe(`${LOGIN}/authorize`);
  expect(consentUrl.searchParams.get("scope")).toBe("notes:read");
  expect(login.state.faults).toEqual([]);
  const first = await getServiceAccess(world().ports, deriveInstallationId(session), "notes");
  expect(login.access.has(first.token)).toBe(true);
  login.endAccess();
  const both = await Promise.all(
    [1, 2].map(() =>
      getServiceAccess(world().ports, deriveInstallationId(session), "notes", { rejected: first.token }),
    ),
  );
  expect(both[0]?.token).toBe(both[1]?.token);
  expect([login.access.has(both[0]?.token ?? ""), login.state.faults]).toEqual([true, []]);
  const rows = JSON.stringify([
    await world().ports.db.selectFrom("grants").selectAll().execute(),
    await world().ports.db.selectFrom("states").selectAll().execute(),
    await world().ports.db.selectFrom("mcp_clients").selectAll().execute(),
    world().log,
  ]);
  expect(rows).not.toMatch(/at-[0-9a-f]|rt-[0-9a-f]/);
});

test("kay registers once, even if several users connect at the same time at several nodes, with a secret if the server issues one", async () => {
  login = mcpLogin({ secrets: true });
  const other = createWorld({ ...world().ports });
  const begun = await Promise.all([begin(), begin(), begin(other), begin(other)]);
  expect(begun.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(login.state.registrations).toBe(1);
  expect((await back(login.consent(begun[2]?.link ?? ""))).status).toBe(200);
  expect((await back(login.consent(begun[0]?.link ?? ""), other)).status).toBe(200);
  const { session } = await connectService();
  const { token } = await getServiceAccess(world().ports, deriveInstallationId(session), "notes");
  await getServiceAccess(world().ports, deriveInstallationId(session), "notes", { rejected: token });
  expect([login.state.registrations, login.state.faults]).toEqual([1, []]);
  const [row] = await world().ports.db.selectFrom("mcp_clients").selectAll().execute();
  expect(Buffer.from(row?.sealed ?? "").toString("latin1")).not.toContain("client-1");
  await other.backend.close();
});

test("a server that has forgotten kay ends the connection when it says so, and the next consent begins with a new registration", async () => {
  const { session } = await connectService();
  const { token } = await getServiceAccess(world().ports, deriveInstallationId(session), "notes");
  login.forgetClients();
  await expect(
    getServiceAccess(world().ports, deriveInstallationId(session), "notes", { rejected: token }),
  ).rejects.toMatchObject({
    code: "AUTH_REQUIRED",
    details: { integrations: ["notes"] },
  });
  const again = await connectService(session);
  expect([again.status.status, login.state.registrations]).toEqual(["completed", 2]);
});

test("a server that forgot kay and only shows an error page is registered with again after two unused links", async () => {
  const { session } = await connectService();
  login.forgetClients();
  for (const _ of [1, 2]) {
    world().clock.advance(1_000);
    const { link } = await begin(world(), session);
    expect(() => login.consent(link)).toThrow("refuses");
  }
  expect((await connectService(session)).status.status).toBe("completed");
});

test("disconnecting revokes the tokens at the server", async () => {
  const { session } = await connectService();
  expect(login.refresh.size).toBe(1);
  await world().call("POST /connections/disconnect?service=notes", { body: { session_id: session } });
  expect([login.refresh.size, login.access.size]).toEqual([0, 0]);
});

test("a response of another authorization server, or of an unnamed one, connects nothing and shows none of its text", async () => {
  for (const change of [
    (url: URL) => url.searchParams.set("iss", "https://evil.example.test"),
    (url: URL) => url.searchParams.delete("iss"),
    (url: URL) => url.searchParams.append("iss", LOGIN),
    (url: URL) => {
      url.searchParams.set("iss", "https://evil.example.test");
      url.searchParams.set("error", "access_denied");
      url.searchParams.set("error_description", "call 555-0100");
    },
  ]) {
    const begun = await begin();
    const url = login.consent(begun.link);
    change(url);
    const page = await back(url);
    expect([page.status, page.text.includes("555")]).toEqual([400, false]);
    expect((await world().call(`GET /auth/status/${begun.body.state}`)).body).toMatchObject({
      status: "failed",
      message: "Authorization failed: the answer came from another authorization server",
    });
  }
  expect(login.seen.filter((url) => url.endsWith("/token"))).toEqual([]);
});

test("documents that lead elsewhere are refused: plain http, this machine, other names, javascript:, no PKCE, no authorization server", async () => {
  const words = "Could not determine how to sign in to Notes:";
  const createRefusal = (why: string) => [502, "SERVICE_FAILED", `${words} ${why}.`];
  const nowhere = createRefusal("it names no authorization server that kay trusts");
  const endpoints = createRefusal("its authorization server names endpoints that kay does not trust");
  for (const server of [
    "http://login.example.test",
    "http://127.0.0.1:9",
    "https://localhost/x",
    "file:///etc/passwd",
    "https://u:p@x.test",
  ])
    expect(await readError({ resource: { authorization_servers: [server] } })).toEqual(nowhere);
  expect(await readError({ resource: { resource: "https://bank.example.test/mcp" } })).toEqual(
    createRefusal("its metadata describes another resource"),
  );
  expect(await readError({ resource: { resource: "https://notes.example.test/mc" } })).toEqual(
    createRefusal("its metadata describes another resource"),
  );
  expect(await readError({ metadata: { issuer: "https://login.example.test/t2" } })).toEqual(
    createRefusal("the metadata at login.example.test belongs to another authorization server"),
  );
  for (const bad of [
    "javascript:alert(1)",
    "http://login.example.test/authorize",
    "https://127.0.0.1/authorize",
    7,
    undefined,
  ])
    expect(await readError({ metadata: { authorization_endpoint: bad } })).toEqual(endpoints);
  expect(await readError({ metadata: { token_endpoint: "http://169.254.169.254/latest" } })).toEqual(endpoints);
  for (const methods of [undefined, ["plain"], "S256"])
    expect(await readError({ metadata: { code_challenge_methods_supported: methods } })).toEqual(
      createRefusal("its authorization server does not announce PKCE with S256"),
    );
  await world().ports.db.deleteFrom("mcp_clients").execute();
  expect(await readError({ metadata: { registration_endpoint: undefined } })).toEqual([
    502,
    "SERVICE_FAILED",
    "login.example.test, the sign-in of Notes, does not register clients automatically.",
  ]);
});

test("the metadata is read where the server says, if it is about this server", async () => {
  const place = "https://documents.example.test/notes";
  const otherLogin = mcpLogin({ challenge: place });
  let resource: object = { resource: NOTES, authorization_servers: [LOGIN] };
  login = {
    ...otherLogin,
    fetch: async (url, init) => (url === place ? Response.json(resource) : otherLogin.fetch(url, init)),
  };
  expect((await connectService()).status).toMatchObject({ status: "completed" });
  expect(otherLogin.seen.filter((url) => url.includes("oauth-protected-resource"))).toEqual([]);
  resource = { resource: "https://bank.example.test/mcp", authorization_servers: [LOGIN] };
  expect((await begin()).body.message).toContain("its metadata describes another resource");
});

test("a server that publishes nothing has the default endpoints of 2025-03-26, with PKCE and resource", async () => {
  const { origin } = new URL(NOTES);
  const otherLogin = mcpLogin({ login: origin });
  const publishNothing =
    (fetch: Fetch): Fetch =>
    async (url, init) =>
      url.includes("/.well-known/") ? new Response(null, { status: 404 }) : fetch(url, init);
  login = { ...otherLogin, fetch: publishNothing(otherLogin.fetch) };
  expect((await connectService()).status).toMatchObject({ status: "completed" });
  expect(otherLogin.state).toMatchObject({ registrations: 1, faults: [] });
  for (const answer of [
    new Response(null, { status: 404 }),
    Response.json({ welcome: "ann" }),
    new Response("<html>"),
  ]) {
    await world().ports.db.deleteFrom("mcp_clients").execute();
    login = {
      ...otherLogin,
      fetch: publishNothing(async (url, init) => (url === NOTES ? otherLogin.fetch(url, init) : answer.clone())),
    };
    expect((await begin()).body.message).toBe(
      "Could not determine how to sign in to Notes: notes.example.test does not publish authorization server metadata.",
    );
  }
});

// https://github.com/modelcontextprotocol/typescript-sdk/pull/2785: gateways and proxies before the server
test.each<[string, () => Response]>([
  ["HTTP 500", () => new Response("Internal Server Error", { status: 500 })],
  ["HTTP 429", () => new Response(null, { status: 429 })],
  ["HTTP 401", () => new Response(null, { status: 401 })],
  ["a document about something else", () => Response.json({ detail: "Not Found" })],
])("a server that answers with %s for an unknown address is asked at the next one", async (_, answer) => {
  const otherLogin = mcpLogin();
  const move = (url: string): string | undefined => {
    if (url === "https://notes.example.test/.well-known/oauth-protected-resource") return `${url}/mcp`;
    if (url === `${LOGIN}/.well-known/openid-configuration`)
      return "https://login.example.test/.well-known/oauth-authorization-server/t1";
    return url.includes("/.well-known/") ? undefined : url;
  };
  login = {
    ...otherLogin,
    fetch: async (url, init) => {
      const target = move(String(url));
      return target === undefined ? answer() : otherLogin.fetch(target, init);
    },
  };
  expect((await connectService()).status).toMatchObject({ status: "completed" });
});

test("redirects and oversized documents are not read", async () => {
  const answers: [() => Response, string][] = [
    [
      () => Response.redirect("https://evil.example.test/", 302),
      "login.example.test does not publish authorization server metadata",
    ],
    [() => new Response("x".repeat(200_000)), "too large"],
    [() => new Response(null, { status: 503 }), "login.example.test does not answer at the moment (HTTP 503)"],
  ];
  for (const [answer, why] of answers) {
    const otherLogin = mcpLogin();
    login = {
      ...otherLogin,
      fetch: async (url, init) =>
        url.includes("/.well-known/oauth-authorization-server") ? answer() : otherLogin.fetch(url, init),
    };
    const { body } = await begin();
    expect(body.message).toContain(why);
    expect(otherLogin.seen.filter((url) => url.includes("evil"))).toEqual([]);
  }
});

test("a public server leads to no internal address, even on a user's own machine; an internal one may", async () => {
  const inside: Fetch = async () => {
    throw new Error("nothing inside is reached");
  };
  const localBackend = createWorld({ ...world().ports, fetch: inside, localSecret: "s" });
  const headers = { "kay-local-secret": "s" };
  const answer = await localBackend.call("POST /connections/connect?service=notes", { body: {}, headers });
  expect(answer.status).toBe(200);
  await localBackend.backend.close();
});

test("a client registered by hand is used, and a server that accepts documents gets the URL of kay's", async () => {
  const by = (more: object, publicUrl = "https://kay.example.test") =>
    createWorld({ ...world().ports, publicUrl, services: [{ ...notes(), ...more }] });
  const given = by({ discovers: { server: NOTES, client: { id: "mine" } } });
  const first = new URL((await begin(given)).link).searchParams;
  expect(first.get("client_id")).toBe("mine");
  login = mcpLogin({ metadata: { client_id_metadata_document_supported: true } });
  const documents = by({});
  const second = new URL((await begin(documents)).link).searchParams;
  expect(second.get("client_id")).toBe("https://kay.example.test/auth/client");
  expect((await documents.call("GET /auth/client")).body).toEqual({
    client_id: "https://kay.example.test/auth/client",
    client_name: "kay",
    redirect_uris: ["https://kay.example.test/auth/callback"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    application_type: "web",
  });
  expect(login.state.registrations).toBe(0);
  await given.backend.close();
  await documents.backend.close();
});

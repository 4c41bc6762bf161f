import { expect, test } from "vitest";
import { createWorld, NOON, useBackend } from "#test/backend";
import { begin } from "#test/consent";

const world = useBackend();

const connectTo = (service: string, body?: object | string) =>
  world().call(`POST /connections/connect?service=${service}`, { body });

test("connect without a body creates an installation and answers in the guide's words", async () => {
  const { status, body } = await connectTo("jira");
  expect([status, body]).toEqual([
    200,
    {
      service: "jira",
      session_id: expect.stringMatching(new RegExp(`^kaysession_${NOON}_[0-9a-f]{32}$`)),
      authorization_url: expect.stringMatching(/^https:\/\/auth\.atlassian\.com\/authorize\?/),
      state: expect.stringMatching(/^[0-9a-f]{64}$/),
      message: "Please visit the authorization URL to connect jira",
      expires_at: new Date(NOON + 600_000).toISOString(),
    },
  ]);
});

test("connect keeps an existing session ID", async () => {
  const { session } = await begin(world());
  const { body } = await connectTo("confluence", { session_id: session });
  expect(body.session_id).toBe(session);
  expect(body).not.toHaveProperty("session_reset");
  expect(body.message).toBe("Please visit the authorization URL to connect confluence");
});

test("connect with an unknown session ID creates a new one and says so", async () => {
  for (const session_id of ["kaysession_1234567890_abc123", "nonsense", "kaysession_\u0000"]) {
    const { status, body } = await connectTo("jira", { session_id });
    expect(status).toBe(200);
    expect(body.session_id).not.toBe(session_id);
    expect(body).toMatchObject({
      session_reset: true,
      message: "New session created. Please visit the authorization URL to connect jira",
    });
  }
});

test("an empty or null session ID counts as none", async () => {
  for (const session_id of ["", null])
    expect((await connectTo("jira", { session_id })).body).not.toHaveProperty("session_reset");
});

test("V07 the authorization URLs of jira and confluence request offline access and consent, scopes encoded with %20", async () => {
  for (const service of ["jira", "confluence"]) {
    const { body } = await connectTo(service);
    const url = new URL(String(body.authorization_url));
    const parameters = Object.fromEntries(url.searchParams);
    expect(parameters).toEqual({
      audience: "api.atlassian.com",
      prompt: "consent",
      response_type: "code",
      client_id: "atlassian-client",
      redirect_uri: "http://127.0.0.1:4000/auth/callback",
      scope: expect.stringMatching(/(^| )offline_access( |$)/),
      state: body.state,
    });
    expect(url.search).toContain("%20offline_access");
    expect(url.search).not.toContain("+");
  }
});

test("V07 the authorization URL of bitbucket", async () => {
  const { body } = await connectTo("bitbucket");
  expect(body.authorization_url).toBe(
    "https://bitbucket.org/site/oauth2/authorize?response_type=code&client_id=bitbucket-client" +
      "&redirect_uri=http%3A%2F%2F127.0.0.1%3A4000%2Fauth%2Fcallback&scope=account%20repository%20pullrequest%20pullrequest%3Awrite" +
      `&state=${body.state}`,
  );
});

test("V07 the authorization URLs of Google's services request offline access and consent, with an S256 challenge", async () => {
  for (const [service, scope] of [
    ["gmail", "gmail.modify"],
    ["google-calendar", "calendar.events"],
    ["google-docs", "documents"],
    ["google-sheets", "spreadsheets"],
    ["google-drive", "drive"],
  ]) {
    const { body } = await connectTo(service ?? "");
    const url = new URL(String(body.authorization_url));
    expect([url.origin + url.pathname, Object.fromEntries(url.searchParams)]).toEqual([
      "https://accounts.google.com/o/oauth2/v2/auth",
      {
        access_type: "offline",
        prompt: "consent",
        response_type: "code",
        client_id: "google-client",
        redirect_uri: "http://127.0.0.1:4000/auth/callback",
        scope: expect.stringContaining(`openid email profile https://www.googleapis.com/auth/${scope}`),
        state: body.state,
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: "S256",
      },
    ]);
    expect(url.search).toContain("openid%20email%20profile%20https%3A%2F%2Fwww.googleapis.com%2Fauth%2F");
    expect(String(body.state)).toMatch(/^[0-9a-f]{64}$/);
  }
});

test("an unknown service is refused with the existing services and the nearest name", async () => {
  const { status, body } = await connectTo("jria");
  expect([status, body]).toEqual([
    400,
    {
      error: "UNKNOWN_SERVICE",
      code: "UNKNOWN_SERVICE",
      message:
        'Unknown service "jria". Did you mean jira? The services are jira, confluence, bitbucket, slack, github, gmail, google-calendar, google-docs, google-sheets, google-drive, notion, airtable, hubspot, linkedin, kyg.',
      services: [
        "jira",
        "confluence",
        "bitbucket",
        "slack",
        "github",
        "gmail",
        "google-calendar",
        "google-docs",
        "google-sheets",
        "google-drive",
        "notion",
        "airtable",
        "hubspot",
        "linkedin",
        "kyg",
      ],
      nearest: "jira",
    },
  ]);
  expect((await connectTo("salesforce-marketing-cloud")).body).not.toHaveProperty("nearest");
  const { message } = (await connectTo("%1b%5b31m%E2%80%AEx")).body;
  expect(message).toMatch(/^Unknown service "[ -~]*x"\./);
});

test("connect without a service lists the services", async () => {
  expect(await world().call("POST /connections/connect")).toMatchObject({
    status: 400,
    body: {
      code: "INVALID_REQUEST",
      message:
        "Name the service in ?service=, one of jira, confluence, bitbucket, slack, github, gmail, google-calendar, google-docs, google-sheets, google-drive, notion, airtable, hubspot, linkedin, kyg.",
    },
  });
});

test("a service without a client says how to configure it, and creates nothing", async () => {
  const { status, body } = await connectTo("kyg");
  expect([status, body]).toEqual([
    409,
    {
      error: "SERVICE_NOT_CONFIGURED",
      code: "SERVICE_NOT_CONFIGURED",
      hint: "With the local backend, set kyg.client-id, kyg.client-secret, kyg.authorize-url, kyg.token-url, kyg.api-url with `kay config set`.",
      message:
        "kyg is not configured on this backend. Its administrator must set KAY_CLIENT_KYG_ID, KAY_CLIENT_KYG_SECRET, KAY_KYG_AUTHORIZE_URL, KAY_KYG_TOKEN_URL, KAY_KYG_API_URL.",
      service: "kyg",
    },
  ]);
});

test("invalid bodies are INVALID_REQUEST in one sentence", async () => {
  const cases: [string | object, string][] = [
    ["{", "The body is not valid JSON."],
    ["[]", "The request is not valid: the body must be an object."],
    ["7", "The request is not valid: the body must be an object."],
    [{ session_id: 7 }, "The request is not valid: session_id must be a string."],
    [{ needs_tokens: "yes" }, "The request is not valid: needs_tokens must be a boolean."],
  ];
  for (const [body, message] of cases) {
    expect(await connectTo("jira", body)).toMatchObject({ status: 400, body: { code: "INVALID_REQUEST", message } });
  }
  expect(await connectTo("jira", { code_challenge: "short" })).toMatchObject({
    status: 400,
    body: { code: "INVALID_REQUEST" },
  });
});

test("PKCE is used with a provider that supports it, with a separate challenge", async () => {
  const [jira] = world().ports.services;
  if (!jira) throw new Error("no services");
  const service = { ...jira.service, oauth: { ...jira.service.oauth, pkce: true } };
  const other = createWorld({ db: world().ports.db, node: world().ports.node, services: [{ ...jira, service }] });
  const urls = [];
  for (const _ of [1, 2]) {
    const { body } = await other.call("POST /connections/connect?service=jira");
    urls.push(Object.fromEntries(new URL(String(body.authorization_url)).searchParams));
  }
  for (const url of urls) {
    expect(url).toMatchObject({ code_challenge: expect.stringMatching(/^[\w-]{43}$/), code_challenge_method: "S256" });
  }
  expect(urls[0]?.code_challenge).not.toBe(urls[1]?.code_challenge);
});

import { expect, test } from "vitest";
import { deriveInstallationId } from "#backend/accounts/sessions";
import { createWorld, useBackend } from "#test/backend";
import { ATLASSIAN_TOKEN, begin, callback, expectAtlassian } from "#test/consent";
import { json } from "#test/outside";

const world = useBackend();
const readStatus = async (state: string) => (await world().call(`GET /auth/status/${state}`)).body;

test("A17 only the first callback of a state exchanges a code; second, forged and incomplete ones change nothing", async () => {
  const { state } = await begin(world());
  expectAtlassian(world());
  expect((await callback(world(), state, "C1")).status).toBe(200);
  const queries = [
    `code=C2&state=${state}`,
    "code=C3&state=UNKNOWN",
    `code=C3&state=${"0".repeat(64)}`,
    "code=C4",
    `code=C5&state=${state}%00`,
    `code=C6&state=${state}&state=${state}`,
    `state=${state}`,
    "",
    `error=access_denied&state=${state}`,
    "error=access_denied",
  ];
  for (const query of queries)
    expect([query, (await world().call(`GET /auth/callback?${query}`)).status]).toEqual([query, 400]);
  const exchanges = world().outside.sent.filter((request) => request.method === "POST");
  expect(exchanges.map((request) => new URLSearchParams(request.body).get("code"))).toEqual(["C1"]);
  expect(await readStatus(state)).toMatchObject({ status: "completed" });
  expect(world().log.join("")).not.toMatch(/\bC[1-6]\b/);
  expect(world().log.filter((line) => line.includes("callback.rejected"))).toHaveLength(queries.length);
});

test("A17 twelve concurrent callbacks exchange one code", async () => {
  const { state } = await begin(world());
  expectAtlassian(world());
  const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => callback(world(), state, `C${index}`)));
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(11).fill(400)]);
});

test("A17 an incomplete callback leaves the state to the real one", async () => {
  const { state } = await begin(world());
  expect((await world().call(`GET /auth/callback?state=${state}`)).status).toBe(400);
  expectAtlassian(world());
  expect((await callback(world(), state)).status).toBe(200);
});

test("A18 nothing in the query becomes markup, and the page cannot load, run or leak anything", async () => {
  const { state } = await begin(world());
  const evil = "error=x%22%3E%3Cscript%3Ealert(1)%3C/script%3E&error_description=%3Cimg%20src=x%20onerror=alert(1)%3E";
  const page = await world().call(`GET /auth/callback?${evil}&state=${state}`);
  expect(page.status).toBe(400);
  expect(page.text).not.toMatch(/<script|<img/i);
  expect(Object.fromEntries(page.headers)).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "x-content-type-options": "nosniff",
    "content-security-policy": expect.stringMatching(/^default-src 'none'; style-src 'sha256-[\w+/]+=*'; /),
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
  });
  expect(await readStatus(state)).toEqual({
    status: "failed",
    message: "Authorization failed: img src=x onerror=alert(1)",
  });
});

test("A18 names from the provider are escaped on the page too", async () => {
  const { state } = await begin(world());
  expectAtlassian(world(), { account: { account_id: "1", name: `<script>alert("1")</script>&'` } });
  const page = await callback(world(), state);
  expect(page.text).not.toContain("<script");
  expect(page.text).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;");
});

test("the page names the service, the account and the site, and sends the user back to the terminal", async () => {
  const { state } = await begin(world());
  expectAtlassian(world());
  const { text } = await callback(world(), state);
  for (const part of [
    "Jira is connected",
    "Ann Example",
    ">main.example.test<",
    "You can close this tab and go back to the terminal.",
  ]) {
    expect(text).toContain(part);
  }
});

test("the exchange sends what RFC 6749 requires, with the exact redirect URI, and follows no redirect", async () => {
  const { state } = await begin(world());
  expectAtlassian(world());
  await callback(world(), state, "a%20code%2F%2B");
  const [request] = world().outside.sent;
  expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
    grant_type: "authorization_code",
    code: "a code/+",
    redirect_uri: "http://127.0.0.1:4000/auth/callback",
    client_id: "atlassian-client",
    client_secret: "atlassian-secret",
  });
  expect(request?.headers.get("accept")).toBe("application/json");
  expect(request?.init.redirect).toBe("manual");
});

test("the exchange has the verifier of the challenge in the URL", async () => {
  const [jira] = world().ports.services;
  if (!jira) throw new Error("no services");
  const service = {
    ...jira.service,
    oauth: { ...jira.service.oauth, pkce: true, clientAuth: "client_secret_basic" as const },
  };
  const other = createWorld({ db: world().ports.db, node: world().ports.node, services: [{ ...jira, service }] });
  const begun = (await other.call("POST /connections/connect?service=jira")).body;
  expectAtlassian(other);
  await callback(other, String(begun.state));
  const [request] = other.outside.sent;
  const verifier = new URLSearchParams(request?.body).get("code_verifier") ?? "";
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  const challenge = new URL(String(begun.authorization_url)).searchParams.get("code_challenge");
  expect(Buffer.from(digest).toString("base64url")).toBe(challenge);
  expect(request?.headers.get("authorization")).toBe(`Basic ${btoa("atlassian-client:atlassian-secret")}`);
  other.outside.settled();
});

test("a denial is reported as such, at once", async () => {
  const { state } = await begin(world());
  const page = await world().call(`GET /auth/callback?error=access_denied&error_description=no&state=${state}`);
  expect(page.status).toBe(200);
  expect(page.text).toContain("Jira was not connected");
  expect(await readStatus(state)).toEqual({ status: "denied", message: "Authorization was denied" });
  expect((await callback(world(), state)).status).toBe(400);
});

const FAILURES: [
  name: string,
  answer: Parameters<ReturnType<typeof world>["outside"]["expect"]>[1],
  message: string,
][] = [
  [
    "V14 a 200 with a form-encoded error",
    () =>
      new Response("error=bad_verification_code&error_description=The+code+passed+is+incorrect", {
        headers: { "content-type": "application/x-www-form-urlencoded" },
      }),
    "Jira refused the sign-in: The code passed is incorrect.",
  ],
  [
    "V14 a 200 with a JSON error",
    json({ error: "bad_verification_code", error_description: "The code passed is incorrect or expired." }),
    "Jira refused the sign-in: The code passed is incorrect or expired.",
  ],
  ["V14 a 200 without any token", json({ ok: true }), "Jira returned an unexpected response to the sign-in."],
  ["V14 a 200 with an empty token", json({ access_token: "" }), "Jira returned an unexpected response to the sign-in."],
  [
    "V14 a 200 with a token that is no text",
    json({ access_token: 7 }),
    "Jira returned an unexpected response to the sign-in.",
  ],
  ["a 200 with HTML", () => new Response("<h1>Hello</h1>"), "Jira returned an unexpected response to the sign-in."],
  ["a 400 with an error", json({ error: "invalid_grant" }, 400), "Jira refused the sign-in: invalid_grant."],
  ["a 401 with HTML", () => new Response("<html>", { status: 401 }), "Jira refused the sign-in: HTTP 401."],
  ["a 503", () => new Response("", { status: 503 }), "Jira failed during the sign-in (HTTP 503)."],
  [
    "a redirect",
    () => new Response(null, { status: 302, headers: { location: "https://evil.example.test/" } }),
    "Jira failed during the sign-in (HTTP 302).",
  ],
  ["a busy endpoint", json({}, 429), "Jira is receiving too many requests."],
  [
    "a broken connection",
    () => {
      throw new TypeError("fetch failed");
    },
    "Jira could not be reached to sign in.",
  ],
];

for (const [name, answer, message] of FAILURES) {
  test(`${name} from the token endpoint fails the state with a sentence and stores nothing`, async () => {
    const { session, state } = await begin(world());
    world().outside.expect(ATLASSIAN_TOKEN, answer);
    const page = await callback(world(), state);
    expect([page.status, page.text.includes("Jira was not connected")]).toEqual([502, true]);
    expect(await readStatus(state)).toEqual({ status: "failed", code: "SERVICE_FAILED", message });
    const grants = await world()
      .ports.db.selectFrom("grants")
      .where("installation_id", "=", deriveInstallationId(session))
      .selectAll()
      .execute();
    expect(grants).toEqual([]);
  });
}

test("V14 a form-encoded success is read, with or without a token type", async () => {
  for (const form of ["access_token=gho_x&scope=repo%2Cgist&token_type=bearer", "access_token=gho_x&expires_in=3600"]) {
    const { state, session } = await begin(world());
    expectAtlassian(world(), { tokens: {} });
    world().outside.sent.length = 0;
    const { outside } = world();
    const json = outside.fetch;
    world().ports.fetch = async (url, init) => {
      const answer = await json(url, init);
      return url.endsWith("/oauth/token") ? new Response(form) : answer;
    };
    expect((await callback(world(), state)).status).toBe(200);
    expect(outside.sent.at(-1)?.headers.get("authorization")).toBe("Bearer gho_x");
    expect((await world().call(`GET /connections?session_id=${session}`)).body).toMatchObject({
      connections: { jira: { connected: true } },
    });
    world().ports.fetch = json;
  }
});

test("a service that does not identify the account fails the state", async () => {
  const { state } = await begin(world());
  world().outside.expect(ATLASSIAN_TOKEN, json({ access_token: "a", token_type: "bearer" }));
  world().outside.expect(
    "GET https://api.atlassian.com/oauth/token/accessible-resources",
    json({ message: "no" }, 401),
  );
  await callback(world(), state);
  expect(await readStatus(state)).toMatchObject({ status: "failed" });
});

test("V05 an account without a site says what to do, on the page and in the status", async () => {
  const { state } = await begin(world());
  world().outside.expect(ATLASSIAN_TOKEN, json({ access_token: "a", token_type: "bearer" }));
  world().outside.expect("GET https://api.atlassian.com/oauth/token/accessible-resources", json([]));
  world().outside.expect("GET https://api.atlassian.com/me", json({ account_id: "a" }));
  const { text } = await callback(world(), state);
  const message = "This Atlassian account has no site with Jira.";
  const hint = "Connect again and choose a site on the consent page, or use another account.";
  expect(text).toContain(`${message} ${hint}`);
  expect(await readStatus(state)).toEqual({ status: "failed", code: "SERVICE_FAILED", message, hint });
});

test("an internal error ends the state without showing details", async () => {
  const [jira] = world().ports.services;
  if (!jira) throw new Error("no services");
  const identify = () => Promise.reject(new RangeError("a detail of the inside"));
  const other = createWorld({
    db: world().ports.db,
    node: world().ports.node,
    services: [{ ...jira, service: { ...jira.service, identify } }],
  });
  const { state } = await begin(other);
  other.outside.expect(ATLASSIAN_TOKEN, json({ access_token: "a" }));
  const page = await callback(other, state);
  expect([page.status, await readStatus(state)]).toEqual([
    500,
    { status: "failed", code: "INTERNAL", message: "Something went wrong inside kay." },
  ]);
  expect(page.text).not.toContain("detail");
  expect(other.log.join("")).toContain("a detail of the inside");
});

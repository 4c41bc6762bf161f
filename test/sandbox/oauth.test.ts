import { createHash } from "node:crypto";
import * as oauth from "oauth4webapi";
import { expect, test } from "vitest";
import { ATLASSIAN, BITBUCKET, DANA, REDIRECT, sandbox } from "./stand-in.ts";

const SCOPE = "read:jira-work read:me offline_access";
const VERIFIER = "a".repeat(43);
const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url");

function readForm(page: string): URLSearchParams {
  const ticket = /name="ticket" value="([^"]+)"/.exec(page)?.[1] ?? "";
  const account = /name="account" value="([^"]+)" checked/.exec(page)?.[1] ?? "";
  return new URLSearchParams({ ticket, account });
}

test("the consent page names the app, the service, the scopes in words and both accounts, and has no script", async () => {
  const { ask, authorizeUrl } = sandbox();
  const page = await ask("atlassian", authorizeUrl("atlassian", SCOPE));
  expect(page.status).toBe(200);
  expect(page.text).not.toContain("<script");
  for (const words of [
    "sandbox",
    "kay</b> asks to use Jira at Atlassian",
    "See Jira projects",
    "Dana Demo",
    "Sam Sample",
    "Deny",
    "Allow",
  ]) {
    expect(page.text).toContain(words);
  }
  expect(page.headers.get("content-security-policy")).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' http:\/\/127\.0\.0\.1:4000; frame-ancestors 'none'; base-uri 'none'$/,
  );
  expect(page.headers.get("x-content-type-options")).toBe("nosniff");
});

test("Allow sends the browser back with the state and a code that opens the API", async () => {
  const { ask, authorizeUrl, exchange } = sandbox();
  const page = await ask("atlassian", authorizeUrl("atlassian", SCOPE));
  const form = readForm(page.text);
  form.set("decision", "allow");
  const answer = await ask("atlassian", "/authorize", { method: "POST", body: form, headers: { origin: ATLASSIAN } });
  expect(answer.status).toBe(303);
  const location = new URL(answer.headers.get("location") ?? "");
  expect(location.origin + location.pathname).toBe(REDIRECT);
  expect(location.searchParams.get("state")).toBe("s1");
  const code = location.searchParams.get("code") ?? "";
  const { body } = await exchange("atlassian", { grant_type: "authorization_code", code, redirect_uri: REDIRECT });
  expect(body).toEqual({
    access_token: expect.any(String),
    refresh_token: expect.any(String),
    expires_in: 3600,
    token_type: "Bearer",
    scope: SCOPE,
  });
  expect((await ask("atlassian", "/me", { token: body.access_token })).body.account_id).toBe(DANA);
});

test("Deny sends the browser back with access_denied and gives no code", async () => {
  const { ask, authorizeUrl } = sandbox();
  const form = readForm((await ask("atlassian", authorizeUrl("atlassian", SCOPE))).text);
  form.set("decision", "deny");
  const answer = await ask("atlassian", "/authorize", { method: "POST", body: form });
  expect(answer.headers.get("location")).toBe(
    `${REDIRECT}?error=access_denied&error_description=User+did+not+authorize+the+request&state=s1`,
  );
});

test("the consent form works once, only with its ticket, only for ten minutes and never from another site", async () => {
  const { ask, authorizeUrl, later } = sandbox();
  const fresh = async () => {
    const form = readForm((await ask("atlassian", authorizeUrl("atlassian", SCOPE))).text);
    form.set("decision", "allow");
    return form;
  };
  const post = (body: URLSearchParams, headers: Record<string, string> = {}) =>
    ask("atlassian", "/authorize", { method: "POST", body, headers });
  const form = await fresh();
  expect((await post(form, { origin: "https://evil.example" })).status).toBe(403);
  expect((await post(form)).status).toBe(303);
  expect((await post(form)).status).toBe(403);
  expect((await post(new URLSearchParams({ decision: "allow", account: DANA }))).status).toBe(403);
  const stale = await fresh();
  later(600_000);
  expect((await post(stale)).status).toBe(403);
});

test.each([
  ["an unknown client", { client_id: "nobody" }],
  ["a redirect address on another machine", { redirect_uri: "https://evil.example/callback" }],
  ["a redirect address that only begins like this machine", { redirect_uri: "http://127.0.0.1.evil.example/callback" }],
  ["a redirect address with a user name", { redirect_uri: "http://127.0.0.1:1@evil.example/" }],
  ["a redirect address with a fragment", { redirect_uri: `${REDIRECT}#here` }],
  ["a redirect address of another kind", { redirect_uri: "javascript:alert(1)" }],
])("%s gets an error page and is never redirected to", async (_, more) => {
  const { ask, authorizeUrl } = sandbox();
  const answer = await ask("atlassian", authorizeUrl("atlassian", SCOPE, more));
  expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
});

test.each([
  ["unsupported_response_type", { response_type: "token" }],
  ["invalid_request", { audience: "api.example.com" }],
  ["invalid_scope", { scope: "read:everything" }],
  ["invalid_request", { code_challenge: CHALLENGE, code_challenge_method: "plain" }],
])("a request that cannot be granted is reported to the client as %s", async (error, more) => {
  const { ask, authorizeUrl } = sandbox();
  const answer = await ask("atlassian", authorizeUrl("atlassian", SCOPE, more));
  const { searchParams } = new URL(answer.headers.get("location") ?? "");
  expect([answer.status, searchParams.get("error"), searchParams.get("state")]).toEqual([302, error, "s1"]);
});

test("hostile text in a request never becomes markup", async () => {
  const { ask, authorizeUrl } = sandbox({
    seed: {
      atlassian: {
        accounts: [{ accountId: "a1", displayName: "<script>alert(1)</script>", emailAddress: '"><img src=x>' }],
        sites: [],
      },
    },
  });
  const page = await ask("atlassian", authorizeUrl("atlassian", SCOPE, { state: "<script>" }));
  expect(page.text).not.toMatch(/<script|<img/);
});

test("a code works once; using it again revokes its tokens", async () => {
  const { ask, code, exchange } = sandbox();
  const parameters = { grant_type: "authorization_code", code: await code("atlassian", SCOPE), redirect_uri: REDIRECT };
  const first = await exchange("atlassian", parameters);
  const second = await exchange("atlassian", parameters);
  expect([second.status, second.body]).toEqual([
    400,
    { error: "invalid_request", error_description: "authorization_code is invalid" },
  ]);
  expect((await ask("atlassian", "/me", { token: first.body.access_token })).status).toBe(401);
  const refreshed = await exchange("atlassian", {
    grant_type: "refresh_token",
    refresh_token: first.body.refresh_token,
  });
  expect(refreshed.status).toBe(403);
});

test("a code is valid for one minute and only for its redirect address, its client and its verifier", async () => {
  const { code, exchange, later, ask } = sandbox();
  const use = async (more: Record<string, string>, pkce: Record<string, string> = {}) => {
    const parameters = {
      grant_type: "authorization_code",
      code: await code("atlassian", SCOPE, undefined, pkce),
      redirect_uri: REDIRECT,
    };
    return (await exchange("atlassian", { ...parameters, ...more })).status;
  };
  const pkce = { code_challenge: CHALLENGE, code_challenge_method: "S256" };
  expect(await use({ redirect_uri: `${REDIRECT}/` })).toBe(400);
  expect(await use({}, pkce)).toBe(400);
  expect(await use({ code_verifier: "b".repeat(43) }, pkce)).toBe(400);
  expect(await use({ code_verifier: VERIFIER }, pkce)).toBe(200);
  const old = await code("atlassian", SCOPE);
  later(60_000);
  expect(
    (await exchange("atlassian", { grant_type: "authorization_code", code: old, redirect_uri: REDIRECT })).status,
  ).toBe(400);
  const stranger = await ask("atlassian", "/oauth/token", {
    method: "POST",
    json: { grant_type: "refresh_token", client_id: "x", client_secret: "y" },
  });
  expect([stranger.status, stranger.body]).toEqual([
    401,
    { error: "access_denied", error_description: "Unauthorized" },
  ]);
});

test("Atlassian rotates refresh tokens, and a spent one is refused in its words", async () => {
  const { tokens, exchange } = sandbox();
  const { refresh_token: first } = (await tokens("atlassian", SCOPE)).body;
  const second = await exchange("atlassian", { grant_type: "refresh_token", refresh_token: first });
  expect([second.status, second.body.refresh_token !== first, second.body.scope]).toEqual([200, true, SCOPE]);
  const reused = await exchange("atlassian", { grant_type: "refresh_token", refresh_token: first });
  expect([reused.status, reused.body]).toEqual([
    403,
    { error: "unauthorized_client", error_description: "refresh_token is invalid" },
  ]);
  expect(
    (await exchange("atlassian", { grant_type: "refresh_token", refresh_token: second.body.refresh_token })).status,
  ).toBe(200);
});

test("without offline_access Atlassian returns no refresh token", async () => {
  const { tokens } = sandbox();
  expect((await tokens("atlassian", "read:jira-work")).body).toEqual({
    access_token: expect.any(String),
    expires_in: 3600,
    token_type: "Bearer",
    scope: "read:jira-work",
  });
});

test("an access token is valid for an hour at Atlassian and two at Bitbucket", async () => {
  const { signIn, later } = sandbox();
  const [jira, bitbucket] = [await signIn("atlassian", SCOPE), await signIn("bitbucket", "account")];
  later(3_599_000);
  expect((await jira.call("/me")).status).toBe(200);
  later(1_000);
  expect(await jira.call("/me")).toMatchObject({ status: 401, body: { code: 401, message: "Unauthorized" } });
  expect((await bitbucket.call("/2.0/user")).status).toBe(200);
  later(3_600_000);
  expect(await bitbucket.call("/2.0/user")).toMatchObject({
    status: 401,
    body: { type: "error", error: { message: "Token is invalid, expired, or not supported for this endpoint." } },
  });
});

test("Bitbucket always returns a refresh token, and it stays", async () => {
  const { tokens, exchange } = sandbox();
  const first = await tokens("bitbucket", "account pullrequest:write");
  expect(first.body).toEqual({
    scopes: "account pullrequest:write",
    access_token: expect.any(String),
    expires_in: 7200,
    token_type: "bearer",
    state: "authorization_code",
    refresh_token: expect.any(String),
  });
  const { refresh_token } = first.body;
  const refreshed = await exchange("bitbucket", { grant_type: "refresh_token", refresh_token });
  expect([refreshed.status, refreshed.body.refresh_token, refreshed.body.state]).toEqual([
    200,
    refresh_token,
    "refresh_token",
  ]);
  expect((await exchange("bitbucket", { grant_type: "refresh_token", refresh_token })).status).toBe(200);
});

test("Bitbucket's token endpoint fails in its own words", async () => {
  const { ask, exchange } = sandbox();
  const bad = await exchange("bitbucket", { grant_type: "authorization_code", code: "none", redirect_uri: REDIRECT });
  expect([bad.status, bad.body]).toEqual([
    400,
    { error: "invalid_grant", error_description: "The specified code is not valid." },
  ]);
  const headers = { authorization: `Basic ${btoa("kay:wrong")}` };
  const stranger = await ask("bitbucket", "/site/oauth2/access_token", {
    method: "POST",
    headers,
    body: new URLSearchParams({ grant_type: "refresh_token" }),
  });
  expect(stranger.body).toEqual({
    error: "unauthorized_client",
    error_description: "Invalid OAuth client credentials",
  });
});

test.each(["atlassian", "bitbucket"] as const)("oauth4webapi signs in at %s and refreshes", async (name) => {
  const { clients, origins, ask, authorizeUrl } = sandbox();
  const base = name === "atlassian" ? ATLASSIAN : BITBUCKET;
  const path = name === "atlassian" ? "/oauth/token" : "/site/oauth2/access_token";
  const server = { issuer: base, token_endpoint: `${base}${path}` };
  const client = { client_id: clients[name].id };
  const auth = (name === "atlassian" ? oauth.ClientSecretPost : oauth.ClientSecretBasic)(clients[name].secret);
  const options = {
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: (url: string, init: object) =>
      origins[name](new Request(url, init as RequestInit), "127.0.0.1"),
  };
  const verifier = oauth.generateRandomCodeVerifier();
  const pkce = { code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256" };
  const scope = name === "atlassian" ? SCOPE : "account";
  const json = { authorization_url: authorizeUrl(name, scope, pkce), decision: "allow", account: "Sam Sample" };
  const consent = await ask(name, "/_sandbox/consent", { method: "POST", json });
  const parameters = oauth.validateAuthResponse(server, client, new URL(consent.body.redirect_url), "s1");
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    auth,
    parameters,
    REDIRECT,
    verifier,
    options,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer);
  const refresh = await oauth.refreshTokenGrantRequest(server, client, auth, tokens.refresh_token ?? "", options);
  const renewed = await oauth.processRefreshTokenResponse(server, client, refresh);
  expect([renewed.token_type, renewed.access_token !== tokens.access_token]).toEqual(["bearer", true]);
});

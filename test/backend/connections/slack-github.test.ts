import { expect, test } from "vitest";
import { parseTokenResponse } from "#backend/connections/tokens/token-answer";
import { configureServices } from "#connectors/catalogue";
import { createWorld, useBackend } from "#test/backend";
import { createOutside, json } from "#test/outside";

const base = useBackend();
const clients = { slack: { id: "s-id", secret: "s-secret" }, github: { id: "g-id", secret: "g-secret" } };

function createConnectWorld() {
  const outside = createOutside();
  const { db, node } = base().ports;
  const services = configureServices({ clients });
  const world = createWorld({ db, node, clock: base().clock, fetch: outside.fetch, services });
  const connect = async (service: string) =>
    (await world.call(`POST /connections/connect?service=${service}`, { body: {} })).body;
  const back = async (state: unknown) => {
    await world.call(`GET /auth/callback?code=c1&state=${state}`);
    outside.settled();
    return (await world.call(`GET /auth/status/${state}`)).body;
  };
  return { outside, world, connect, back };
}

test("V07 the authorization URL of slack requests a user's scopes, that of github PKCE", async () => {
  const { connect } = createConnectWorld();
  const slack = new URL(String((await connect("slack")).authorization_url));
  expect(slack.origin + slack.pathname).toBe("https://slack.com/oauth/v2/authorize");
  expect(slack.searchParams.get("scope")).toBeNull();
  expect(slack.searchParams.get("user_scope")).toMatch(/^channels:read,[a-z.:,]+$/);
  const github = new URL(String((await connect("github")).authorization_url));
  expect(github.origin + github.pathname).toBe("https://github.com/login/oauth/authorize");
  expect(Object.fromEntries(github.searchParams)).toMatchObject({
    scope: "repo read:user",
    code_challenge_method: "S256",
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    redirect_uri: "http://127.0.0.1:4000/auth/callback",
  });
  expect(github.search).toContain("scope=repo%20read%3Auser");
});

test("Slack's response provides the user's token, never the bot's beside it", async () => {
  const { outside, connect, back } = createConnectWorld();
  const { state } = await connect("slack");
  outside.expect("POST https://slack.com/api/oauth.v2.access", (request) => {
    expect(request.headers.get("authorization")).toBe(`Basic ${btoa("s-id:s-secret")}`);
    return Response.json({
      ok: true,
      access_token: "xoxb-bot",
      token_type: "bot",
      refresh_token: "xoxe-bot",
      scope: "commands",
      team: { id: "T1", name: "Acme" },
      authed_user: { id: "U1", scope: "chat:write", access_token: "xoxp-person", token_type: "user" },
    });
  });
  const asPerson = (answer: unknown) => (request: { headers: Headers }) => {
    expect(request.headers.get("authorization")).toBe("Bearer xoxp-person");
    return Response.json(answer);
  };
  const test = { ok: true, url: "https://acme.slack.com/", team: "Acme", user: "ann", team_id: "T1", user_id: "U1" };
  outside.expect("POST https://slack.com/api/auth.test", asPerson(test));
  outside.expect(
    "GET https://slack.com/api/users.info",
    asPerson({ ok: true, user: { id: "U1", name: "ann", real_name: "Ann" } }),
  );
  expect(await back(state)).toMatchObject({ status: "completed", account_id: "T1:U1" });
});

test("V10 a token endpoint that says ok: false ends the connection with its reason", async () => {
  const { outside, connect, back } = createConnectWorld();
  const { state } = await connect("slack");
  outside.expect("POST https://slack.com/api/oauth.v2.access", json({ ok: false, error: "invalid_code" }));
  expect(await back(state)).toMatchObject({ status: "failed", message: "Slack refused the sign-in: invalid_code." });
});

const REFUSED = "GitHub refused the sign-in: The code passed is incorrect.";

test.each([
  [
    "form data",
    "error=bad_verification_code&error_description=The+code+passed+is+incorrect",
    "application/x-www-form-urlencoded",
  ],
  [
    "JSON",
    JSON.stringify({ error: "bad_verification_code", error_description: "The code passed is incorrect." }),
    "application/json",
  ],
])("V14 GitHub's 200 with an error in %s ends the connection with the description", async (_, body, type) => {
  const { outside, connect, back } = createConnectWorld();
  const { state } = await connect("github");
  outside.expect("POST https://github.com/login/oauth/access_token", (request) => {
    expect(request.headers.get("accept")).toBe("application/json");
    return new Response(body, { headers: { "content-type": type } });
  });
  expect(await back(state)).toMatchObject({ status: "failed", message: REFUSED });
});

test("V14 GitHub's token is read from form data, and stays valid without a refresh token", async () => {
  const { outside, connect, back } = createConnectWorld();
  const { state } = await connect("github");
  const body = "access_token=gho_x&scope=repo%2Cgist&token_type=bearer";
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  outside.expect("POST https://github.com/login/oauth/access_token", () => new Response(body, { headers }));
  outside.expect("GET https://api.github.com/user", (request) => {
    expect(request.headers.get("authorization")).toBe("Bearer gho_x");
    return Response.json({ id: 7, login: "octocat" });
  });
  expect(await back(state)).toMatchObject({ status: "completed", account_id: "7" });
});

test("tokens of several kinds are never mixed; without the user's own, the top-level token counts", () => {
  const user = { id: "U1", access_token: "a", token_type: "user", refresh_token: "" };
  const mixed = JSON.stringify({ ok: true, access_token: "b", refresh_token: "bot", authed_user: user });
  expect(parseTokenResponse(200, mixed, "authed_user")).toEqual({
    kind: "tokens",
    fields: { ok: true, id: "U1", access_token: "a", token_type: "user" },
  });
  const refreshed = JSON.stringify({ ok: true, access_token: "c", token_type: "user", refresh_token: "r" });
  expect(parseTokenResponse(200, refreshed, "authed_user")).toMatchObject({
    fields: { access_token: "c", refresh_token: "r" },
  });
  expect(parseTokenResponse(200, JSON.stringify({ ok: true, authed_user: { id: "U1" } }), "authed_user").kind).toBe(
    "unreadable",
  );
});

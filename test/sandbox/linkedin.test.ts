import { expect, test } from "vitest";
import { sandbox } from "./stand-in.ts";

const SCOPES = "openid profile email w_member_social";
const HEADERS = { "linkedin-version": "202605", "x-restli-protocol-version": "2.0.0" };
const DANA = "urn:li:person:dDemo7Kq1Z";
const POST = {
  author: DANA,
  commentary: "Hello \\(world\\) and (gone",
  visibility: "PUBLIC",
  distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] },
  lifecycleState: "PUBLISHED",
};

/** A signed-in user whose requests have the headers of the versioned API. */
async function signIn(scope = SCOPES, account?: string) {
  const world = sandbox();
  const { call } = await world.signIn("linkedin", scope, account);
  const rest = (path: string, init: Parameters<typeof call>[1] = {}) => call(path, { headers: HEADERS, ...init });
  return { world, call, rest, post: (json: unknown) => rest("/rest/posts", { method: "POST", json }) };
}

test("a token is valid for sixty days, without a refresh token, and identifies its owner", async () => {
  const world = sandbox();
  const { body } = await world.tokens("linkedin", SCOPES);
  expect(Object.keys(body).sort()).toEqual(["access_token", "expires_in", "scope", "token_type"]);
  expect(body).toMatchObject({ expires_in: 5184000, scope: "openid,profile,email,w_member_social" });
  const me = () => world.ask("linkedin", "/v2/userinfo", { token: body.access_token });
  expect((await me()).body).toMatchObject({
    sub: "dDemo7Kq1Z",
    name: "Dana Demo",
    email: "dana@example.com",
    email_verified: true,
    locale: { country: "US", language: "en" },
  });
  world.later(5184000_000);
  expect((await me()).body).toEqual({
    status: 401,
    serviceErrorCode: 65600,
    code: "INVALID_ACCESS_TOKEN",
    message: "Invalid access token",
  });
});

test("profile and email are returned as far as they were allowed", async () => {
  const { call } = await signIn("openid");
  expect((await call("/v2/userinfo")).body).toEqual({ sub: "dDemo7Kq1Z" });
});

test("the versioned API requires its headers, and a supported version", async () => {
  const { call } = await signIn();
  const post = async (headers: Record<string, string>) =>
    (await call("/rest/posts", { method: "POST", json: POST, headers })).body.code;
  expect([
    await post({}),
    await post({ ...HEADERS, "linkedin-version": "202401" }),
    await post({ ...HEADERS, "linkedin-version": "202701" }),
    await post({ "linkedin-version": "202605" }),
  ]).toEqual(["VERSION_MISSING", "NONEXISTENT_VERSION", "NONEXISTENT_VERSION", "ILLEGAL_ARGUMENT"]);
});

test("a post is created once, commented on, reacted to once, and deleted with all of that", async () => {
  const { rest, post, world } = await signIn();
  const answer = await post(POST);
  const urn = answer.headers.get("x-restli-id") ?? "";
  expect([answer.status, answer.text, urn]).toEqual([201, "", expect.stringMatching(/^urn:li:share:\d{19}$/)]);
  expect((await post(POST)).body).toMatchObject({ status: 422, message: `Content is a duplicate of ${urn}` });
  const path = encodeURIComponent(urn);
  const json = { actor: DANA, object: urn, message: { text: "Well said" } };
  const comment = await rest(`/rest/socialActions/${path}/comments`, { method: "POST", json });
  expect([comment.status, comment.headers.get("x-restli-id")]).toEqual([201, comment.body.id]);
  const react = () =>
    rest(`/rest/reactions?actor=${encodeURIComponent(DANA)}`, {
      method: "POST",
      json: { root: urn, reactionType: "PRAISE" },
    });
  expect([(await react()).status, (await react()).status]).toEqual([201, 409]);
  const page = await world.ask("linkedin", `/feed/update/${urn}/`);
  expect([
    page.status,
    page.text.includes("Hello (world) and "),
    page.text.includes("gone"),
    page.text.includes("Well said"),
  ]).toEqual([200, true, false, true]);
  expect((await rest(`/rest/posts/${path}`, { method: "DELETE" })).status).toBe(204);
  expect((await rest(`/rest/socialActions/${path}/comments`, { method: "POST", json })).status).toBe(404);
});

test.each([
  [{ ...POST, commentary: undefined }, "/commentary :: field is required but not found and has no default value"],
  [{ ...POST, visibility: "FRIENDS" }, '/visibility :: "FRIENDS" is not a value of this field'],
  [
    { ...POST, content: { article: { source: "https://example.com" } } },
    "/content/article/title :: field is required but not found and has no default value",
  ],
])("an incomplete post is refused (%#)", async (json, message) => {
  const { post } = await signIn();
  expect((await post(json)).body).toMatchObject({ status: 422, message });
});

test("nobody posts for another user, and nothing is read without the closed permission", async () => {
  const { rest, post } = await signIn();
  expect((await post({ ...POST, author: "urn:li:person:sSample3Xw" })).status).toBe(403);
  const first = encodeURIComponent("urn:li:share:7390000000000000000");
  expect((await rest(`/rest/posts/${first}`, { method: "DELETE" })).status).toBe(403);
  expect((await rest(`/rest/posts/${first}`)).body).toEqual({
    status: 403,
    serviceErrorCode: 100,
    code: "ACCESS_DENIED",
    message: "Not enough permissions to access: partnerApiPostsExternal.GET",
  });
  const reader = await signIn("openid r_member_social");
  const ownPosts = await reader.rest(`/rest/posts?q=author&author=${encodeURIComponent(DANA)}`);
  expect(ownPosts.body.elements.map(({ visibility }: { visibility: string }) => visibility)).toEqual(["CONNECTIONS"]);
  expect((await reader.post(POST)).status).toBe(403);
  expect((await reader.rest(`/rest/posts/${first}`)).status).toBe(403);
  expect((await rest("/rest/people")).body.code).toBe("RESOURCE_NOT_FOUND");
});

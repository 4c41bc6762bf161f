import { expect, test } from "vitest";
import { linkedin } from "#connectors/linkedin/linkedin";
import { parsePostUrn, toLittleText } from "#connectors/linkedin/post";
import { parseLittle } from "#sandbox/linkedin/posts";
import { type Expected, httpOver, outside, runExpecting } from "../support/outside.ts";

const API = "https://api.linkedin.com";
const ME = { url: "https://www.linkedin.com", person: "urn:li:person:abc" };
const SHARE = "urn:li:share:7012345678901234567";
const ENCODED = encodeURIComponent(SHARE);
const POST = {
  author: "urn:li:person:abc",
  commentary: "Hello \\(world\\)",
  visibility: "PUBLIC",
  distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] },
};
const END = { lifecycleState: "PUBLISHED", isReshareDisabledByAuthor: false };

const run = (name: string, input: Record<string, unknown>, ...expected: Expected[]) =>
  runExpecting(linkedin, ME, name, input, ...expected);

const USER = {
  sub: "abc",
  name: "Ann Lee",
  email: "ann@example.com",
  picture: "https://media.example.test/1",
  locale: "en",
};

test("the account is the user of the OpenID sign-in", async () => {
  const world = outside({ request: `GET ${API}/v2/userinfo`, json: USER });
  expect(await linkedin.identify(httpOver(world, linkedin).http)).toEqual({
    accountId: "abc",
    user: { account_id: "abc", name: "Ann Lee", email: "ann@example.com", picture: "https://media.example.test/1" },
    metadata: ME,
  });
});

test("the connected account is reported, with its language in either form", async () => {
  const locale = { country: "DE", language: "de" };
  const { result } = await run("linkedin.me", {}, { request: `GET ${API}/v2/userinfo`, json: { ...USER, locale } });
  expect(result.text).toBe("**Ann Lee** on LinkedIn\n\n- E-mail: ann@example.com\n- Language: de-DE");
});

test("a post is sent once with the version's headers, and identified by the response header", async () => {
  const { result, asked } = await run(
    "linkedin.create_post",
    { text: " Hello (world) " },
    { request: `POST ${API}/rest/posts`, body: { ...POST, ...END }, status: 201, headers: { "x-restli-id": SHARE } },
  );
  expect(result).toEqual({
    data: { post: SHARE, url: `https://www.linkedin.com/feed/update/${SHARE}/` },
    text: `Posted on LinkedIn.\n\nhttps://www.linkedin.com/feed/update/${SHARE}/`,
    url: `https://www.linkedin.com/feed/update/${SHARE}/`,
  });
  expect(asked[0]?.headers).toMatchObject({
    "linkedin-version": "202605",
    "x-restli-protocol-version": "2.0.0",
    "content-type": "application/json",
  });
});

test("a link is shared with a title, for connections only", async () => {
  const article = { source: "https://example.com/news", title: "example.com" };
  await run(
    "linkedin.create_post",
    { text: "Hello (world)", link: "https://example.com/news", visibility: "connections" },
    {
      request: `POST ${API}/rest/posts`,
      body: { ...POST, visibility: "CONNECTIONS", content: { article }, ...END },
      status: 201,
      headers: { "x-restli-id": SHARE },
    },
  );
  await expect(run("linkedin.create_post", { text: "x", link: "javascript:alert(1)" })).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    details: { field: "link" },
  });
});

test("a post without the header of its ID may have been created, and is not repeated", async () => {
  await expect(
    run("linkedin.create_post", { text: "x" }, { request: `POST ${API}/rest/posts`, status: 201 }),
  ).rejects.toMatchObject({ code: "OUTCOME_UNKNOWN" });
});

test.each([
  [
    "linkedin.create_post",
    { text: "x".repeat(3001) },
    "The post has 3,001 characters; LinkedIn accepts at most 3,000.",
  ],
  ["linkedin.create_post", { text: " " }, "The post must not be empty."],
  [
    "linkedin.comment",
    { post: SHARE, text: "x".repeat(1251) },
    "The comment has 1,251 characters; LinkedIn accepts at most 1,250.",
  ],
])("%s refuses what LinkedIn would cut (%#)", async (name, input, message) => {
  await expect(run(name, input)).rejects.toMatchObject({ code: "INVALID_REQUEST", message });
});

test.each([
  "Hello (world) [x] {y} <z> @ann a_b *c* ~d~ e|f \\g",
  "We are #hiring, C# and # alone, a#b",
  "Line 1\n\nLine 2 – 100% 🎉",
])("every text arrives whole in LinkedIn's own format: %j", (text) => {
  expect(parseLittle(toLittleText(text))).toBe(text);
});

test("a hashtag stays a hashtag", () => {
  expect(toLittleText("#kay is out (finally)")).toBe("#kay is out \\(finally\\)");
});

test.each([
  [SHARE, SHARE],
  [`https://www.linkedin.com/feed/update/${SHARE}/?utm=1`, SHARE],
  [`https://www.linkedin.com/feed/update/${ENCODED}`, SHARE],
  ["https://www.linkedin.com/posts/ann-lee_hello-activity-7012-AbCd", "urn:li:activity:7012"],
  ["https://www.linkedin.com/posts/ann-lee_hello-ugcPost-7012-AbCd?x=1", "urn:li:ugcPost:7012"],
])("the post in %s", (text, urn) => {
  expect(parsePostUrn(text)).toBe(urn);
});

test("a post is deleted only by its own ID", async () => {
  const { result, asked } = await run(
    "linkedin.delete_post",
    { post: SHARE },
    { request: `DELETE ${API}/rest/posts/${ENCODED}`, status: 204 },
  );
  expect(result.text).toBe(`Deleted the LinkedIn post ${SHARE}.`);
  expect(asked[0]?.headers["x-restli-method"]).toBe("DELETE");
  await expect(run("linkedin.delete_post", { post: "urn:li:activity:7012" })).rejects.toMatchObject({
    code: "INVALID_REQUEST",
  });
  await expect(run("linkedin.delete_post", { post: "my last one" })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  expect(linkedin.tools.find(({ name }) => name === "linkedin.delete_post")?.access).toBe("destructive");
});

test("a comment is plain text in the user's name", async () => {
  const { result } = await run(
    "linkedin.comment",
    { post: SHARE, text: "Well (said)" },
    {
      request: `POST ${API}/rest/socialActions/${ENCODED}/comments`,
      body: { actor: "urn:li:person:abc", object: SHARE, message: { text: "Well (said)" } },
      status: 201,
      json: { id: "6636062862760562688" },
      headers: { "x-restli-id": "6636062862760562688" },
    },
  );
  expect(result.data).toMatchObject({ post: SHARE, comment: "6636062862760562688" });
});

test("a reaction has LinkedIn's own name", async () => {
  const { result } = await run(
    "linkedin.react",
    { post: SHARE, reaction: "celebrate" },
    {
      request: `POST ${API}/rest/reactions?actor=urn%3Ali%3Aperson%3Aabc`,
      body: { root: SHARE, reactionType: "PRAISE" },
      status: 201,
      json: { id: "urn:li:reaction:(x,y)" },
    },
  );
  expect(result.data).toMatchObject({ reaction: "celebrate" });
});

test("a scope that LinkedIn did not grant is named, without its internal text", async () => {
  const json = {
    status: 403,
    serviceErrorCode: 100,
    code: "ACCESS_DENIED",
    message: "Not enough permissions to access: partnerApiPostsExternal.CREATE.20260501",
  };
  await expect(
    run("linkedin.create_post", { text: "x" }, { request: `POST ${API}/rest/posts`, status: 403, json }),
  ).rejects.toMatchObject({
    code: "SERVICE_FAILED",
    message: "The connection to LinkedIn lacks the permission w_member_social.",
  });
});

test("no tool searches people or reads posts", () => {
  expect(linkedin.tools.map(({ name, access }) => [name, access])).toEqual([
    ["linkedin.me", "read"],
    ["linkedin.create_post", "write"],
    ["linkedin.delete_post", "destructive"],
    ["linkedin.comment", "write"],
    ["linkedin.react", "write"],
  ]);
  expect(linkedin.tools.map(({ description }) => description).join(" ")).toContain("no search for people");
});

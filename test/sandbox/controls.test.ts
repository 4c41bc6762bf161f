import { expect, test } from "vitest";
import { DANA, REDIRECT, SAM, sandbox } from "./stand-in.ts";

const SCOPE = "read:jira-work write:jira-work read:jira-user read:me offline_access";

test("every origin reports its requests, without tokens, codes or secrets", async () => {
  const { ask, signIn, clients } = sandbox();
  const { jira, token, refresh, cloudId } = await signIn("atlassian", SCOPE);
  await jira("/issue/KAY-3/comment", { method: "POST", json: { body: { type: "doc", version: 1, content: [] } } });
  const { body, text } = await ask("atlassian", "/_sandbox/requests");
  expect(body.requests).toEqual([
    {
      time: "2026-11-20T09:00:00.000Z",
      method: "POST",
      path: "/oauth/token",
      body: {
        client_id: clients.atlassian.id,
        client_secret: "hidden",
        grant_type: "authorization_code",
        code: "hidden",
        redirect_uri: REDIRECT,
      },
      account: null,
      status: 200,
    },
    {
      time: "2026-11-20T09:00:00.000Z",
      method: "GET",
      path: "/oauth/token/accessible-resources",
      body: null,
      account: DANA,
      status: 200,
    },
    {
      time: "2026-11-20T09:00:00.000Z",
      method: "POST",
      path: `/ex/jira/${cloudId}/rest/api/3/issue/KAY-3/comment`,
      body: { body: { type: "doc", version: 1, content: [] } },
      account: DANA,
      status: 400,
    },
  ]);
  for (const secret of [token, refresh, clients.atlassian.secret]) expect(text).not.toContain(secret);
});

test("the state of an authorization request is not reported, that of pull requests is", async () => {
  const { ask, authorizeUrl, signIn } = sandbox();
  await ask("bitbucket", authorizeUrl("bitbucket", "account", { state: "capability" }));
  await (await signIn("bitbucket", "pullrequest")).call("/2.0/repositories/kay-demo/kay-cli/pullrequests?state=OPEN");
  const { text } = await ask("bitbucket", "/_sandbox/requests");
  expect([text.includes("capability"), text.includes("state=hidden"), text.includes("state=OPEN")]).toEqual([
    false,
    true,
    true,
  ]);
});

test.each([
  ["a peer elsewhere", { address: "192.168.1.7" }],
  ["a peer that is not known", { address: "" }],
  ["a web page", { headers: { origin: "https://evil.example" } }],
  ["a cross-site request without Origin", { headers: { "sec-fetch-site": "cross-site" } }],
])("the controls refuse %s", async (_, init) => {
  const { ask } = sandbox();
  const answer = await ask("bitbucket", "/_sandbox/requests", init);
  expect([answer.status, answer.body.error]).toEqual([403, "FORBIDDEN"]);
});

test("the controls refuse a host name that was rebound to this machine", async () => {
  const { ask } = sandbox();
  expect((await ask("atlassian", "http://evil.example:4401/_sandbox/state")).status).toBe(403);
  expect((await ask("atlassian", "http://localhost:4401/_sandbox/state")).status).toBe(200);
  expect((await ask("atlassian", "http://[::1]:4401/_sandbox/state", { address: "::1" })).status).toBe(200);
});

test("the state can be read, written back and reset", async () => {
  const { ask, signIn } = sandbox();
  const { jira } = await signIn("atlassian", SCOPE);
  const state = (await ask("atlassian", "/_sandbox/state")).body;
  expect((await ask("atlassian", "/_sandbox/state", { method: "PUT", json: state })).body).toEqual(state);
  await jira("/issue/KAY-3", { method: "DELETE" });
  expect((await jira("/issue/KAY-3")).status).toBe(404);
  await ask("atlassian", "/_sandbox/reset", { method: "POST" });
  expect((await jira("/issue/KAY-3")).status).toBe(200);
  expect((await ask("atlassian", "/_sandbox/state")).body).toEqual(state);
  const invalidState = { ...state, sites: [{ ...state.sites[0], issues: [{ key: "NOPE-1", summary: "x" }] }] };
  const refused = await ask("atlassian", "/_sandbox/state", { method: "PUT", json: invalidState });
  expect(refused.body.message).toBe(
    "The state is wrong at atlassian.sites[0].issues[0].key: there is no project for NOPE-1.",
  );
});

test("tokens can be expired and revoked, for one account or all", async () => {
  const { ask, signIn, exchange } = sandbox();
  const [dana, sam] = [await signIn("atlassian", SCOPE), await signIn("atlassian", SCOPE, SAM)];
  const post = async (path: string, json: unknown) =>
    (await ask("atlassian", `/_sandbox/tokens/${path}`, { method: "POST", json })).body;
  expect(await post("expire", { account: "Sam Sample" })).toEqual({ expired: 1 });
  expect([(await dana.call("/me")).status, (await sam.call("/me")).status]).toEqual([200, 401]);
  const renewed = await exchange("atlassian", { grant_type: "refresh_token", refresh_token: sam.refresh });
  expect(renewed.status).toBe(200);
  expect(await post("revoke", {})).toEqual({ revoked: 2 });
  expect((await dana.call("/me")).status).toBe(401);
  expect(
    (await exchange("atlassian", { grant_type: "refresh_token", refresh_token: renewed.body.refresh_token })).status,
  ).toBe(403);
});

test("a fault affects the next matching requests, and then ends", async () => {
  const { ask, signIn } = sandbox();
  const { jira, cloudId } = await signIn("atlassian", SCOPE);
  const fault = {
    match: { method: "GET", path: "*/rest/api/3/myself" },
    times: 2,
    status: 429,
    headers: { "Retry-After": "3" },
    body: { errorMessages: ["slow"] },
  };
  expect((await ask("atlassian", "/_sandbox/faults", { method: "PUT", json: fault })).body).toEqual({
    faults: [fault],
  });
  expect((await jira("/issue/KAY-3")).status).toBe(200);
  const met = await jira("/myself");
  expect([met.status, met.headers.get("retry-after"), met.body]).toEqual([429, "3", { errorMessages: ["slow"] }]);
  expect((await ask("atlassian", "/_sandbox/faults")).body.faults[0].times).toBe(1);
  await jira("/myself");
  expect((await jira("/myself")).status).toBe(200);
  const { requests } = (await ask("atlassian", "/_sandbox/requests")).body;
  const statuses = requests
    .filter(({ path }: { path: string }) => path === `/ex/jira/${cloudId}/rest/api/3/myself`)
    .map(({ status }: { status: number }) => status);
  expect(statuses).toEqual([429, 429, 200]);
});

test("faults can return text, wait, drop the connection, and lose the response of a handled request", async () => {
  const { ask, signIn } = sandbox();
  const { jira } = await signIn("atlassian", SCOPE);
  const faults = [
    {
      match: { path: "*/myself" },
      status: 503,
      body: "<html>Service Unavailable</html>",
      headers: { "content-type": "text/html" },
    },
    { match: { path: "*/priority" }, delay_ms: 5 },
    { match: { method: "DELETE" }, drop: true, when: "after" },
    { match: { method: "PUT" }, drop: true },
  ];
  await ask("atlassian", "/_sandbox/faults", { method: "PUT", json: faults });
  expect(await jira("/myself")).toMatchObject({ status: 503, body: "<html>Service Unavailable</html>" });
  expect((await jira("/priority")).body).toHaveLength(5);
  const edited = await jira("/issue/KAY-3", { method: "PUT", json: { fields: { summary: "New" } } });
  expect(edited.headers.get("x-sandbox-drop")).toBe("1");
  expect((await jira("/issue/KAY-3?fields=summary")).body.fields.summary).toBe("Typo in the help of kay ask");
  expect((await jira("/issue/KAY-3", { method: "DELETE" })).headers.get("x-sandbox-drop")).toBe("1");
  expect((await jira("/issue/KAY-3")).status).toBe(404);
});

test("an invalid fault, consent or body is one sentence", async () => {
  const { ask, authorizeUrl } = sandbox();
  const messages = await Promise.all([
    ask("atlassian", "/_sandbox/faults", { method: "PUT", json: { status: 42 } }),
    ask("atlassian", "/_sandbox/faults", { method: "PUT", body: "{" }),
    ask("atlassian", "/_sandbox/consent", {
      method: "POST",
      json: { authorization_url: "https://evil.example/", decision: "allow" },
    }),
    ask("atlassian", "/_sandbox/consent", {
      method: "POST",
      json: { authorization_url: authorizeUrl("atlassian", SCOPE), decision: "allow", account: "Eve" },
    }),
    ask("atlassian", "/_sandbox/nothing"),
  ]);
  expect(messages.map(({ status, body }) => [status, body.message])).toEqual([
    [400, expect.stringMatching(/^The fault is not valid: status is not accepted/)],
    [400, "The request is not JSON."],
    [400, "authorization_url must be an address of /authorize on this origin."],
    [404, "There is no account Eve here."],
    [404, "The sandbox has no control /_sandbox/nothing."],
  ]);
});

test("a consent without a browser can also be a denial", async () => {
  const { ask, authorizeUrl } = sandbox();
  const json = { authorization_url: authorizeUrl("bitbucket", "account"), decision: "deny" };
  const { body } = await ask("bitbucket", "/_sandbox/consent", { method: "POST", json });
  expect(body.redirect_url).toBe(
    `${REDIRECT}?error=access_denied&error_description=User+did+not+authorize+the+request&state=s1`,
  );
});

test("a restart continues with the saved tokens and world, and another seed starts afresh", async () => {
  let saved: unknown;
  const save = (state: unknown) => {
    saved = JSON.parse(JSON.stringify(state));
  };
  const first = sandbox({ save });
  const { token, jira, cloudId } = await first.signIn("atlassian", SCOPE);
  await jira("/issue/KAY-3", { method: "PUT", json: { fields: { summary: "Kept" } } });
  await Promise.resolve();
  expect(JSON.stringify(saved)).not.toContain(token);
  const second = sandbox({ saved, save });
  expect(second.clients).toEqual(first.clients);
  const path = `/ex/jira/${cloudId}/rest/api/3/issue/KAY-3?fields=summary`;
  expect((await second.ask("atlassian", path, { token })).body.fields.summary).toBe("Kept");
  const seed = {
    atlassian: { accounts: [{ accountId: "a1", displayName: "Ann", emailAddress: "ann@example.com" }], sites: [] },
  };
  const third = sandbox({ saved, seed });
  expect(third.clients).toEqual(first.clients);
  expect((await third.ask("atlassian", path, { token })).status).toBe(401);
  expect((await sandbox({ saved: { version: 9 } }).ask("atlassian", path, { token })).status).toBe(401);
});

import { afterEach, beforeEach, expect, test } from "vitest";
import { deriveInstallationId } from "#backend/accounts/sessions";
import { type AccessOptions, getServiceAccess } from "#backend/connections/tokens/access";
import type { ServiceConfiguration } from "#connectors/service";
import { Problem, toProblemBody } from "#protocol/errors";
import { createWorld, useBackend, type World } from "#test/backend";
import { ANN, ATLASSIAN_TOKEN, connect } from "#test/consent";
import { json } from "#test/outside";

const world = useBackend();
const HOUR = 3600_000;
let session = "";

beforeEach(async () => {
  ({ session } = await connect(world()));
  world().outside.sent.length = 0;
});

const access = (options?: AccessOptions) =>
  getServiceAccess(world().ports, deriveInstallationId(session), "jira", options);
const problem = (work: Promise<unknown>) =>
  work.then(
    () => "no problem",
    (error: unknown) => (error instanceof Problem ? toProblemBody(error) : error),
  );
const listSpentTokens = () => world().outside.sent.map(({ body }) => new URLSearchParams(body).get("refresh_token"));
const tokens = (n: number, more: object = {}) => ({
  access_token: `jira-access-${n}`,
  refresh_token: `jira-refresh-${n}`,
  expires_in: 3600,
  token_type: "Bearer",
  ...more,
});

test("a token with more than 60 seconds left is returned as it is, with account and site", async () => {
  world().clock.advance(HOUR - 60_001);
  expect(await access()).toEqual({
    token: "jira-access-1",
    account: ANN.account_id,
    metadata: { url: "https://main.example.test", cloud_id: "c-main", site: "main" },
    configuration: world().ports.services[0],
  });
});

test("a token with 60 seconds left is refreshed first, and the new pair is used from then on", async () => {
  world().clock.advance(HOUR - 60_000);
  world().outside.expect(ATLASSIAN_TOKEN, json(tokens(2)));
  expect((await access()).token).toBe("jira-access-2");
  expect((await access()).token).toBe("jira-access-2");
  world().clock.advance(HOUR);
  world().outside.expect(ATLASSIAN_TOKEN, json(tokens(3)));
  expect((await access()).token).toBe("jira-access-3");
  expect(listSpentTokens()).toEqual(["jira-refresh-1", "jira-refresh-2"]);
});

test("a refused token is refreshed once; a later caller with the old one gets the newer one", async () => {
  world().outside.expect(ATLASSIAN_TOKEN, json(tokens(2)));
  expect((await access({ rejected: "jira-access-1" })).token).toBe("jira-access-2");
  expect((await access({ rejected: "jira-access-1" })).token).toBe("jira-access-2");
});

test("V20 a token without an expiry is refreshed only when it is refused", async () => {
  world().clock.advance(HOUR);
  world().outside.expect(ATLASSIAN_TOKEN, json(tokens(2, { expires_in: undefined })));
  await access();
  world().clock.advance(1000 * HOUR);
  expect((await access()).token).toBe("jira-access-2");
  world().outside.expect(ATLASSIAN_TOKEN, json(tokens(3)));
  expect((await access({ rejected: "jira-access-2" })).token).toBe("jira-access-3");
});

test("twelve concurrent callers over two backends refresh once", async () => {
  world().clock.advance(HOUR);
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  world().outside.expect(ATLASSIAN_TOKEN, async (request) => {
    await gate;
    return json(tokens(2))(request);
  });
  const other = { ...world().ports };
  const all = Array.from({ length: 12 }, (_, index) =>
    getServiceAccess(index % 2 ? other : world().ports, deriveInstallationId(session), "jira"),
  );
  setImmediate(release);
  expect(new Set((await Promise.all(all)).map(({ token }) => token))).toEqual(new Set(["jira-access-2"]));
  expect(listSpentTokens()).toEqual(["jira-refresh-1"]);
});

test("V12 a refresh or a second consent without a refresh token keeps the old one", async () => {
  world().clock.advance(HOUR);
  world().outside.expect(ATLASSIAN_TOKEN, json(tokens(2, { refresh_token: undefined })));
  await access();
  for (const [round, refresh_token] of [null, "", undefined].entries()) {
    await connect(world(), { session_id: session }, { tokens: tokens(10 + round, { refresh_token }) });
    expect((await access()).token).toBe(`jira-access-${10 + round}`);
  }
  world().outside.sent.length = 0;
  world().clock.advance(HOUR);
  world().outside.expect(ATLASSIAN_TOKEN, json(tokens(3)));
  await access();
  expect(listSpentTokens()).toEqual(["jira-refresh-1"]);
});

test("V12 invalid_grant disconnects with a reason, and is not retried", async () => {
  world().clock.advance(HOUR);
  world().outside.expect(
    ATLASSIAN_TOKEN,
    json({ error: "invalid_grant", error_description: "Token has been expired or revoked." }, 400),
  );
  const reason = "Jira ended the connection on 2026-11-27: Token has been expired or revoked.";
  const expected = {
    error: "AUTH_REQUIRED",
    code: "AUTH_REQUIRED",
    message: reason,
    hint: "Run `kay connect jira`, then ask again.",
    integrations: ["jira"],
  };
  for (const _ of [1, 2, 3]) expect(await problem(access())).toEqual(expected);
  expect(listSpentTokens()).toHaveLength(1);
  const { body } = await world().call(`GET /connections?session_id=${session}`);
  expect(body).toMatchObject({ connections: { jira: { connected: false, reason } } });
  await connect(world(), { session_id: session }, { tokens: tokens(5) });
  expect((await access()).token).toBe("jira-access-5");
});

const HUBSPOT_GONE = { goneErrors: ["BAD_HUB", "BAD_REFRESH_TOKEN"] };
const GONE: [name: string, body: object, status: number][] = [
  ["BAD_HUB", { status: "BAD_HUB", error: "access_denied", message: "The hub is gone." }, 400],
  [
    "BAD_REFRESH_TOKEN",
    { status: "BAD_REFRESH_TOKEN", error: "invalid_grant", message: "missing or invalid refresh token" },
    400,
  ],
  ["invalid_grant with status 200", { error: "invalid_grant" }, 200],
  ["invalid_grant with status 401", { error: "invalid_grant" }, 401],
];
for (const [name, body, status] of GONE) {
  test(`V21 ${name} at the token endpoint disconnects, once`, async () => {
    const other = withOAuth(HUBSPOT_GONE);
    other.clock.advance(HOUR);
    other.outside.expect(ATLASSIAN_TOKEN, json(body, status));
    for (const _ of [1, 2]) {
      expect(await problem(getServiceAccess(other.ports, deriveInstallationId(session), "jira"))).toMatchObject({
        code: "AUTH_REQUIRED",
        integrations: ["jira"],
      });
    }
    other.outside.settled();
  });
}

test("V21 429 at the token endpoint waits as requested and does not count as bad credentials", async () => {
  world().clock.advance(HOUR);
  world().outside.expect(ATLASSIAN_TOKEN, json({ error: "invalid_grant" }, 429, { "retry-after": "2" }));
  world().outside.expect(ATLASSIAN_TOKEN, json(tokens(2)));
  const before = await grantRow();
  const waits: number[] = [];
  const sleep = async (milliseconds: number) => {
    waits.push(milliseconds);
    expect(await grantRow()).toEqual(before);
  };
  expect((await access({ sleep })).token).toBe("jira-access-2");
  expect(waits).toEqual([2000]);
});

test("V21 a token endpoint that stays busy, or requests a long pause, ends as SERVICE_FAILED", async () => {
  world().clock.advance(HOUR);
  for (const _ of [1, 2, 3]) world().outside.expect(ATLASSIAN_TOKEN, json({}, 429));
  const waits: number[] = [];
  const sleep = async (milliseconds: number) => void waits.push(milliseconds);
  const busy = { code: "SERVICE_FAILED", message: "Jira is receiving too many requests." };
  expect(await problem(access({ sleep }))).toMatchObject(busy);
  expect(waits).toEqual([1000, 2000]);
  world().outside.expect(ATLASSIAN_TOKEN, json({}, 429, { "retry-after": "3600" }));
  expect(await problem(access({ sleep }))).toMatchObject(busy);
});

const PASSING: [name: string, answer: Parameters<World["outside"]["expect"]>[1]][] = [
  ["a broken connection", () => Promise.reject(new TypeError("fetch failed"))],
  ["a 500", json({ error: "invalid_grant" }, 500)],
  ["a 503 in HTML", () => new Response("<html>", { status: 503 })],
  ["a redirect", () => new Response(null, { status: 307, headers: { location: "https://evil.example.test/" } })],
  ["a 200 in HTML", () => new Response("<html>sign in to the hotel's network</html>")],
  ["a 200 without a token", json({})],
  ["a refused client", json({ error: "invalid_client" }, 401)],
  ["a 400 that names no error", json({}, 400)],
];
for (const [name, answer] of PASSING) {
  test(`${name} at the token endpoint is SERVICE_FAILED and changes nothing`, async () => {
    world().clock.advance(HOUR);
    const before = await grantRow();
    world().outside.expect(ATLASSIAN_TOKEN, answer);
    expect(await problem(access())).toMatchObject({ code: "SERVICE_FAILED" });
    expect(await grantRow()).toEqual(before);
    world().outside.expect(ATLASSIAN_TOKEN, json(tokens(2)));
    expect((await access()).token).toBe("jira-access-2");
  });
}

test("without a refresh token, the access token is used until it expires, then the connection ends", async () => {
  const other = createWorld({ db: world().ports.db, node: world().ports.node });
  const once = await connect(other, {}, { tokens: tokens(1, { refresh_token: undefined }) });
  other.clock.advance(HOUR - 1000);
  expect((await getServiceAccess(other.ports, deriveInstallationId(once.session), "jira")).token).toBe("jira-access-1");
  other.clock.advance(1000);
  expect(await problem(getServiceAccess(other.ports, deriveInstallationId(once.session), "jira"))).toMatchObject({
    code: "AUTH_REQUIRED",
    message: "Jira ended the connection on 2026-11-27: the sign-in ended and cannot be renewed.",
  });
});

test("a service that is not connected is AUTH_REQUIRED with its name; an unknown one is UNKNOWN_SERVICE", async () => {
  expect(await problem(getServiceAccess(world().ports, deriveInstallationId(session), "bitbucket"))).toEqual({
    error: "AUTH_REQUIRED",
    code: "AUTH_REQUIRED",
    message: "Bitbucket is not connected.",
    hint: "Run `kay connect bitbucket`, then ask again.",
    integrations: ["bitbucket"],
  });
  expect(await problem(getServiceAccess(world().ports, "kaysession_1_x", "jira"))).toMatchObject({
    code: "AUTH_REQUIRED",
  });
  expect(await problem(getServiceAccess(world().ports, deriveInstallationId(session), "trello"))).toMatchObject({
    code: "UNKNOWN_SERVICE",
  });
});

test("tokens encrypted with a lost key require a new connection, which fixes them", async () => {
  const sealing = [{ id: "k2", key: new Uint8Array(32).fill(7) }];
  const other = createWorld({
    db: world().ports.db,
    node: world().ports.node,
    keys: { ...world().ports.keys, sealing },
  });
  expect(await problem(getServiceAccess(other.ports, deriveInstallationId(session), "jira"))).toMatchObject({
    code: "AUTH_REQUIRED",
  });
  await connect(other, { session_id: session }, { tokens: tokens(8) });
  expect((await getServiceAccess(other.ports, deriveInstallationId(session), "jira")).token).toBe("jira-access-8");
});

const opened: World[] = [];
afterEach(() => {
  for (const each of opened.splice(0)) each.outside.settled();
});

function withOAuth(oauth: Partial<ServiceConfiguration["service"]["oauth"]>): World {
  const services = world().ports.services.map((configuration) => ({
    ...configuration,
    service: { ...configuration.service, oauth: { ...configuration.service.oauth, ...oauth } },
  }));
  const other = createWorld({ db: world().ports.db, node: world().ports.node, services });
  opened.push(other);
  return other;
}

function grantRow() {
  return world()
    .ports.db.selectFrom("grants")
    .where("installation_id", "=", deriveInstallationId(session))
    .selectAll()
    .execute();
}

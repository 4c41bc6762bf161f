import { expect, test } from "vitest";
import { deriveInstallationId } from "#backend/accounts/sessions";
import { getServiceAccess } from "#backend/connections/tokens/access";
import { configureServices } from "#connectors/catalogue";
import { createWorld, useBackend, type World } from "#test/backend";
import { begin, callback } from "#test/consent";
import { json } from "#test/outside";

const base = useBackend();
const TOKEN = "POST https://api.hubapi.com/oauth/v3/token";
const LINKEDIN_TOKEN = "POST https://www.linkedin.com/oauth/v2/accessToken";
const HOUR = 3600_000;
const client = { id: "the-client", secret: "the-secret" };

/** A backend connected to HubSpot and LinkedIn, with all their requests answered. */
async function connectServices() {
  const services = configureServices({ clients: { hubspot: client, linkedin: client } });
  const world = createWorld({ db: base().ports.db, node: base().ports.node, services });
  const { outside } = world;
  const hubspot = await begin(world, {}, "hubspot");
  outside.expect(TOKEN, json({ access_token: "h1", refresh_token: "r1", expires_in: 1800, token_type: "bearer" }));
  outside.expect(
    "POST https://api.hubapi.com/oauth/v3/token/introspect",
    json({ active: true, hub_id: 62515, user_id: 9, user: "ann@example.test" }),
  );
  outside.expect("GET https://api.hubapi.com/crm/v3/owners", json({ results: [] }));
  outside.expect("GET https://api.hubapi.com/account-info/v3/details", json({}));
  expect((await callback(world, hubspot.state)).status).toBe(200);
  await world.call(`GET /auth/status/${hubspot.state}`);
  const linkedin = await begin(world, { session_id: hubspot.session }, "linkedin");
  outside.expect(LINKEDIN_TOKEN, json({ access_token: "l1", expires_in: 5184000, scope: "openid,email" }));
  outside.expect("GET https://api.linkedin.com/v2/userinfo", json({ sub: "abc", name: "Ann" }));
  expect((await callback(world, linkedin.state)).status).toBe(200);
  return { world, session: hubspot.session };
}

const grants = ({ ports }: World) =>
  ports.db.selectFrom("grants").selectAll().orderBy("installation_id").orderBy("service").execute();

test("HubSpot's tokens, and their details, are requested by form with the client in the body", async () => {
  const { world } = await connectServices();
  const forms = world.outside.sent
    .filter(({ method }) => method === "POST")
    .map(({ url, body, headers }) => [url, headers.get("content-type"), Object.fromEntries(new URLSearchParams(body))]);
  const type = "application/x-www-form-urlencoded;charset=UTF-8";
  const secret = { client_id: "the-client", client_secret: "the-secret" };
  expect(forms.slice(0, 2)).toEqual([
    ["https://api.hubapi.com/oauth/v3/token", type, expect.objectContaining({ ...secret, code: "the-code" })],
    ["https://api.hubapi.com/oauth/v3/token/introspect", type, { ...secret, token: "h1" }],
  ]);
  world.outside.settled();
});

test.each([
  ["a portal that is gone", { status: "BAD_HUB", error: "access_denied", message: "The hub is gone." }],
  ["a refresh token that is gone", { status: "BAD_REFRESH_TOKEN", error: "invalid_grant" }],
  ["the older words for it", { status: "BAD_REFRESH_TOKEN", message: "missing or invalid refresh token" }],
])("V21 %s disconnects HubSpot, and the token endpoint is called once", async (_name, body) => {
  const { world, session } = await connectServices();
  world.clock.advance(HOUR);
  world.outside.expect(TOKEN, json(body, 400));
  for (const _ of [1, 2]) {
    await expect(getServiceAccess(world.ports, deriveInstallationId(session), "hubspot")).rejects.toMatchObject({
      code: "AUTH_REQUIRED",
      details: { integrations: ["hubspot"] },
    });
  }
  expect((await getServiceAccess(world.ports, deriveInstallationId(session), "linkedin")).token).toBe("l1");
  world.outside.settled();
});

test("V21 429 at HubSpot's token endpoint waits, and the stored tokens stay untouched", async () => {
  const { world, session } = await connectServices();
  world.clock.advance(HOUR);
  const before = await grants(world);
  world.outside.expect(TOKEN, json({ status: "error", errorType: "RATE_LIMIT" }, 429, { "retry-after": "2" }));
  world.outside.expect(TOKEN, json({ access_token: "h2", refresh_token: "r1", expires_in: 1800 }));
  const waits: number[] = [];
  const sleep = async (milliseconds: number) => {
    waits.push(milliseconds);
    expect(await grants(world)).toEqual(before);
  };
  expect((await getServiceAccess(world.ports, deriveInstallationId(session), "hubspot", { sleep })).token).toBe("h2");
  expect(waits).toEqual([2000]);
  world.outside.settled();
});

test("LinkedIn's token is valid for sixty days; then the connection requires a new consent, once", async () => {
  const { world, session } = await connectServices();
  world.clock.advance(59 * 24 * HOUR);
  expect((await getServiceAccess(world.ports, deriveInstallationId(session), "linkedin")).token).toBe("l1");
  world.clock.advance(24 * HOUR);
  for (const _ of [1, 2]) {
    await expect(getServiceAccess(world.ports, deriveInstallationId(session), "linkedin")).rejects.toMatchObject({
      code: "AUTH_REQUIRED",
      details: { integrations: ["linkedin"] },
    });
  }
  world.outside.settled();
});

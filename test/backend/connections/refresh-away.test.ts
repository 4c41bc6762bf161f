import { expect, test } from "vitest";
import { deriveInstallationId } from "#backend/accounts/sessions";
import { getServiceAccess } from "#backend/connections/tokens/access";
import { useAbsentWorld } from "#test/absent-database";
import { ATLASSIAN_TOKEN, begin, callback, connect, expectAtlassian } from "#test/consent";
import { json } from "#test/outside";

const REFRESHED = { access_token: "jira-access-2", refresh_token: "jira-refresh-2", expires_in: 3600 };
const REWRITE = /^update "grants" set "sealed" = \$1 where/;
const STORE = /^update "grants" set "sealed" = \$1, "access_expires_at"/;
const HOUR = 3600_000;

const { absent, world } = useAbsentWorld();

const listSpentTokens = () =>
  world()
    .outside.sent.filter(({ url }) => url.includes("/oauth/token"))
    .map(({ body }) => new URLSearchParams(body).get("refresh_token"))
    .filter(Boolean);

test.each([
  ["once the provider has answered", REWRITE],
  ["once the new pair was written", STORE],
])("F2 a service's new pair is kept if the database goes away %s", async (_, moment) => {
  const { session } = await connect(world());
  world().clock.advance(HOUR);
  world().outside.expect(ATLASSIAN_TOKEN, json(REFRESHED));
  absent().leaveAfter(moment);
  const access = getServiceAccess(world().ports, deriveInstallationId(session), "jira");
  await expect.poll(absent().isAway).toBe(true);
  absent().comeBack();
  expect((await access).token).toBe("jira-access-2");
  world().clock.advance(HOUR);
  world().outside.expect(ATLASSIAN_TOKEN, json({ ...REFRESHED, access_token: "jira-access-3" }));
  expect((await getServiceAccess(world().ports, deriveInstallationId(session), "jira")).token).toBe("jira-access-3");
  expect(listSpentTokens()).toEqual(["jira-refresh-1", "jira-refresh-2"]);
});

test("F2 a database that cannot store the new pair does not spend the refresh token", async () => {
  const { session } = await connect(world());
  world().clock.advance(HOUR);
  absent().leaveAfter(/for update$/);
  await expect(getServiceAccess(world().ports, deriveInstallationId(session), "jira")).rejects.toMatchObject({
    code: "ECONNRESET",
  });
  expect(listSpentTokens()).toEqual([]);
});

test("F2 a consent whose database goes away after its code was spent is connected when it is back", async () => {
  const { session, state } = await begin(world());
  expectAtlassian(world());
  absent().leaveAfter(/^insert into "grants"/);
  const page = callback(world(), state);
  await expect.poll(absent().isAway).toBe(true);
  absent().comeBack();
  expect((await page).status).toBe(200);
  expect((await world().call(`GET /auth/status/${state}`)).body).toMatchObject({ status: "completed" });
  expect((await getServiceAccess(world().ports, deriveInstallationId(session), "jira")).token).toBe("jira-access-1");
});

import { beforeEach, expect, test } from "vitest";
import { deriveInstallationId } from "#backend/accounts/sessions";
import { findService, requireClient } from "#backend/connections/services/catalog";
import { fetchIdentity } from "#backend/connections/tokens/identity";
import { openTokens, toGrantAddress } from "#backend/connections/tokens/sealing";
import { refreshTokens } from "#backend/connections/tokens/token-endpoint";
import { findGrant } from "#backend/store/grants";
import { createWorld, useBackend } from "#test/backend";
import { connect } from "#test/consent";
import { consent, createSandboxWorld, type SandboxWorld } from "#test/sandbox-world";

const base = useBackend();

// Some providers revoke everything of an account, which its other connections forbid.
beforeEach(() => base().ports.db.deleteFrom("grants").execute());

/** The stored tokens of a connection, and whether each still works at the stand-in. */
async function readTokens({ world }: SandboxWorld, session: string, name: string) {
  const { ports } = world;
  const service = requireClient(findService(ports.services, name));
  const grant = await findGrant(ports.db, deriveInstallationId(session), name);
  if (!grant?.sealed) throw new Error(`${name} is not connected.`);
  const { access, refresh } = openTokens(ports.keys, toGrantAddress(grant.installation_id, service), grant.sealed);
  return {
    isAccessAlive: () => fetchIdentity(ports, service, access).then(Boolean, () => false),
    isRefreshAlive: async () =>
      refresh !== undefined && (await refreshTokens(ports, service, refresh)).kind === "tokens",
  };
}

test.for(["jira", "slack", "github", "gmail", "notion", "hubspot"])(
  "F8 kay disconnect revokes the tokens of %s at the service",
  async (service) => {
    const sandbox = createSandboxWorld(base());
    const { session } = await consent(sandbox, service, "allow");
    const tokens = await readTokens(sandbox, session, service);
    expect(await tokens.isAccessAlive()).toBe(true);
    const body = { session_id: session };
    const answer = await sandbox.world.call(`POST /connections/disconnect?service=${service}`, { body });
    expect(answer.body).toMatchObject({ service, connected: false, revocation: { status: "revoked" } });
    expect([await tokens.isAccessAlive(), await tokens.isRefreshAlive()]).toEqual([false, false]);
  },
);

test.for([
  ["bitbucket", "https://bitbucket.org/account/settings/app-authorizations/"],
  ["airtable", "https://support.airtable.com/docs/third-party-integrations-via-oauth-overview"],
  ["linkedin", "https://www.linkedin.com/psettings/permitted-services"],
] as const)(
  "F8 disconnecting %s says that it cannot be revoked, and where the user removes it",
  async ([service, page]) => {
    const sandbox = createSandboxWorld(base());
    const { session } = await consent(sandbox, service, "allow");
    const body = { session_id: session };
    const answer = await sandbox.world.call(`POST /connections/disconnect?service=${service}`, { body });
    expect(answer.body.revocation).toEqual({
      status: "unsupported",
      message: expect.stringMatching(
        /^kay deleted its tokens, but \w+ has no way to revoke them\. Remove .* at https:/,
      ),
      page,
    });
  },
);

test("F8 access that other connections share ends with the last of them", async () => {
  const sandbox = createSandboxWorld(base());
  const { session } = await consent(sandbox, "gmail", "allow");
  await consent(sandbox, "google-calendar", "allow", session);
  const [mail, calendar] = [
    await readTokens(sandbox, session, "gmail"),
    await readTokens(sandbox, session, "google-calendar"),
  ];
  const disconnect = async (service: string) =>
    (await sandbox.world.call(`POST /connections/disconnect?service=${service}`, { body: { session_id: session } }))
      .body;
  expect((await disconnect("gmail")).revocation).toMatchObject({
    status: "shared",
    message: expect.stringContaining("google-calendar"),
  });
  expect(await calendar.isAccessAlive()).toBe(true);
  expect((await disconnect("google-calendar")).revocation).toMatchObject({ status: "revoked" });
  expect([await mail.isAccessAlive(), await calendar.isAccessAlive()]).toEqual([false, false]);
});

test("F8 signing out revokes what can be revoked and names the rest; without a body, connections stay", async () => {
  const sandbox = createSandboxWorld(base());
  const { session, status } = await consent(sandbox, "slack", "allow");
  const services = ["gmail", "google-drive", "jira", "confluence", "airtable"];
  for (const service of services) await consent(sandbox, service, "allow", session);
  const slack = await readTokens(sandbox, session, "slack");
  const mail = await readTokens(sandbox, session, "gmail");
  const token = String(status.body.token);
  const { body } = await sandbox.world.call("POST /auth/logout", { token, body: { disconnect: true } });
  const revocations = body.revocations as Record<string, { status: string }>;
  expect(Object.fromEntries(Object.entries(revocations).map(([name, each]) => [name, each.status]))).toEqual({
    slack: "revoked",
    gmail: "revoked",
    "google-drive": "revoked",
    jira: "revoked",
    confluence: "revoked",
    airtable: "unsupported",
  });
  expect([await slack.isAccessAlive(), await mail.isAccessAlive()]).toEqual([false, false]);
  const list = async () => (await sandbox.world.call(`GET /connections?session_id=${session}`)).body;
  expect(await list()).toMatchObject({ connections: { slack: { connected: false }, jira: { connected: false } } });

  const again = await consent(sandbox, "slack", "allow", session);
  const { body: plain } = await sandbox.world.call("POST /auth/logout", { token: String(again.status.body.token) });
  expect(plain).toEqual({ message: "Logged out successfully" });
  expect(await list()).toMatchObject({ connections: { slack: { connected: true } } });
});

test.for([
  ["is away", () => Promise.reject(new TypeError("fetch failed"))],
  ["fails", async () => new Response("", { status: 503 })],
  [
    "never answers",
    (_: string, init?: RequestInit) => new Promise<never>((_, fail) => init?.signal?.addEventListener("abort", fail)),
  ],
] as const)("F8 a provider that %s does not keep the connection", async ([, fetch]) => {
  const { ports } = base();
  const { session } = await connect(base());
  const world = createWorld({ ...ports, fetch });
  const body = { session_id: session };
  const answer = await world.call("POST /connections/disconnect?service=jira", { body });
  expect(answer).toMatchObject({ status: 200, body: { connected: false, revocation: { status: "failed" } } });
  expect(await findGrant(ports.db, deriveInstallationId(session), "jira")).toMatchObject({ sealed: null });
});

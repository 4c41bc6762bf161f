import { expect, test } from "vitest";
import { deriveInstallationId } from "#backend/accounts/sessions";
import { getServiceAccess } from "#backend/connections/tokens/access";
import { configureServices } from "#connectors/catalogue";
import { useBackend, type World } from "#test/backend";
import { consent, createSandboxWorld } from "#test/sandbox-world";

const base = useBackend();
const sandboxWorld = () => createSandboxWorld(base());

const CONNECTABLE = configureServices({ clients: {} }).flatMap(({ service }) =>
  service.name === "kyg" ? [] : [service.name],
);

test("every service of the sandbox is connected by a consent there, and listed by GET /connections", async () => {
  const sandbox = sandboxWorld();
  const first = await consent(sandbox, "jira", "allow");
  expect([first.page.status, first.status.body.status]).toEqual([200, "completed"]);
  for (const service of CONNECTABLE.filter((name) => name !== "jira")) {
    const { status } = await consent(sandbox, service, "allow", first.session);
    expect([service, status.body.status, "token" in status.body]).toEqual([service, "completed", false]);
  }
  const { body } = await sandbox.world.call("GET /connections", { token: String(first.status.body.token) });
  expect(body).toMatchObject({
    connections: {
      jira: { connected: true, user: { name: "Dana Demo" } },
      confluence: { connected: true, user: { name: "Dana Demo" } },
      bitbucket: { connected: true },
      hubspot: { connected: true, user: { name: "Dana Demo" }, metadata: { portal: "kay-demo.hubspot.com" } },
      linkedin: { connected: true, user: { name: "Dana Demo" } },
      slack: { connected: true, user: { name: "Dana Demo", username: "dana" } },
      github: { connected: true, user: { name: "Dana Demo", username: "dana-demo" } },
      gmail: { connected: true, user: { email: "dana@example.com" } },
      "google-calendar": { connected: true, metadata: { time_zone: "Europe/Berlin" } },
      "google-docs": { connected: true },
      "google-sheets": { connected: true },
      "google-drive": { connected: true },
      notion: { connected: true, user: { email: "dana@example.com" }, metadata: { workspace: "Kay Demo" } },
      airtable: { connected: true, user: { email: "dana@example.com" } },
      kyg: { connected: false },
    },
  });
});

test("a request searches mail by days in the time zone of its user", async () => {
  const sandbox = sandboxWorld();
  const { status } = await consent(sandbox, "gmail", "allow");
  const token = String(status.body.token);
  const find = async (time_zone?: string) => {
    const { body } = await sandbox.world.call("POST /ask", {
      token,
      body: { prompt: "mail from last week", time_zone },
    });
    return String(body.message);
  };
  // The mail is of Sunday at noon in UTC, when Monday has begun in Kiritimati.
  expect(await find()).toMatch(/^1 email after 2026-11-16 before 2026-11-23:/);
  expect(await find("Pacific/Kiritimati")).toMatch(/^No emails/);
});

test("a denial at the sandbox is reported as such", async () => {
  const { status } = await consent(sandboxWorld(), "jira", "deny");
  expect(status.body).toEqual({ status: "denied", message: "Authorization was denied" });
});

test("tokens of the sandbox rotate indefinitely, and a revoked grant ends the connection", async () => {
  for (const service of ["jira", "bitbucket", "slack", "gmail", "airtable", "hubspot"]) {
    const sandbox = sandboxWorld();
    const { session } = await consent(sandbox, service, "allow");
    const seen = new Set<string>();
    for (let round = 0; round < 4; round++) {
      const { token } = await access(sandbox.world, session, service);
      seen.add(token);
      base().clock.advance(13 * 3600_000);
    }
    expect([service, seen.size]).toEqual([service, 4]);
    const { token } = await access(sandbox.world, session, service);
    expect((await access(sandbox.world, session, service, token)).token).not.toBe(token);
    await sandbox.control(sandbox.findProvider(service), "tokens/revoke", {});
    base().clock.advance(13 * 3600_000);
    await expect(access(sandbox.world, session, service)).rejects.toMatchObject({
      code: "AUTH_REQUIRED",
      details: { integrations: [service] },
    });
  }
});

test("V20 a Notion token, which names no expiry, is refreshed when it is refused, and ends with the grant", async () => {
  const sandbox = sandboxWorld();
  const { session } = await consent(sandbox, "notion", "allow");
  const { token } = await access(sandbox.world, session, "notion");
  base().clock.advance(30 * 86_400_000);
  expect((await access(sandbox.world, session, "notion")).token).toBe(token);
  const next = await access(sandbox.world, session, "notion", token);
  expect(next.token).not.toBe(token);
  expect((await access(sandbox.world, session, "notion", next.token)).token).not.toBe(next.token);
  await sandbox.control("notion", "tokens/revoke", {});
  const { token: last } = await access(sandbox.world, session, "notion");
  await expect(access(sandbox.world, session, "notion", last)).rejects.toMatchObject({
    code: "AUTH_REQUIRED",
    details: { integrations: ["notion"] },
  });
});

function access(world: World, session: string, service: string, rejected?: string) {
  return getServiceAccess(world.ports, deriveInstallationId(session), service, { rejected });
}

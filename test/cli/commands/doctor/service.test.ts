import { expect, test } from "vitest";
import { readChecks } from "#test/doctor";
import { type Machine, useKay } from "#test/kay";

const kay = useKay();
const HERE = { env: { BROWSER: "none" }, signedIn: true };

async function serviceChecks(ann: Machine, name: string): Promise<Record<string, string>> {
  const all = Object.entries(readChecks(await ann(["doctor", name, "--json"])));
  return Object.fromEntries(all.filter(([id]) => id.startsWith("service")));
}

test("the connection of a service is tested with a harmless read", async () => {
  const ann = kay(HERE);
  const checks = await serviceChecks(ann, "Jira");
  expect({ ...checks, "service.read": checks["service.read"]?.replace(/\d+ ms/, "N ms") }).toEqual({
    service: "ok: Jira, in the sandbox.",
    "service.client": "ok: The sandbox's own. You need no account.",
    "service.consent": "ok: 127.0.0.1:4010 can be reached.",
    "service.account": "ok: Connected as Dana Demo (dana@example.com), at http://127.0.0.1:4010/sites/kay-demo.",
    "service.scopes": "ok: All 5 requested scopes are granted.",
    "service.read": "ok: jira.list_projects worked, in N ms.",
  });
  const calls = ann.place.network.calls().filter((call) => call.startsWith("POST /tools"));
  expect(calls).toEqual(["POST /tools/jira.list_projects/call"]);
});

test("a service that is not connected says how to connect it, and nothing is started", async () => {
  const ann = kay(HERE);
  expect(await serviceChecks(ann, "bitbucket")).toMatchObject({
    "service.account": "warning: It is not connected. → Run `kay connect bitbucket`.",
    "service.scopes": "skipped: It is not connected.",
    "service.read": "skipped: It is not connected.",
  });
  expect(ann.place.network.calls().filter((call) => call.startsWith("POST /connections"))).toEqual([]);
});

test("an unknown name fails, with the nearest one", async () => {
  const checks = await serviceChecks(kay(HERE), "jiraa");
  expect(checks.service).toMatch(
    /^failed: Unknown service "jiraa"\. Did you mean jira\? The services are jira, .* → Run `kay services`/,
  );
  expect(checks["service.read"]).toBe("skipped: Unknown service.");
});

test("before the first sign-in, nothing is known about a service", async () => {
  expect(await serviceChecks(kay({ env: HERE.env }), "jira")).toMatchObject({
    service: "skipped: Not signed in, so it cannot be checked. → Run `kay connect jira`.",
    "service.account": "skipped: Not signed in.",
  });
});

const JIRA = {
  name: "jira",
  title: "Jira",
  state: "connected",
  connected: true,
  target: "real",
  user: { name: "Ann" },
  scopes: { wanted: ["read:jira-work", "write:jira-work"], granted: ["read:jira-work"] },
  client: {
    provider: "atlassian",
    configured: true,
    variables: ["KAY_CLIENT_ATLASSIAN_ID", "KAY_CLIENT_ATLASSIAN_SECRET"],
    settings: ["atlassian.client-id", "atlassian.client-secret"],
    redirect_uri: "http://127.0.0.1:40123/auth/callback",
    authorize_url: "https://auth.atlassian.com/authorize",
  },
};

async function checkWith(changes: object, isOwn = false) {
  const ann = kay({ ...HERE, ...(isOwn ? { own: true } : {}) });
  await ann("whoami");
  ann.place.network.always("GET /services", { json: { services: [{ ...JIRA, ...changes }] } });
  return serviceChecks(ann, "jira");
}

test("missing scopes, and an unregistered redirect address, are reported", async () => {
  expect(await checkWith({}, true)).toMatchObject({
    "service.client": expect.stringMatching(
      /^warning: Your own, but its redirect URL is http:\/\/127\.0\.0\.1:40123\/auth\/callback now, because another program uses port 4040\./,
    ),
    "service.scopes": "warning: Not granted: write:jira-work. → Run `kay connect jira` and allow everything.",
  });
  expect((await checkWith({}))["service.client"]).toBe(
    "ok: Your own. Its redirect URL http://127.0.0.1:40123/auth/callback must be registered.",
  );
});

test("a service without a client says where to set one", async () => {
  const changes = {
    state: "not_configured",
    connected: false,
    target: undefined,
    client: { ...JIRA.client, configured: false },
  };
  const register = "Register one with the redirect URL http://127.0.0.1:40123/auth/callback";
  expect((await checkWith(changes))["service.client"]).toBe(
    `failed: The backend has no OAuth client for it. → ${register}, then set KAY_CLIENT_ATLASSIAN_ID and KAY_CLIENT_ATLASSIAN_SECRET.`,
  );
  expect((await checkWith(changes, true))["service.client"]).toBe(
    `failed: The backend has no OAuth client for it. → ${register}, then set \`kay config set atlassian.client-id <id>\`.`,
  );
});

test("a token that the service refuses fails at the read", async () => {
  const ann = kay(HERE);
  await ann("whoami");
  const refusal = {
    error: { code: "AUTH_REQUIRED", integration: "jira", message: "Jira refuses the token." },
    code: "AUTH_REQUIRED",
    message: "Jira refuses the token.",
    integrations: ["jira"],
  };
  ann.place.network.on("POST /tools/jira.list_projects/call", { status: 403, json: refusal });
  expect((await serviceChecks(ann, "jira"))["service.read"]).toBe(
    "failed: jira.list_projects: Jira refuses the token. → Run `kay connect jira`.",
  );
});

test("names and reasons of a backend cannot write control sequences to the terminal", async () => {
  const checks = await checkWith({
    state: "not_connected",
    connected: false,
    reason: "gone\u001b[2J\nfor good",
    title: "Ji\u202era",
  });
  expect(checks["service.account"]).toBe("failed: The connection was lost: gone for good → Run `kay connect jira`.");
  expect(checks.service).not.toMatch(/\u202e/);
});

import { expect, test } from "vitest";
import { deriveInstallationId } from "#backend/accounts/sessions";
import { useBackend } from "#test/backend";
import { ANN, expectAtlassian } from "#test/consent";

const world = useBackend({ showsBeginPage: true });
const CODE = /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/;

async function begin(body: object = {}, token?: string) {
  const answer = await world().call("POST /connections/connect?service=jira", { body, token });
  return { link: new URL(String(answer.body.authorization_url)), state: String(answer.body.state), body: answer.body };
}

async function openPage(link: URL): Promise<string> {
  return (await world().call(`GET ${link.pathname}${link.search}`)).text;
}

/** Presses a button of a page with one form, and returns the response. */
async function press(page: string, path: string, decision?: string) {
  const hidden = [...page.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)];
  const form = new URLSearchParams(Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, value])));
  if (decision) form.set("decision", decision);
  const headers = { "content-type": "application/x-www-form-urlencoded", origin: world().ports.publicUrl };
  const answer = await world().backend.fetch(
    new Request(`${world().ports.publicUrl}${path}`, { method: "POST", body: form.toString(), headers }),
  );
  const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  return { status: answer.status, text: await answer.text(), cookie, headers: answer.headers };
}

function callback(state: string, cookie?: string) {
  return world().call(`GET /auth/callback?code=the-code&state=${state}`, cookie ? { headers: { cookie } } : {});
}

test("F7 the link leads to a page that explains the request, with the terminal's code, who asked and when", async () => {
  const { link, body } = await begin();
  expect(`${link.origin}${link.pathname}`).toBe(`${world().ports.publicUrl}/auth/begin`);
  expect(body.user_code).toMatch(CODE);
  const page = await openPage(link);
  for (const words of ["Connect Jira to kay?", body.user_code, "just now", "a kay that is not signed in"])
    expect(page).toContain(words);
  expect(page).toContain("the person who sent you this\nlink would get access to your Jira account");
  const signedIn = await begin({ session_id: (await connectHere()).session });
  expect(await openPage(signedIn.link)).toContain("the kay of Ann Example");
});

test("F7 only the browser that pressed the button completes the consent", async () => {
  const { link, state } = await begin();
  const next = await press(await openPage(link), "/auth/begin", "continue");
  expect(next.headers.get("set-cookie")).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/);
  expect(next.text).toMatch(/http-equiv="refresh" content="0; url=https:\/\/auth\.atlassian\.com\/authorize\?/);
  for (const cookie of [undefined, next.cookie.replace(/.$/, (last) => (last === "a" ? "b" : "a")), "kay-x=1"]) {
    const refused = await callback(state, cookie);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("did not open the link")]);
  }
  expect((await world().call(`GET /auth/status/${state}`)).body).toMatchObject({ status: "pending" });
  expectAtlassian(world());
  expect((await callback(state, `other=1; ${next.cookie}`)).status).toBe(200);
  expect((await world().call(`GET /auth/status/${state}`)).body).toMatchObject({ status: "completed" });
});

test("F7 a direct link to the service connects nothing", async () => {
  const { state } = await begin();
  expect((await callback(state)).status).toBe(400);
});

test("F7 with https, the cookie has a prefix that no other host can set", async () => {
  const { ports } = world();
  const { publicUrl } = ports;
  ports.publicUrl = "https://kay.example.test";
  try {
    const { link } = await begin();
    const answer = await press(await openPage(link), "/auth/begin", "continue");
    expect(answer.headers.get("set-cookie")).toMatch(/^__Host-kay-[0-9a-f]{16}=[\w-]{43}; Path=\/; .*; Secure$/);
  } finally {
    ports.publicUrl = publicUrl;
  }
});

test("F7 a user who did not start it says so on the page", async () => {
  const { link, state } = await begin();
  expect((await press(await openPage(link), "/auth/begin", "cancel")).text).toContain("Jira was not connected");
  expect((await world().call(`GET /auth/status/${state}`)).body).toMatchObject({ status: "denied" });
  const forged = await press('type="hidden" name="state" value="x"', "/auth/begin", "continue");
  expect(forged.status).toBe(400);
});

test("F7 the result page undoes the connection, its sign-in, its script tokens, and undelivered tokens", async () => {
  const { token, session, page, state } = await connectHere();
  const { body: script } = await world().call("POST /auth/tokens", { token, body: { name: "ci" } });
  expect(page).toContain("Did you not start this yourself?");
  expect((await press(page.replaceAll(/name="ticket" value="./g, 'name="ticket" value="!'), "/auth/undo")).status).toBe(
    400,
  );
  // The account of other tests: Atlassian's access is revoked with the last connection of an account.
  await world().ports.db.deleteFrom("grants").where("installation_id", "!=", deriveInstallationId(session)).execute();
  for (const hint of ["refresh_token", "access_token"])
    world().outside.expect("POST https://auth.atlassian.com/oauth/revoke", (request) => {
      expect(new URLSearchParams(request.body).get("token_type_hint")).toBe(hint);
      return new Response(null, { status: 200 });
    });
  const undone = await press(page, "/auth/undo");
  expect([undone.status, undone.text]).toEqual([200, expect.stringContaining("Jira is disconnected again")]);
  for (const ended of [token, String(script.token)])
    expect((await world().call("GET /connections", { token: ended })).status).toBe(401);
  const { body } = await world().call(`GET /connections?session_id=${session}`);
  expect(body).toMatchObject({ connections: { jira: { connected: false } } });
  expect((await press(page, "/auth/undo")).status).toBe(400);
  expect((await world().call(`GET /auth/status/${state}`)).body).toMatchObject({ status: "denied" });
});

test("a stand-in on this machine, which has no accounts to protect, gets its link at once", async () => {
  const { ports } = world();
  const local = ports.services.map((one) =>
    one.endpoints ? { ...one, endpoints: { ...one.endpoints, authorize: "http://127.0.0.1:9/authorize" } } : one,
  );
  const { services } = ports;
  ports.services = local;
  try {
    const { link, body } = await begin();
    expect([link.origin, body.user_code]).toEqual(["http://127.0.0.1:9", undefined]);
  } finally {
    ports.services = services;
  }
});

async function connectHere() {
  const { link, state, body } = await begin();
  const { cookie } = await press(await openPage(link), "/auth/begin", "continue");
  expectAtlassian(world(), { account: ANN });
  const page = (await callback(state, cookie)).text;
  const status = await world().call(`GET /auth/status/${state}`);
  return { session: String(body.session_id), state, page, token: String(status.body.token) };
}

import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openHome } from "#test/built/home";
import { fakeBackend } from "#test/fake-backend";
import { SIGN_IN } from "#test/refresh";

/** Opens a home signed in at a strict backend. */
async function openSignedIn(env: Record<string, string> = {}) {
  const backend = await fakeBackend();
  const home = openHome({ KAY_API_URL: backend.url, ...env });
  await home.signIn(backend.url, SIGN_IN);
  return { backend, home };
}

/** Runs one line of shell. */
async function shell(env: Record<string, string>, cwd: string, line: string) {
  const child = spawn("/bin/bash", ["-c", line], { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  child.stdout.on("data", (bytes) => (stdout += bytes));
  const exit = await new Promise((resolve) => child.once("close", resolve));
  return { exit, stdout };
}

test("a closed stderr does not stop the work", async () => {
  const { backend, home } = await openSignedIn();
  backend.on("POST /ask", async () => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    return { json: { status: "completed", message: "Hello.", receipts: [] } };
  });
  // The note about the silent pipe is the first thing written, after 3 s, to a pipe without a reader.
  const line = "sleep 5 | kay ask hello 2> >(exec 0<&-; sleep 0.2); exit $?";
  expect(await shell(home.env, home.folder, line)).toEqual({ exit: 0, stdout: "Hello.\n" });
});

test("a BROWSER that cannot even be looked up is reported, and the wait continues", async () => {
  const { backend, home } = await openSignedIn({ BROWSER: "/etc/passwd/browser" });
  const connected = { connected: true, user: { name: "Ann" } };
  backend.on("GET /connections", { json: { connections: { jira: { connected: false } } } });
  backend.on("GET /connections", { json: { connections: { jira: connected } } });
  const link = "https://auth.example.test/authorize?state=s1";
  const begun = { session_id: SIGN_IN.session_id, service: "jira", authorization_url: link, state: "s1" };
  const expires_at = new Date(Date.now() + 600_000).toISOString();
  backend.on("POST /connections/connect?service=jira", { json: { ...begun, expires_at } });
  backend.on("GET /auth/status/s1", { json: { status: "completed" } });
  expect(await home.run(["connect", "jira"])).toEqual({
    exit: 0,
    stdout: "Connected jira as Ann\n",
    stderr: `To connect jira, allow access at auth.example.test:\n\n${link}\n\nCould not open a browser. Open the link manually.\nWaiting for authorization in your browser (10 minutes left)…\n`,
  });
});

test("with a umask of 0 no other user can put compiled code where kay would run it", async () => {
  const home = openHome();
  const cache = join(home.folder, ".cache", "kay");
  expect(
    (await shell({ ...home.env, HOME: home.folder }, home.folder, "unset XDG_CACHE_HOME; umask 0; kay config path"))
      .exit,
  ).toBe(0);
  expect([cache, join(cache, "compiled")].map((folder) => statSync(folder).mode & 0o777)).toEqual([0o700, 0o700]);
});

test("a umask that denies the owner does not make kay's files unreadable", async () => {
  const home = openHome();
  const script = "umask 777; kay config set model offline && kay config get model";
  expect(await shell(home.env, home.folder, script)).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/offline\n$/),
  });
});

test("compiled code that others could have changed is not run", async () => {
  const home = openHome();
  const cache = join(home.folder, "shared", "kay", "compiled");
  mkdirSync(cache, { recursive: true });
  chmodSync(cache, 0o777);
  const env = { ...home.env, XDG_CACHE_HOME: join(home.folder, "shared") };
  expect((await shell(env, home.folder, "kay config path && ls shared/kay/compiled | wc -l")).stdout).toMatch(/\n0\n$/);
  expect(existsSync(cache)).toBe(true);
});

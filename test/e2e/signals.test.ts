import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Home, openHome } from "#test/built/home";
import { until } from "#test/built/processes";
import { openShell } from "#test/built/terminal";
import { fakeBackend } from "#test/fake-backend";
import { SIGN_IN } from "#test/refresh";

const STATUS = "GET /auth/status/state-1";
const readStore = (home: Home) => readFileSync(join(home.config, "credentials/default.json"), "utf8");

/** Opens a home signed in at a backend without consents. */
async function openWaiting() {
  const backend = await fakeBackend();
  const home = openHome({ KAY_API_URL: backend.url });
  await home.signIn(backend.url, SIGN_IN);
  backend.always("GET /connections", { json: { connections: { jira: { connected: false } } } });
  const authorization_url = "https://auth.example.test/authorize?client_id=kay&state=state-1";
  const connect = { session_id: SIGN_IN.session_id, service: "jira", authorization_url, state: "state-1" };
  backend.always("POST /connections/connect?service=jira", {
    json: { ...connect, expires_at: new Date(Date.now() + 600_000).toISOString() },
  });
  backend.always(STATUS, { json: { status: "pending" } });
  const polls = () => backend.calls().filter((call) => call === STATUS).length;
  return { backend, home, polls, secondPoll: () => until(() => polls() >= 2, "there was no second poll") };
}

test("A28 Ctrl+C during the wait ends it with 130 within a second: cooked mode, visible cursor, store unchanged, no further poll", async () => {
  const { home, polls, secondPoll } = await openWaiting();
  const oldStore = readStore(home);
  const shell = await openShell({ columns: 80, rows: 24, env: home.env, cwd: home.folder });
  const cooked = await shell.run("stty -a");
  shell.enter("kay connect jira");
  await secondPoll();
  const pollCount = polls();
  const pressed = performance.now();
  shell.type("\x03");
  expect(await shell.exit()).toBe(130);
  expect(performance.now() - pressed).toBeLessThan(1_500);
  expect(shell.isCursorVisible()).toBe(true);
  expect(await shell.run("stty -a")).toEqual(cooked);
  expect([readStore(home), polls()]).toEqual([oldStore, pollCount]);
});

for (const [signal, exit] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const) {
  test(`A28 ${signal} without a terminal ends the wait with ${exit} within a second and leaves the store unchanged`, async () => {
    const { home, polls, secondPoll } = await openWaiting();
    const oldStore = readStore(home);
    const running = home.start(["connect", "jira"]);
    await secondPoll();
    const pollCount = polls();
    const sentAt = performance.now();
    running.child.kill(signal);
    expect((await running.ended).exit).toBe(exit);
    expect(performance.now() - sentAt).toBeLessThan(1_500);
    expect([readStore(home), polls()]).toEqual([oldStore, pollCount]);
  });
}

for (const [signal, exit] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  test(`C13 ${signal} during a request ends it with ${exit} within a second, and the backend sees the request aborted`, async () => {
    const backend = await fakeBackend();
    const home = openHome({ KAY_API_URL: backend.url });
    await home.signIn(backend.url, SIGN_IN);
    backend.on("POST /ask", "hang");
    const running = home.start(["ask", "long"]);
    await until(() => backend.calls().length > 0, "it never asked");
    const sentAt = performance.now();
    running.child.kill(signal);
    expect(await running.ended).toMatchObject({ exit, stdout: "" });
    expect(performance.now() - sentAt).toBeLessThan(1_500);
    await until(() => backend.abandoned().includes("POST /ask"), "the backend never saw it");
  });
}

/** Opens a shell whose kay is at a backend that holds a change for approval. */
async function openAtPlan(program?: "/bin/bash") {
  const backend = await fakeBackend();
  const home = openHome({ KAY_API_URL: backend.url });
  await home.signIn(backend.url, SIGN_IN);
  const body = { status: "confirmation_required", message: "Close KAY-3?", confirmation_token: "confirm_1" };
  backend.on("POST /ask", { json: body });
  const shell = await openShell({
    columns: 80,
    rows: 24,
    env: home.env,
    cwd: home.folder,
    ...(program ? { shell: program } : {}),
  });
  return { backend, shell };
}

test("N43 Escape and arrows at a question show nothing", async () => {
  const { shell, backend } = await openAtPlan();
  const cooked = await shell.run("stty -a");
  shell.enter('kay ask --confirm "close KAY-3"');
  await shell.shows(/\[y\/N\] $/);
  shell.type("\x1b[A\x1bOB\x1b[1;5Cy");
  await shell.shows(/\[y\/N\] y$/);
  shell.type("\x1b\x7f\x03");
  expect(await shell.exit()).toBe(130);
  expect(shell.bytes()).not.toMatch(/\^\[/);
  expect(backend.calls()).toEqual(["POST /ask"]);
  expect(await shell.run("stty -a")).toEqual(cooked);
});

test("Ctrl+C at a question exits with 130, nothing done, and the terminal restored", async () => {
  const { shell, backend } = await openAtPlan();
  const cooked = await shell.run("stty -a");
  shell.enter('kay ask --confirm "close KAY-3"');
  await shell.shows(/\[y\/N\] $/);
  shell.type("\x03");
  expect(await shell.exit()).toBe(130);
  expect(await shell.run("stty -a")).toEqual(cooked);
  expect(backend.calls()).toEqual(["POST /ask"]);
});

test("Ctrl+Z at a question and fg show the question again, with what was typed", async () => {
  const { shell, backend } = await openAtPlan("/bin/bash");
  shell.enter('kay ask --confirm "close KAY-3"');
  await shell.shows(/\[y\/N\] $/);
  shell.type("n");
  await shell.shows(/\[y\/N\] n$/);
  shell.type("\x1a");
  await shell.shows(/Stopped/);
  shell.type("fg\r");
  await shell.shows(/Stopped[\s\S]*\n.*\[y\/N\] n$/);
  shell.type("o\x03");
  await shell.shows(/\[y\/N\] no[\s\S]*\n> $/);
  expect(backend.calls()).toEqual(["POST /ask"]);
});

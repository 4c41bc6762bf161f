import { expect, test } from "vitest";
import { type Home, openHome } from "#test/built/home";
import { fakeBackend, type Reply, type Seen } from "#test/fake-backend";
import { jwt, MINUTE } from "#test/refresh";

const NOW = Math.floor(Date.now() / 1000) * 1000;
const T0 = jwt(NOW - 31 * MINUTE);
const T1 = jwt(NOW);
const K1 = "kaysession_1";
const OK = { json: { token: T1, refresh_token: "R1", message: "ok" } };
const REFUSED = { status: 401, json: { error: "REFRESH_INVALID", code: "REFRESH_INVALID", message: "no" } };

/** Opens a home signed in to a strict backend that accepts one access token. */
async function openSignedIn(token: string, accepted = T1) {
  const backend = await fakeBackend();
  const home = openHome({ KAY_API_URL: backend.url });
  await home.signIn(backend.url, { session_id: K1, token, refresh_token: "R0" });
  const answer: Reply = (request: Seen) =>
    request.headers.authorization === `Bearer ${accepted}`
      ? { json: { connections: { jira: { connected: true } } } }
      : { status: 401, json: { error: "TOKEN_EXPIRED", code: "TOKEN_EXPIRED", message: "expired" } };
  backend.always("GET /connections", answer);
  const refreshes = () => backend.seen.filter(({ path }) => path === "/auth/refresh").map(({ body }) => body);
  return { backend, home, refreshes, stored: () => home.signedIn(backend.url) };
}

const CONNECTED = { exit: 0, stdout: "jira\tconnected\t\t\n", stderr: "" };
const together = (home: Home, count: number) =>
  Promise.all(Array.from({ length: count }, () => home.run(["connections"], { limitMs: 60_000 })));

test("A01 twelve concurrent commands with an expired token make one refresh, and all succeed signed in", {
  timeout: 90_000,
}, async () => {
  const { backend, home, refreshes, stored } = await openSignedIn(T0);
  let first = true;
  backend.always("POST /auth/refresh", async () => {
    const answer = first ? OK : REFUSED;
    first = false;
    await new Promise((resolve) => setTimeout(resolve, 300));
    return answer;
  });
  expect(await together(home, 12)).toEqual(Array.from({ length: 12 }, () => CONNECTED));
  expect(refreshes()).toEqual([{ refresh_token: "R0" }]);
  expect(await stored()).toMatchObject({ session_id: K1, token: T1, refresh_token: "R1" });
});

test("A03 a process that loses the refresh race keeps the winner's tokens and continues with them", async () => {
  const { backend, home, refreshes, stored } = await openSignedIn(T0);
  backend.on("POST /auth/refresh", async () => {
    await home.signIn(backend.url, { session_id: K1, token: T1, refresh_token: "R1" });
    return REFUSED;
  });
  expect(await home.run(["connections"])).toEqual(CONNECTED);
  expect(refreshes()).toHaveLength(1);
  expect(await stored()).toMatchObject({ session_id: K1, token: T1, refresh_token: "R1" });
});

test("A03 a refusal of the refresh token that is still stored deletes the tokens, keeps the session, and says to connect", async () => {
  const { backend, home, stored } = await openSignedIn(T0);
  backend.on("POST /auth/refresh", REFUSED);
  expect(await home.run(["connections"])).toEqual({
    exit: 4,
    stdout: "",
    stderr: "✗ Your sign-in has ended.\n  Run `kay connect <service>` to sign in again.\n",
  });
  expect(await stored()).toEqual({ session_id: K1 });
});

const faults: { name: string; reply: Reply; says: RegExp }[] = [
  { name: "(a) a dropped connection", reply: "drop", says: /closed the connection|did not|broke/i },
  { name: "(b) a 503 with a web page", reply: { status: 503, text: "<html>Service Unavailable</html>" }, says: /503/ },
  { name: "(c) a 429", reply: { status: 429, headers: { "Retry-After": "2" }, json: {} }, says: /too many|busy|429/i },
  { name: "(d) silence", reply: "hang", says: /in time|10 s|answer/ },
  { name: "(e) a 408", reply: { status: 408, json: {} }, says: /408|in time|answer/ },
];
test.for(faults)(
  "A04 $name from the refresh is not a logout: the tokens stay, exit 6, try again",
  async ({ reply, says }) => {
    const { backend, home, stored } = await openSignedIn(T0);
    backend.always("POST /auth/refresh", reply);
    const { exit, stdout, stderr } = await home.run(["connections"]);
    expect({ exit, stdout }).toEqual({ exit: 6, stdout: "" });
    expect(stderr).toMatch(says);
    expect(stderr).toMatch(/try again/i);
    expect(stderr).not.toMatch(/sign|log in|connect </i);
    expect(await stored()).toEqual({ session_id: K1, token: T0, refresh_token: "R0" });
  },
);

test("A30 a token that is valid for 25 minutes is not refreshed", async () => {
  const token = jwt(NOW - 5 * MINUTE);
  const { home, refreshes } = await openSignedIn(token, token);
  expect(await together(home, 3)).toEqual([CONNECTED, CONNECTED, CONNECTED]);
  expect(refreshes()).toEqual([]);
});

test("A30 a token that is valid for 4 minutes is refreshed once for all processes", async () => {
  const { backend, home, refreshes } = await openSignedIn(jwt(NOW - 26 * MINUTE));
  backend.on("POST /auth/refresh", OK);
  expect(await together(home, 3)).toEqual([CONNECTED, CONNECTED, CONNECTED]);
  expect(refreshes()).toHaveLength(1);
});

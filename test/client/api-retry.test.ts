import { expect, test } from "vitest";
import { formatWait } from "#net/retry-after";
import { apiFor, catchProblem } from "#test/client-api";
import { fakeBackend, type Reply } from "#test/fake-backend";

const OK: Reply = { json: { connections: {} } };

function limitRequests(retryAfter?: string | (() => string)): Reply {
  return () => {
    const value = typeof retryAfter === "function" ? retryAfter() : retryAfter;
    const headers: Record<string, string> = value === undefined ? {} : { "Retry-After": value };
    return { status: 429, headers, json: { error: "RATE_LIMITED" } };
  };
}

/** Returns the waits between the attempts of one GET that is answered by `replies`. */
async function waits(...replies: Reply[]): Promise<number[]> {
  const backend = await fakeBackend();
  backend.on("GET /connections", ...replies);
  const { api, clock } = apiFor(backend.url, { token: "T0" });
  await api.connections();
  expect(backend.seen.length).toBe(replies.length);
  return clock.sleeps;
}

test("H18 a Retry-After in seconds or with a future date is respected", async () => {
  expect(await waits(limitRequests("2"), OK)).toEqual([2000]);
  const [wait = 0] = await waits(
    limitRequests(() => new Date(Date.now() + 3000).toUTCString()),
    OK,
  );
  expect(wait).toBeGreaterThanOrEqual(2000);
  expect(wait).toBeLessThanOrEqual(4000);
});

test("H18 a Retry-After that is past, negative, not a number or absent gives the default wait of at least a second", async () => {
  for (const odd of ["Wed, 21 Oct 2015 07:28:00 GMT", "-1", "soon", "", "1e9", "NaN", undefined]) {
    expect([odd, await waits(limitRequests(odd), OK)]).toEqual([odd, [1000]]);
  }
});

test("H18 no two attempts are closer than half a second", async () => {
  expect(await waits(limitRequests("0"), OK)).toEqual([500]);
});

test("H18 a wait of more than a minute fails at once and names the wait", async () => {
  const backend = await fakeBackend();
  backend.on("GET /connections", limitRequests("1771404540"), limitRequests("3600"), limitRequests("999999999999999"));
  const { api, clock } = apiFor(backend.url, { token: "T0" });
  expect(await catchProblem(api.connections())).toMatchObject({
    code: "RATE_LIMITED",
    message: `${backend.url} received too many requests (429).`,
    hint: "Try again in more than a year.",
    details: { retry_after: 1771404540 },
  });
  expect((await catchProblem(api.connections())).hint).toBe("Try again in 60 min.");
  expect(formatWait(200_000_000)).toBe("3 days");
  expect(clock.sleeps).toEqual([]);
  expect((await catchProblem(api.connections())).code).toBe("RATE_LIMITED");
  expect(clock.sleeps).toEqual([]);
});

test("a network that answers 511 asks the user to sign in to it", async () => {
  const backend = await fakeBackend();
  backend.on("GET /connections", { status: 511, text: "<html>", headers: { "Content-Type": "text/html" } });
  expect(await catchProblem(apiFor(backend.url, { token: "T0" }).api.connections())).toMatchObject({
    code: "BAD_GATEWAY",
    hint: "Sign in to the network in your browser, then try again.",
  });
});

test("H18 a GET is tried at most three times", async () => {
  const backend = await fakeBackend();
  backend.on("GET /connections", limitRequests("1"), limitRequests("1"), limitRequests("1"));
  const { api, clock } = apiFor(backend.url, { token: "T0" });
  expect((await catchProblem(api.connections())).code).toBe("RATE_LIMITED");
  expect(clock.sleeps).toEqual([1000, 1000]);
});

test("H19 a GET is retried after a broken connection and after a gateway's 502, 503 and 504", async () => {
  expect(await waits("drop", { status: 502, text: "<html>" }, OK)).toEqual([1000, 2000]);
  expect(
    await waits({ status: 503, text: "<html>", headers: { "Retry-After": "3" } }, { status: 504, text: "" }, OK),
  ).toEqual([3000, 2000]);
});

test("the default wait varies randomly, by a quarter at most", async () => {
  const backend = await fakeBackend();
  backend.on("GET /connections", "drop", OK);
  const { api, clock } = apiFor(backend.url, { token: "T0", random: (bytes) => new Uint8Array(bytes).fill(255) });
  await api.connections();
  expect(clock.sleeps).toEqual([1250]);
});

test("a GET to a port without a listener on this machine fails at once", async () => {
  const { api, clock } = apiFor("http://127.0.0.1:9", { token: "T0" });
  expect((await catchProblem(api.connections())).code).toBe("UNREACHABLE");
  expect(clock.sleeps).toEqual([]);
});

test("a failure of the backend itself, or of the client, is not retried", async () => {
  for (const reply of [
    { status: 500, json: {} },
    { status: 404, json: {} },
    { status: 503, json: { error: "DATABASE_UNAVAILABLE", message: "m" } },
  ]) {
    const backend = await fakeBackend();
    backend.on("GET /connections", reply);
    await catchProblem(apiFor(backend.url, { token: "T0" }).api.connections());
    expect(backend.seen.length).toBe(1);
  }
});

test("Ctrl+C during a wait ends the call without another attempt, whether the clock resolves or rejects", async () => {
  for (const end of [() => Promise.resolve(), () => Promise.reject("SIGINT")]) {
    const backend = await fakeBackend();
    const controller = new AbortController();
    backend.on("GET /connections", { status: 503, headers: { "Retry-After": "20" }, json: {} });
    const sleep = (ms: number) => {
      if (ms !== 20_000) return new Promise<void>(() => {});
      controller.abort("SIGINT");
      return end();
    };
    const { api } = apiFor(backend.url, { token: "T0", clock: { now: Date.now, sleep } });
    expect((await catchProblem(api.connections({ signal: controller.signal }))).code).toBe("CANCELLED");
  }
});

test("a limit without a time keeps the hint of the backend, such as the end of a service's limit", async () => {
  const backend = await fakeBackend();
  const hint = "Try again in 60 s.";
  const busy = {
    status: 429,
    json: { error: "RATE_LIMITED", message: "GitHub is receiving too many requests.", hint },
  };
  backend.on("GET /connections", busy, busy, busy);
  expect(await catchProblem(apiFor(backend.url, { token: "T0" }).api.connections())).toMatchObject({
    code: "RATE_LIMITED",
    hint,
  });
});

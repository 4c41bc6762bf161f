import { expect, test } from "vitest";
import { pollAuthorization } from "#client/consent/poll";
import { Problem } from "#protocol/errors";
import { apiFor, catchProblem } from "#test/client-api";
import { type FakeBackend, fakeBackend, type Reply } from "#test/fake-backend";

const PENDING: Reply = { json: { status: "pending", message: "Authorization not yet completed" } };
const COMPLETED: Reply = {
  json: { status: "completed", account_id: "557058:t", token: "T1", refresh_token: "R1", message: "ok" },
};

/** One poll loop against a backend on a socket, on a clock that jumps. */
function poll(backend: FakeBackend, options: { signal?: AbortSignal } = {}) {
  const { api, clock } = apiFor(backend.url);
  const notes: string[] = [];
  const note = (message: string) => void notes.push(message);
  const start = clock.now();
  const status = pollAuthorization({
    api,
    clock,
    service: "jira",
    state: "S1",
    deadline: start + 600_000,
    note,
    ...options,
  });
  return { done: status, clock, notes, elapsed: () => clock.now() - start };
}

test("A11 polling lasts ten minutes, with 200 to 300 requests, and then says that the link expired", async () => {
  const backend = await fakeBackend();
  backend.always("GET /auth/status/S1", PENDING);
  const { done, elapsed } = poll(backend);
  expect(await catchProblem(done)).toMatchObject({
    code: "AUTHORIZATION_EXPIRED",
    message: "The authorization link has expired (links are valid for 10 minutes).",
    hint: "Run `kay connect jira` again for a fresh link.",
  });
  expect(elapsed()).toBe(600_000);
  expect(backend.seen.length).toBe(241);
});

test("A12 failed polls count as pending, with one quiet note, and the login completes", async () => {
  const backend = await fakeBackend();
  const replies: Reply[] = [
    PENDING,
    "drop",
    { status: 502, text: "<html><h1>502</h1></html>" },
    { text: "" },
    { text: '{"sta' },
    { text: "<html>" },
  ];
  backend.on(
    "GET /auth/status/S1",
    ...replies,
    { status: 404, text: "<html>" },
    { status: 500, json: {} },
    PENDING,
    COMPLETED,
  );
  const { done, notes, clock } = poll(backend);
  expect(await done).toMatchObject({ status: "completed", token: "T1", refresh_token: "R1" });
  expect(notes).toEqual([
    `The connection to ${backend.url} broke before the response was complete (ECONNRESET). Retrying.`,
  ]);
  expect(clock.sleeps).toEqual(Array(9).fill(2500));
});

test("A12 a temporary name failure and a 429 do not end the login; Retry-After is respected", async () => {
  const { clock } = apiFor("http://127.0.0.1:9");
  const answers = [
    new Problem("UNREACHABLE", "Cannot reach https://kay.test (ENOTFOUND).", {
      details: { errno: "ENOTFOUND", sent: false },
    }),
    new Problem("RATE_LIMITED", "Too many.", { details: { retry_after: 4 } }),
    new Problem("RATE_LIMITED", "Too many.", { details: { retry_after: 99_999_999 } }),
  ];
  const api = { status: () => Promise.reject(answers.shift() ?? new Problem("STATE_INVALID", "gone")) };
  const waits: number[] = [];
  const quick = { ...clock, sleep: async (ms: number) => void waits.push(ms) };
  await catchProblem(
    pollAuthorization({ api, clock: quick, service: "jira", state: "S1", deadline: clock.now() + 600_000 }),
  );
  expect(waits).toEqual([2500, 4000, 600_000]);
});

test("A16 a state that is expired, unknown, denied or failed ends the wait at once", async () => {
  const invalid = { error: "INVALID_STATE", message: "Invalid or expired state" };
  const cases: [Reply, string, string][] = [
    [{ status: 400, json: invalid }, "STATE_INVALID", "Invalid or expired state"],
    [{ status: 404, json: invalid }, "STATE_INVALID", "Invalid or expired state"],
    [{ status: 410, json: { error: "STATE_USED", message: "Used." } }, "STATE_USED", "Used."],
    [{ status: 401, json: { error: "VERIFIER_INVALID", message: "No." } }, "VERIFIER_INVALID", "No."],
    [
      { json: { status: "expired" } },
      "AUTHORIZATION_EXPIRED",
      "The authorization link has expired (links are valid for 10 minutes).",
    ],
    [{ json: { status: "denied" } }, "AUTHORIZATION_DENIED", "Access to jira was denied."],
    [
      { json: { status: "failed", message: "The account is \u001b[31mB, expected A." } },
      "AUTHORIZATION_FAILED",
      "The account is B, expected A.",
    ],
    [
      { json: { status: "failed", code: "SITE_REQUIRED", message: "Two sites.", sites: [{ name: "main", url: "u" }] } },
      "SITE_REQUIRED",
      "Two sites.",
    ],
  ];
  for (const [reply, code, message] of cases) {
    const backend = await fakeBackend();
    backend.on("GET /auth/status/S1", reply);
    const { done, notes } = poll(backend);
    expect(await catchProblem(done)).toMatchObject({ code, message });
    expect(notes).toEqual([]);
    expect(backend.seen.length).toBe(1);
  }
});

test("A16 the exit code of a denial is 5, and a missing site lists the sites", async () => {
  const backend = await fakeBackend();
  const sites = [{ name: "main", url: "https://main.example.test" }];
  backend.on(
    "GET /auth/status/S1",
    { json: { status: "denied" } },
    { json: { status: "failed", code: "SITE_REQUIRED", sites } },
  );
  expect((await catchProblem(poll(backend).done)).exit).toBe(5);
  expect((await catchProblem(poll(backend).done)).details).toEqual({ reason: "SITE_REQUIRED", sites });
});

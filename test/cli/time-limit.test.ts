import { expect, test } from "vitest";
import { memoryKeychain } from "#test/credentials";
import { useKay } from "#test/kay";
import { approval, begins, calls, createText, IDS, sse, status } from "#test/parts";

const kay = useKay();
const TERMINAL = { terminal: true, env: { NO_COLOR: "1" } };
const CANCEL = "POST /generations/gen_1/cancel";
const EVENTS = "GET /sessions/session_1/events";
const RECEIPT = { tool_call_id: "c1", tool: "jira.close_issue", summary: "Close KAY-3" };
const receipt = (effect: string) => ({ type: "data-receipt", data: { ...RECEIPT, effect } }) as never;
const INPUT = { issue: "KAY-3" };

/** Creates a user whose backend never finishes after these parts. */
function startWork(...parts: Parameters<typeof sse>[0]) {
  const ann = kay({ signedIn: true });
  const stream = async function* () {
    yield* sse([...begins(), ...parts], { ends: false });
    await new Promise(() => {});
  };
  ann.place.network.on("POST /ask", { stream: stream() });
  return ann;
}

test.for([
  ["30", "30 s"],
  ["30s", "30 s"],
  ["0.5m", "30 s"],
  ["1m5s", "1 min 5 s"],
])("--timeout %s ends a command that waits after %s", async ([time = "", words]) => {
  const ann = startWork(...createText("I am"));
  ann.place.network.on(CANCEL, { status: 404, json: { code: "GENERATION_NOT_FOUND" } });
  const { exit, stderr } = await ann(`ask x --timeout ${time}`);
  expect({ exit, stderr }).toEqual({
    exit: 1,
    stderr: `✗ Timed out after ${words}. It may continue at the backend.
  \`kay sessions show session_1\` shows what was done.
`,
  });
});

test("a request that times out is canceled at the backend, and its changes are reported", async () => {
  const ann = startWork(calls("jira.close_issue", INPUT), receipt("settled"));
  ann.place.network.on(CANCEL, { json: { id: "gen_1", session_id: "session_1", status: "running" } });
  const rest = sse([status("cancelled"), { type: "abort", reason: "stopped" }], { first: 5 });
  ann.place.network.on(EVENTS, { stream: rest });
  expect(await ann("ask x --timeout 50s")).toEqual({
    exit: 1,
    stdout: "",
    stderr: `✓ Close KAY-3
✗ Timed out after 50 s and was canceled.
  \`kay sessions show session_1\` shows what was done.
`,
  });
});

test("a request canceled before a write can be retried", async () => {
  const ann = startWork(calls("jira.close_issue", INPUT), receipt("planned"));
  ann.place.network.on(CANCEL, { json: { id: "gen_1", session_id: "session_1", status: "running" } });
  ann.place.network.on(EVENTS, {
    stream: sse([receipt("failed"), status("cancelled"), { type: "abort" }], { first: 5 }),
  });
  const { exit, stderr } = await ann("ask x --timeout 50s");
  expect(exit).toBe(6);
  expect(stderr).toContain("✗ Timed out after 50 s and was canceled.\n  Increase the limit with --timeout.\n");
});

test("a write that was running has the outcome that the backend reports, or may still be done", async () => {
  for (const [end, first, last] of [
    [
      [receipt("settled"), status("cancelled"), { type: "abort" }],
      "✓ Close KAY-3",
      "  `kay sessions show session_1` shows what was done.",
    ],
    [
      [status("cancelled"), { type: "abort" }],
      "? Close KAY-3 (outcome unknown; check before you retry)",
      "  `kay sessions show session_1` shows what was done.",
    ],
  ] as const) {
    const ann = startWork(calls("jira.close_issue", INPUT), receipt("sent"));
    ann.place.network.on(CANCEL, { json: { id: "gen_1", session_id: "session_1", status: "running" } });
    ann.place.network.on(EVENTS, { stream: sse(end as never, { first: 5 }) });
    const { exit, stderr } = await ann("ask x --timeout 50s");
    expect([exit, ...stderr.split("\n").slice(0, -1)]).toEqual([
      1,
      first,
      "✗ Timed out after 50 s and was canceled.",
      last,
    ]);
  }
});

test("with --json it is one document, with --stream a last line", async () => {
  for (const stream of ["", " --stream"]) {
    const ann = startWork(calls("jira.close_issue", INPUT), receipt("settled"));
    ann.place.network.on(CANCEL, { json: { id: "gen_1", session_id: "session_1", status: "running" } });
    ann.place.network.on(EVENTS, { stream: sse([status("cancelled"), { type: "abort" }], { first: 5 }) });
    const { exit, stdout } = await ann(`ask x --json${stream} --timeout 50s`);
    const last = JSON.parse(stream ? (stdout.trim().split("\n").at(-1) ?? "") : stdout);
    const document = { ...IDS, sent: true, timed_out: true, receipts: [{ ...RECEIPT, effect: "settled" }] };
    expect([exit, last]).toMatchObject([
      1,
      stream ? { type: "error", code: "OUTCOME_UNKNOWN", details: document } : { code: "OUTCOME_UNKNOWN", ...document },
    ]);
  }
});

test("a question on the terminal ends too, and its request is cancelled", async () => {
  const ann = startWork(calls("slack.send_message", { channel: "#ci" }), approval(), status("awaiting_approval"));
  ann.place.network.on(CANCEL, { status: 404, json: { code: "GENERATION_NOT_FOUND" } });
  const { exit, stderr } = await ann("ask x --timeout 20s", TERMINAL);
  expect([exit, stderr.includes("✗ Timed out after 20 s. It may continue at the backend.")]).toEqual([1, true]);
});

test("the wait for a consent ends, and nothing is partly stored", async () => {
  const ann = kay({ person: "stays away" });
  const { exit, stderr } = await ann("connect jira --timeout 30s");
  expect([exit, stderr.split("\n").slice(-3)]).toEqual([
    6,
    ["✗ Timed out after 30 s.", "  Increase the limit with --timeout.", ""],
  ]);
  // Simulated time is too fast for the disk.
  await expect.poll(() => ann.stored()).toEqual({});
});

test("an approved confirmation may still run, which kay says", async () => {
  const ann = kay({ signedIn: true });
  ann.place.network.on("POST /ask/confirm", "hang");
  const { exit, stderr } = await ann("confirm confirm_1 --approve --timeout 30s");
  expect({ exit, stderr }).toEqual({
    exit: 1,
    stderr: `http://127.0.0.1:4000 has not answered yet. Press Ctrl+C to cancel.
✗ Timed out after 30 s, and the approved calls may still run.
  Check what it did before you ask again: \`kay sessions show latest\`.
`,
  });
});

test("a keychain that stops answering ends with the time limit", async () => {
  const working = memoryKeychain();
  let hangs = false;
  const unlessHanging = <T>(work: Promise<T>) => (hangs ? new Promise<T>(() => {}) : work);
  const ann = kay({ keychain: { ...working, get: (account) => unlessHanging(working.get(account)) }, signedIn: true });
  expect((await ann("connections --check jira")).exit).toBe(0);
  hangs = true;
  expect(await ann("connections --timeout 3s")).toEqual({
    exit: 6,
    stdout: "",
    stderr: "✗ Timed out after 3 s.\n  Increase the limit with --timeout.\n",
  });
});

test("a command that ends in time is not affected", async () => {
  expect(await kay({ signedIn: true })("connections --check jira --timeout 1h")).toEqual({
    exit: 0,
    stdout: "",
    stderr: "",
  });
});

test.for(["0", "-1", "abc", "5x", "1.2.3s", "", "25000h", "s", "10 minutes"])(
  "--timeout %o is a usage error",
  async (time) => {
    const ann = kay({ signedIn: true });
    expect(await ann(["ask", "x", `--timeout=${time}`])).toEqual({
      exit: 2,
      stdout: "",
      stderr: `✗ ${JSON.stringify(time)} is not a valid duration for --timeout.
  Use seconds or a duration such as 30s, 5m or 1h (at most 24 days).
`,
    });
    expect(ann.place.network.calls()).toEqual([]);
  },
);

test("kay serve has no time limit, because it runs until it is stopped", async () => {
  const ann = kay();
  const { exit, stderr } = await ann("serve --timeout 5m");
  expect([exit, stderr.split("\n")[0], ann.served]).toEqual([
    2,
    "✗ kay serve runs until stopped and does not accept --timeout.",
    [],
  ]);
});

import { expect, test, vi } from "vitest";
import type { StreamPart } from "#protocol/events";
import { type Machine, parseDocument, useKay } from "#test/kay";
import type { Reply } from "#test/network";
import { approval, begins, calls, createAnswer, createText, ends, IDS, sse, status } from "#test/parts";

const kay = useKay();
const EVENTS = "GET /sessions/session_1/events";
const RECEIPT = { tool_call_id: "c1", tool: "jira.close_issue", summary: "Close KAY-3", effect: "sent" as const };
/** A write that was sent, and the beginning of an answer. */
const BEGUN: StreamPart[] = [
  ...begins(),
  calls("jira.close_issue", { issue: "KAY-3" }),
  { type: "data-receipt", data: RECEIPT },
  ...createText("The answer is", " 4"),
];
/** The partial answer in the document. */
const CAME = { ...IDS, text: "The answer is 4", receipts: [RECEIPT] };

/** Creates a user whose stream breaks after these parts, and whose backend then answers like this. */
function breaks(then: Reply, parts = BEGUN): Machine {
  const ann = kay({ signedIn: true });
  ann.place.network.on("POST /ask", { stream: sse(parts, { ends: false }) });
  ann.place.network.always(EVENTS, then);
  return ann;
}

/** Waits until pending work of this process is done: modules are loaded, and received data is passed on. */
async function settle(): Promise<void> {
  for (let round = 0; round < 20; round += 1) {
    await vi.dynamicImportSettled();
    await new Promise(setImmediate);
  }
}

const silence = (): Reply => ({
  stream: (async function* () {
    await new Promise(() => {});
  })(),
});

test.each<[string, Reply, string]>([
  ["is gone for good", "refused", "UNREACHABLE"],
  ["is gone, behind a gateway", { status: 502, text: "<html>Bad Gateway</html>" }, "BAD_GATEWAY"],
  [
    "lost its database",
    { status: 503, json: { code: "DATABASE_UNAVAILABLE", message: "Away." } },
    "DATABASE_UNAVAILABLE",
  ],
  ["cannot resume a stream", { status: 404, json: { error: "NOT_FOUND", message: "No." } }, "UNREACHABLE"],
  ["says nothing more", silence(), "TIMED_OUT"],
])("X1 H06 a backend that accepted a request and %s leaves its outcome unknown", async (_, then, lost) => {
  const ann = breaks(then);
  const result = await ann("ask --json x");
  expect(result.exit).toBe(1);
  expect(parseDocument(result)).toMatchObject({
    status: "error",
    code: "OUTCOME_UNKNOWN",
    message: expect.stringMatching(/^The answer broke off, so it is unknown how much was done\. /),
    sent: true,
    lost,
    idempotency_key: expect.any(String),
    ...CAME,
  });
  expect(JSON.stringify(result)).not.toMatch(/try again/i);
  expect(ann.place.network.calls().filter((call) => call.startsWith("POST"))).toEqual(["POST /ask"]);
});

test("X1 as text, the received part is the answer, and the sent writes are in the error", async () => {
  expect(await breaks("refused")("ask x")).toEqual({
    exit: 1,
    stdout: "The answer is 4\n",
    stderr: expect.stringMatching(
      /\? Close KAY-3 \(outcome unknown; check before you retry\)\n✗ The answer broke off, .*\n {2}The backend continues the work\. /,
    ),
  });
});

test("H06 a stream that is silent for too long keeps what has arrived", async () => {
  const ann = kay({ signedIn: true });
  const stream = async function* () {
    yield* sse(BEGUN, { ends: false });
    await new Promise(() => {});
  };
  ann.place.network.on("POST /ask", { stream: stream() });
  const result = await ann("ask --json x");
  expect([result.exit, parseDocument(result)]).toMatchObject([
    1,
    { code: "OUTCOME_UNKNOWN", lost: "TIMED_OUT", ...CAME },
  ]);
});

test("H06 a request that times out keeps what has arrived", async () => {
  const ann = kay({ signedIn: true });
  const stream = async function* () {
    yield* sse(BEGUN, { ends: false });
    await new Promise(() => {});
  };
  ann.place.network.on("POST /ask", { stream: stream() });
  ann.place.network.on("POST /generations/gen_1/cancel", { status: 404, json: { code: "GENERATION_NOT_FOUND" } });
  const result = await ann("ask --json x --timeout 30s");
  expect([result.exit, parseDocument(result)]).toMatchObject([
    1,
    { code: "OUTCOME_UNKNOWN", timed_out: true, ...CAME },
  ]);
});

test("H06 a cancelled request, here or elsewhere, keeps what has arrived", async () => {
  const elsewhere = kay({ signedIn: true });
  const end: StreamPart[] = [status("cancelled"), { type: "abort", reason: "The user cancelled it." }];
  elsewhere.place.network.on("POST /ask", { stream: sse([...BEGUN, ...end]) });
  const canceled = await elsewhere("ask --json x");
  expect([canceled.exit, parseDocument(canceled)]).toMatchObject([5, { code: "CANCELLED", ...CAME }]);
  const here = kay({ signedIn: true });
  const stream = async function* () {
    yield* sse(BEGUN, { ends: false });
    void settle().then(() => here.interrupt());
    await new Promise(() => {});
  };
  here.place.network.on("POST /ask", { stream: stream() });
  here.place.network.on("POST /generations/gen_1/cancel", { json: { id: "gen_1", ...IDS, status: "cancelled" } });
  const interrupted = await here("ask --json x");
  expect([interrupted.exit, interrupted.stderr]).toEqual([130, ""]);
  expect(parseDocument(interrupted)).toMatchObject({ status: "error", code: "CANCELLED", ...CAME });
});

test("X1 an approval accepted before the backend died leaves the outcome unknown", async () => {
  const ann = kay({ signedIn: true });
  const { network } = ann.place;
  const timestamp = "2026-11-27T12:00:00.000Z";
  const openingParts = [...begins(), calls("slack.send_message", {}), approval(), status("awaiting_approval")];
  const { data: request } = approval() as { data: unknown };
  const openRequest = {
    id: "int_1",
    kind: "approval",
    ...IDS,
    title: "t",
    created_at: timestamp,
    expires_at: timestamp,
    request,
  };
  const response = { interaction_id: "int_1", action: "approve", approval_scope: "once", answered_at: timestamp };
  network.on("GET /pending", { json: { pending: [openRequest] } });
  network.on("GET /sessions/session_1", {
    json: {
      id: "session_1",
      title: "t",
      created_at: timestamp,
      updated_at: timestamp,
      last_event: openingParts.length,
    },
  });
  network.on("POST /sessions/session_1/interactions/int_1", { json: { ...response, ...IDS } });
  const parts = [...openingParts, createAnswer({ action: "approve", approval_scope: "once" }), status("running")];
  const sentReceipt: StreamPart = { type: "data-receipt", data: RECEIPT };
  network.on(EVENTS, { stream: sse([...parts, sentReceipt], { ends: false }) });
  network.always(EVENTS, "refused");
  const result = await ann("answer int_1 --approve --json");
  expect([result.exit, parseDocument(result)]).toMatchObject([
    1,
    { code: "OUTCOME_UNKNOWN", sent: true, lost: "UNREACHABLE", ...IDS, receipts: [RECEIPT] },
  ]);
});

test("X1 viewing a conversation whose backend dies can be retried", async () => {
  const ann = kay({ signedIn: true });
  const id = `session_1_${"0".repeat(32)}`;
  ann.place.network.on(`GET /sessions/${id}`, "refused");
  expect(await ann(`attach ${id}`)).toMatchObject({ exit: 6 });
});

test("H06 a complete answer is unchanged", async () => {
  const ann = kay({ signedIn: true });
  ann.place.network.on("POST /ask", { stream: sse([...begins(), ...createText("Four."), ...ends()]) });
  expect(parseDocument(await ann("ask --json x"))).toMatchObject({ status: "completed", message: "Four." });
});

import { expect, test } from "vitest";
import type { StreamPart } from "#protocol/events";
import { type Machine, parseDocument, useKay } from "#test/kay";
import type { Reply } from "#test/network";
import { approval, begins, brings, calls, createAnswer, createText, ends, form, IDS, sse, status } from "#test/parts";

const kay = useKay();
const TERMINAL = { terminal: true, env: { NO_COLOR: "1", TERM: "dumb" } };
const EXPIRES = "2026-11-27T12:05:00.000Z";
const BEFORE: StreamPart[] = [
  { type: "data-user-message", data: { text: "send it", source: "typed" } },
  ...begins(),
  ...createText("I will send it."),
  calls("slack.send_message", { channel: "#general" }),
  approval(),
  status("awaiting_approval"),
];
const DONE = [
  createAnswer({ action: "approve", approval_scope: "once" }),
  brings({}),
  ...createText("It is sent."),
  ...ends(),
];

function readRequest(part: StreamPart): unknown {
  return "data" in part ? part.data : undefined;
}

function openRequest(card: StreamPart = approval(), kind = "approval") {
  const created_at = "2026-11-27T12:00:00.000Z";
  return { id: "int_1", kind, ...IDS, title: "Bugs", created_at, expires_at: EXPIRES, request: readRequest(card) };
}

/** Creates a user with this open request; after an answer, `rest` follows. */
function waits({
  pending = [openRequest()],
  before = BEFORE,
  rest = DONE,
  refusal,
  now = { status: 404, json: { error: "INTERACTION_NOT_FOUND", code: "INTERACTION_NOT_FOUND", message: "No." } },
}: {
  pending?: unknown[];
  before?: StreamPart[];
  rest?: StreamPart[];
  refusal?: Reply;
  /** Builds the response for a request that is not open. */
  now?: Reply;
} = {}): Machine & { given: unknown[] } {
  const ann = kay({ signedIn: true });
  const answers: unknown[] = [];
  const { network } = ann.place;
  const timestamp = "2026-11-27T12:00:00.000Z";
  const conversation = {
    id: "session_1",
    title: "Bugs",
    created_at: timestamp,
    updated_at: timestamp,
    last_event: before.length,
  };
  let go = () => {};
  const answer = new Promise<void>((resolve) => {
    go = resolve;
  });
  network.always("GET /pending/", now);
  network.always("GET /pending", { json: { pending } });
  network.always("GET /sessions/session_1/events", () => ({
    stream: (async function* () {
      yield* sse(before, { ends: false });
      await answer;
      yield* sse(rest, { first: before.length + 1, ends: false });
      await new Promise(() => {});
    })(),
  }));
  network.always("GET /sessions/session_1", { json: conversation });
  if (refusal) network.on("POST /sessions/session_1/interactions/int_1", refusal);
  network.always("POST /sessions/session_1/interactions/int_1", ({ body }) => {
    answers.push(body);
    go();
    return { json: { ...IDS, interaction_id: "int_1", action: "approve" } };
  });
  return Object.assign(ann, { given: answers });
}

test("kay pending shows open requests, and when they expire", async () => {
  const ann = waits({ pending: [openRequest(), { ...openRequest(form(), "input"), id: "int_2" }] });
  const { exit, stdout, stderr } = await ann("pending --no-input", {
    terminal: true,
    env: { NO_COLOR: "1" },
    columns: 100,
  });
  expect(exit).toBe(0);
  expect(
    stdout.replaceAll(/\b[45] min/g, "5 min"),
  ).toBe(`ID     KIND      WHAT                        CONVERSATION  EXPIRES IN
int_1  approval  Send a message to #general  Bugs          5 min
int_2  form      Which issue?                Bugs          5 min
`);
  expect(stderr).toBe("Answer one with `kay answer <id>`.\n");
  expect(parseDocument(await ann("pending --json"))).toMatchObject({
    pending: [{ id: "int_1", answer: expect.arrayContaining(["kay answer int_1 --approve"]) }, { id: "int_2" }],
  });
});

test("kay pending says if nothing is open, and if a backend does not support it", async () => {
  expect(await waits({ pending: [] })("pending")).toEqual({
    exit: 0,
    stdout: "",
    stderr: "No open requests.\n",
  });
  const guide = kay({ signedIn: true });
  guide.place.network.on("GET /pending", {
    status: 404,
    json: { error: "NOT_FOUND", message: "There is no such path." },
  });
  expect(await guide("pending")).toMatchObject({ exit: 1, stderr: expect.stringContaining("kay confirm <token>") });
});

test.for([
  ["--approve", { action: "approve", approval_scope: "once" }],
  ["--approve --scope always", { action: "approve", approval_scope: "always" }],
  [`--edit {"channel":"#x"}`, { action: "approve", edited_args: { channel: "#x" } }],
] as const)("kay answer %s runs it, and shows only what follows", async ([flags, answer]) => {
  const ann = waits();
  expect(await ann(["answer", "int_1", ...flags.split(" ")])).toEqual({
    exit: 0,
    stdout: "It is sent.\n",
    stderr: "",
  });
  expect(ann.given).toMatchObject([{ ...answer, client: "kay answer" }]);
});

test("kay answer --json prints the whole answer of the request", async () => {
  expect(parseDocument(await waits()("answer int_1 --approve --json"))).toEqual({
    status: "completed",
    message: "I will send it.\n\nIt is sent.",
    session_id: "session_1",
    data: { response: "I will send it.\n\nIt is sent." },
    generation_id: "gen_1",
    receipts: [],
  });
});

test("kay answer --deny denies it and exits 0", async () => {
  const rest = [createAnswer({ action: "deny" }), ...createText("Not sent."), ...ends()];
  const ann = waits({ rest });
  const line = ["answer", "int_1", "--deny", "--reason", "wrong channel"];
  expect(await ann(line)).toEqual({ exit: 0, stdout: "Not sent.\n", stderr: "" });
  expect(ann.given).toMatchObject([{ action: "deny", reason: "wrong channel" }]);
});

test("kay answer stops at the next question with exit 8", async () => {
  const next = [
    createAnswer({ action: "approve" }),
    approval({ interaction_id: "int_3" }),
    status("awaiting_approval"),
  ];
  const { exit, stderr } = await waits({ rest: next })("answer int_1 --approve");
  expect([exit, stderr]).toEqual([8, expect.stringContaining("  kay answer int_3 --approve\n")]);
});

test("kay answer on a terminal asks as kay ask does", async () => {
  const ann = waits();
  const { exit, stdout, stderr } = await ann("answer int_1", { ...TERMINAL, types: ["2"] });
  expect([exit, stdout]).toEqual([0, "It is sent.\n"]);
  expect(stderr).toContain("Your answer, 1/2/3/e/n (TIME left): 2\n");
  expect(ann.given).toMatchObject([{ action: "approve", approval_scope: "session" }]);
});

test("Ctrl+C at its question leaves it open", async () => {
  const ann = waits();
  expect((await ann("answer int_1", { ...TERMINAL, types: ["\x03"] })).exit).toBe(130);
  expect(ann.place.network.calls().filter((call) => call.startsWith("POST"))).toEqual([]);
});

test("kay answer fills in a form by its fields", async () => {
  const ann = waits({ pending: [openRequest(form(), "input")], rest: [createAnswer({ action: "submit" }), ...ends()] });
  await ann(["answer", "int_1", "--field", "project=KAY", "--field", "summary=Login loops"]);
  expect(ann.given).toMatchObject([
    { action: "submit", input: { project: "KAY", summary: "Login loops", urgent: false } },
  ]);
});

test.for([
  ["--field project=KAY", "✗ Summary: This field is required.\n  Run `kay pending --json` to see the fields.\n"],
  ["--field projct=KAY", '✗ Unknown field "projct". Did you mean project? Fields: project, summary, urgent.\n'],
  ["--approve", "✗ --approve cannot answer a form.\n  Use --field key=value, --decline or --cancel.\n"],
  ["--decline --cancel", "✗ Use only one of --decline and --cancel.\n"],
  [
    "",
    "✗ Cannot prompt for an answer here. Pass one as an option.\n  For example: `kay answer int_1 --field project=… --field summary=…` or `kay answer int_1 --cancel`.\n",
  ],
])("kay answer %s of a form is a usage error, and nothing is sent", async ([flags = "", stderr = ""]) => {
  const ann = waits({ pending: [openRequest(form(), "input")] });
  expect(await ann(`answer int_1 ${flags}`)).toEqual({ exit: 2, stdout: "", stderr });
  expect(ann.given).toEqual([]);
});

test("G02 an answer that lost reports the winning one, and exits 1", async () => {
  const won = { interaction_id: "int_1", action: "approve", approval_scope: "always", client: "kay on desk" };
  const json = { error: "INTERACTION_CLOSED", code: "INTERACTION_CLOSED", message: "It is closed.", answered: won };
  const ann = waits({ refusal: { status: 409, json } });
  expect(await ann("answer int_1 --deny")).toEqual({
    exit: 1,
    stdout: "",
    stderr:
      "✗ Your answer came too late: it was approved (always) by kay on desk.\n  Run `kay pending` to list open requests.\n",
  });
});

test("G02 a request answered before the command began is reported with who answered it", async () => {
  const won = { interaction_id: "int_1", action: "deny", reason: "not there", client: "kay on desk" };
  const json = { error: "INTERACTION_CLOSED", code: "INTERACTION_CLOSED", message: "It is closed.", answered: won };
  const ann = waits({ pending: [], now: { status: 409, json } });
  expect(await ann("answer int_1 --approve")).toEqual({
    exit: 1,
    stdout: "",
    stderr:
      "✗ Your answer came too late: it was denied by kay on desk (not there).\n  Run `kay pending` to list open requests.\n",
  });
  expect(ann.given).toEqual([]);
});

test("an unknown ID is reported as such", async () => {
  expect(await waits()("answer int_9 --approve")).toEqual({
    exit: 1,
    stdout: "",
    stderr: '✗ No open request has the ID "int_9".\n  Run `kay pending` to list open requests.\n',
  });
});

test("kay answer for a request that waits for connections continues if they exist, and names them if not", async () => {
  const auth = { generation_id: "gen_1", integrations: ["jira"], connected: [], expires_at: EXPIRES };
  const createPending = (integrations: string[]) => [
    { ...openRequest(), id: "gen_1", kind: "auth", request: undefined, auth: { ...auth, integrations } },
  ];
  const ann = waits({ pending: createPending(["jira", "slack"]) });
  ann.place.network.always("POST /generations/gen_1/auth", { json: { id: "gen_1", ...IDS, status: "running" } });
  expect(await ann("answer gen_1")).toEqual({
    exit: 4,
    stdout: "",
    stderr: "✗ Not connected: slack.\n  Run `kay connect slack`, then `kay answer gen_1`.\n",
  });
});

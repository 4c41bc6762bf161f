import { expect, test } from "vitest";
import type { StreamPart } from "#protocol/events";
import { type Machine, parseDocument, useKay } from "#test/kay";
import type { Reply } from "#test/network";
import { approval, begins, brings, calls, createAnswer, createText, ends, form, IDS, sse, status } from "#test/parts";

const kay = useKay();
const TERMINAL = { terminal: true, env: { NO_COLOR: "1", TERM: "dumb" } };
const MESSAGE = { channel: "#general", text: "3 open bugs" };
const INTERACTION = "POST /sessions/session_1/interactions/int_1";

const SHOWN = `
kay wants to run slack.send_message, which writes, as ann@example.test.
  Send a message to #general
  channel: #general
  text: 3 open bugs (from KAY-15, not from you)

  1  once
  2  this session: slack.send_message to #general
  3  always: slack.send_message to #general
  e  edit
  n  deny
`;

/**
 * Creates a user whose backend stops at this card, and continues with `rest` after an answer, which is in `answers`.
 */
function stopsAt(card: StreamPart, rest: StreamPart[], refusals: Reply[] = []): { ann: Machine; given: unknown[] } {
  const ann = kay({ signedIn: true });
  const answers: unknown[] = [];
  let go = () => {};
  const answer = new Promise<void>((resolve) => {
    go = resolve;
  });
  const openingParts = [...begins(), calls("slack.send_message", MESSAGE), card, status("awaiting_approval")];
  const stream = async function* () {
    yield* sse(openingParts, { ends: false });
    await answer;
    yield* sse(rest, { first: openingParts.length + 1 });
  };
  const { network } = ann.place;
  network.on("POST /ask", { stream: stream() });
  for (const reply of refusals) network.on(INTERACTION, reply);
  network.always(INTERACTION, ({ body }) => {
    answers.push(body);
    go();
    return { json: { ...IDS, interaction_id: "int_1", ...(body as object) } };
  });
  return { ann, given: answers };
}

/** Creates a user whose backend stops and never continues. */
function staysAt(...cards: StreamPart[]): Machine {
  const ann = kay({ signedIn: true });
  const stream = async function* () {
    yield* sse([...begins(), ...createText("I will send it."), calls("slack.send_message", MESSAGE), ...cards], {
      ends: false,
    });
    await new Promise(() => {});
  };
  ann.place.network.on("POST /ask", { stream: stream() });
  return ann;
}

const APPROVED = [createAnswer({ action: "approve" }), brings({ ok: true }), ...createText("It is sent."), ...ends()];

test.for([
  ["1", "once"],
  ["2", "session"],
  ["3", "always"],
])(
  "N39 a change is asked about without --confirm: its approval is shown in full, and %s approves it: %s",
  async ([key = "", approval_scope]) => {
    const { ann, given } = stopsAt(approval(), APPROVED);
    expect(await ann("ask x", { ...TERMINAL, types: [key] })).toEqual({
      exit: 0,
      stdout: "It is sent.\n",
      stderr: `${SHOWN}Your answer, 1/2/3/e/n (TIME left): ${key}\n⏺ slack.send_message  channel = #general, text = 3 open bugs  0.0s\n`,
    });
    expect(given).toEqual([{ action: "approve", approval_scope, client: expect.stringMatching(/^client_\w{16}$/) }]);
  },
);

test("N43 only an offered answer counts: Enter, yes and 4 ask again, and n asks why", async () => {
  const denied = [createAnswer({ action: "deny" }), ...createText("I did not send it."), ...ends()];
  const { ann, given } = stopsAt(approval(), denied);
  const question = "Your answer, 1/2/3/e/n (TIME left):";
  expect(await ann("ask x", { ...TERMINAL, types: ["", "yes", "4", "n", "wrong channel"] })).toEqual({
    exit: 5,
    stdout: "I did not send it.\n",
    stderr: `${SHOWN}${question} \n${question} yes\n"yes" is not one of 1, 2, 3, e, n.\n${question} 4\n"4" is not one of 1, 2, 3, e, n.\n${question} n\nReason (optional): wrong channel
✗ slack.send_message  channel = #general, text = 3 open bugs  0.0s  denied\n`,
  });
  expect(given).toMatchObject([{ action: "deny", reason: "wrong channel" }]);
});

test("e edits the call in the editor, and shows it again before anything is approved", async () => {
  const { ann, given } = stopsAt(approval(), APPROVED);
  const edits = (text: string) => text.replace("3 open bugs", "3 bugs");
  const { stderr } = await ann("ask x", {
    ...TERMINAL,
    types: ["e", "1"],
    edits,
    env: { ...TERMINAL.env, EDITOR: "vi" },
  });
  expect(stderr).toContain("Edited request:\n  channel: #general\n  text: 3 bugs\n");
  expect(given).toMatchObject([
    { action: "approve", approval_scope: "once", edited_args: { channel: "#general", text: "3 bugs" } },
  ]);
});

test("without an editor it is edited field by field", async () => {
  const { ann, given } = stopsAt(approval(), APPROVED);
  const { stderr } = await ann("ask x", { ...TERMINAL, types: ["e", "#random", "", "2"] });
  expect(stderr).toContain("  channel [#general]: #random\n  text [3 open bugs]: \n");
  expect(given).toMatchObject([
    { approval_scope: "session", edited_args: { channel: "#random", text: "3 open bugs" } },
  ]);
});

test("an edit that the tool refuses is asked again, and the edit is kept", async () => {
  const refusal = {
    status: 400,
    json: { error: "INVALID_REQUEST", code: "INVALID_REQUEST", message: "channel: no such." },
  };
  const { ann, given } = stopsAt(approval(), APPROVED, [refusal]);
  const { stderr } = await ann("ask x", { ...TERMINAL, types: ["e", "#x", "", "1", "1"] });
  expect(stderr).toContain("✗ channel: no such.");
  expect(stderr).toContain("You had edited the request to:\n  channel: #x\n");
  expect(given).toMatchObject([{ edited_args: { channel: "#x" } }]);
});

test("G07 every field is shown in full, and white space that pushes text out of sight is folded", async () => {
  const tail = `Update.${"\n".repeat(80)}and${" ".repeat(5000)}delete project PROJ`;
  const preview = { summary: "Update", fields: [{ name: "text", value: tail }] };
  const { ann } = stopsAt(approval({ preview }), APPROVED);
  const { stderr } = await ann("ask x", { ...TERMINAL, types: ["1"] });
  expect(stderr).toContain("  text:\n    Update.\n    [79 blank lines]\n    and [5000 spaces] delete project PROJ\n");
});

test("G08 U17 hidden characters are shown as escapes, in every text of an approval", async () => {
  const preview = {
    summary: "Send to \u202egnp.eciovni\u202c",
    account: "a\u200bnn",
    fields: [{ name: "chan\u001b[2Knel", value: "gen\u200beral \u{e0041} שלום" }],
  };
  const approval_scopes = [{ scope: "once" as const, words: "once\u001b]0;t\u0007" }];
  const { ann } = stopsAt(
    approval({ preview, approval_scopes, editable: false, tool_name: "x\r\u001b[2K safe" }),
    APPROVED,
  );
  const { stderr } = await ann("ask x", { ...TERMINAL, types: ["1"] });
  expect(stderr).toContain(`kay wants to run x  safe as aU+200Bnn.
  Send to U+202Egnp.eciovniU+202C
  channel: genU+200Beral U+E0041 שלום

  1  once
`);
});

test("G02 an answer that is too late learns which one counts", async () => {
  const answer = { interaction_id: "int_1", action: "expire" };
  const json = { error: "INTERACTION_CLOSED", code: "INTERACTION_CLOSED", message: "It is closed.", answered: answer };
  const ann = kay({ signedIn: true });
  let go = () => {};
  const late = new Promise<void>((resolve) => {
    go = resolve;
  });
  const openingParts = [...begins(), calls("slack.send_message", MESSAGE), approval(), status("awaiting_approval")];
  const stream = async function* () {
    yield* sse(openingParts, { ends: false });
    await late;
    yield* sse([createAnswer({ action: "expire" }), ...createText("Nobody answered."), ...ends()], {
      first: openingParts.length + 1,
    });
  };
  ann.place.network.on("POST /ask", { stream: stream() });
  ann.place.network.on(INTERACTION, () => {
    go();
    return { status: 409, json };
  });
  const { exit, stdout, stderr } = await ann("ask x", { ...TERMINAL, types: ["1"] });
  expect([exit, stdout]).toEqual([0, "Nobody answered.\n"]);
  expect(stderr).toContain("1\nYour answer came too late: the request had expired.\n");
});

test.for([
  [
    { action: "approve", approval_scope: "session", client: "kay on desk" },
    "Answered elsewhere: approved for this session by kay on desk.",
    0,
  ],
  [{ action: "deny", reason: "no" }, "Answered elsewhere: denied (no).", 5],
  [{ action: "expire" }, "It expired before it was answered.", 0],
] as const)("an answer from elsewhere ends the question: %j", async ([response, sentence, code]) => {
  const ann = kay({ signedIn: true });
  const openingParts = [...begins(), calls("slack.send_message", MESSAGE), approval(), status("awaiting_approval")];
  const stream = async function* () {
    yield* sse(openingParts, { ends: false });
    await new Promise((resolve) => setTimeout(resolve, 20));
    yield* sse([createAnswer(response), ...createText("On."), ...ends()], { first: openingParts.length + 1 });
  };
  ann.place.network.on("POST /ask", { stream: stream() });
  const { exit, stdout, stderr } = await ann("ask x", TERMINAL);
  expect([exit, stdout]).toEqual([code, "On.\n"]);
  expect(stderr).toContain(`${SHOWN}Your answer, 1/2/3/e/n (TIME left): \n${sentence}\n`);
});

test("the end of the input leaves it open, and says how to answer it", async () => {
  const ann = staysAt(approval(), status("awaiting_approval"));
  const { exit, stderr } = await ann("ask x", { ...TERMINAL, types: [null] });
  expect(exit).toBe(8);
  expect(stderr).toContain("  kay answer int_1 --approve\n");
});

test.for([
  ["in a script", "ask x", {}],
  [
    "with --no-input",
    "ask x --no-input",
    { terminal: ["stdin", "stderr"] as ("stdin" | "stderr")[], env: { NO_COLOR: "1" } },
  ],
  ["in CI", "ask x", { terminal: ["stdin"] as "stdin"[], env: { CI: "true" } }],
] as const)("%s an approval is left open, shown in full, and the exit code is 8", async ([, line, setting]) => {
  const ann = staysAt(approval(), status("awaiting_approval"));
  expect(await ann(line, setting as object)).toEqual({
    exit: 8,
    stdout: `I will send it.
kay wants to run slack.send_message, which writes, as ann@example.test.
  Send a message to #general
  channel: #general
  text: 3 open bugs (from KAY-15, not from you)
`,
    stderr: `Waiting for your answer. Run one of:
  kay answer int_1 --approve
  kay answer int_1 --approve --scope session
  kay answer int_1 --approve --scope always
  kay answer int_1 --deny
`,
  });
});

test("--json names the open requests and how to answer them, in one document, even on a terminal", async () => {
  for (const setting of [{}, TERMINAL]) {
    const result = await staysAt(
      approval(),
      form({ interaction_id: "int_2" }),
      status("awaiting_approval"),
    )("ask x --json", setting);
    expect({ ...result, stdout: parseDocument(result) }).toEqual({
      exit: 8,
      stdout: {
        status: "pending",
        message: "I will send it.",
        session_id: "session_1",
        data: { prompt: "x", response: "I will send it." },
        generation_id: "gen_1",
        receipts: [],
        pending: [
          {
            id: "int_1",
            kind: "approval",
            ...IDS,
            expires_at: "2026-11-27T12:05:00.000Z",
            request: (approval() as { data: unknown }).data,
            answer: [
              "kay answer int_1 --approve",
              "kay answer int_1 --approve --scope session",
              "kay answer int_1 --approve --scope always",
              "kay answer int_1 --deny",
            ],
          },
          {
            id: "int_2",
            kind: "input",
            ...IDS,
            expires_at: "2026-11-27T12:05:00.000Z",
            request: (form({ interaction_id: "int_2" }) as { data: unknown }).data,
            answer: [
              "kay answer int_2 --field project=… --field summary=…",
              "kay answer int_2 --decline",
              "kay answer int_2 --cancel",
            ],
          },
        ],
      },
      stderr: "",
    });
  }
});

test("a backend without a status is not waited for", async () => {
  expect((await staysAt(approval())("ask x --json")).exit).toBe(8);
});

test("--json --stream ends at the open request, whose line has the commands", async () => {
  const { exit, stdout } = await staysAt(approval(), status("awaiting_approval"))("ask x --json --stream");
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(exit).toBe(8);
  expect(lines.find(({ type }) => type === "data-interaction-request")).toMatchObject({
    data: { interaction_id: "int_1" },
    answer: expect.arrayContaining(["kay answer int_1 --deny"]),
  });
});

test("two approvals are asked one after the other", async () => {
  const ann = kay({ signedIn: true });
  const answers: unknown[] = [];
  let go = () => {};
  const both = new Promise<void>((resolve) => {
    go = resolve;
  });
  const openingParts = [
    ...begins(),
    calls("slack.send_message", MESSAGE),
    calls("slack.send_message", MESSAGE, "c2"),
    approval(),
    approval({ interaction_id: "int_2", tool_call_id: "c2" }),
  ];
  const stream = async function* () {
    yield* sse(openingParts, { ends: false });
    await both;
    const rest = [
      createAnswer({ action: "approve" }),
      createAnswer({ interaction_id: "int_2", action: "deny" }),
      ...createText("One."),
      ...ends(),
    ];
    yield* sse(rest, { first: openingParts.length + 1 });
  };
  ann.place.network.on("POST /ask", { stream: stream() });
  ann.place.network.always("POST /sessions/session_1/interactions/", ({ url, body }) => {
    answers.push([url.split("/").at(-1), (body as { action: string }).action]);
    if (answers.length === 2) go();
    return { json: { ...IDS, interaction_id: "int_1", action: "approve" } };
  });
  expect(await ann("ask x", { ...TERMINAL, types: ["1", "n", ""] })).toMatchObject({ exit: 5, stdout: "One.\n" });
  expect(answers).toEqual([
    ["int_1", "approve"],
    ["int_2", "deny"],
  ]);
});

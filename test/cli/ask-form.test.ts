import { expect, test } from "vitest";
import type { StreamPart } from "#protocol/events";
import { type Machine, useKay } from "#test/kay";
import type { Reply } from "#test/network";
import { begins, createAnswer, createText, ends, form, IDS, needs, sse, status } from "#test/parts";

const kay = useKay();
const TERMINAL = { terminal: true, env: { NO_COLOR: "1", TERM: "dumb" } };
const INTERACTION = "POST /sessions/session_1/interactions/int_1";
const SHOWN = `
jira.create_issue asks: Which issue?
  Project (required) [KAY | OPS]
  Summary (required): One line
  Urgent

`;
const FIELDS = "Project (required)\n  1  KAY\n  2  OPS\n";

/**
 * Creates a user whose backend stops at this part, and continues with `rest` after a call of `route`, whose bodies are
 * in `answers`.
 */
function stopsAt(card: StreamPart, rest: StreamPart[], route = INTERACTION, refusals: Reply[] = []) {
  const ann: Machine = kay({ signedIn: true });
  const answers: unknown[] = [];
  let go = () => {};
  const answer = new Promise<void>((resolve) => {
    go = resolve;
  });
  const openingParts = [...begins(), card, status("awaiting_input")];
  const stream = async function* () {
    yield* sse(openingParts, { ends: false });
    await answer;
    yield* sse(rest, { first: openingParts.length + 1 });
  };
  const { network } = ann.place;
  network.on("POST /ask", { stream: stream() });
  for (const reply of refusals) network.on(route, reply);
  network.always(route, ({ body }) => {
    answers.push(body);
    go();
    return { json: { id: "gen_1", status: "running", ...IDS, interaction_id: "int_1", action: "submit" } };
  });
  return { ann, given: answers };
}

const SUBMITTED = [createAnswer({ action: "submit" }), ...createText("KAY-9 is there."), ...ends()];

test("a form is filled in field by field, and shown in full before it is submitted", async () => {
  const { ann, given } = stopsAt(form(), SUBMITTED);
  const types = ["f", "9", "1", "", "Login loops", "y", "s"];
  expect(await ann("ask x", { ...TERMINAL, types })).toEqual({
    exit: 0,
    stdout: "KAY-9 is there.\n",
    stderr: `${SHOWN}f fill in, d decline, c cancel (TIME left): f
${FIELDS}Which number: 9
✗ 9 is not one of 1 to 2.
Which number: 1
Summary (required): One line
>: ${""}
✗ This field is required.
>: Login loops
Urgent
yes or no [no]: y

Your answers:
  Project: KAY
  Summary: Login loops
  Urgent: yes

s submit, b back, d decline, c cancel (TIME left): s
✗ jira.create_issue  It did not finish.
`,
  });
  expect(given).toMatchObject([{ action: "submit", input: { project: "KAY", summary: "Login loops", urgent: true } }]);
});

test.for([
  ["d", "deny", 5],
  ["c", "cancel", 5],
] as const)("%s is an answer other than submit: %s", async ([key, action, exit]) => {
  const { ann, given } = stopsAt(form(), [createAnswer({ action }), ...createText("No."), ...ends()]);
  expect(await ann("ask x", { ...TERMINAL, types: [key] })).toMatchObject({ exit, stdout: "No.\n" });
  expect(given).toMatchObject([{ action }]);
});

test("G19 a refused form shows why at the top and keeps the values", async () => {
  const json = { error: "INVALID_REQUEST", code: "INVALID_REQUEST", message: "Summary: too long." };
  const { ann, given } = stopsAt(form(), SUBMITTED, INTERACTION, [{ status: 400, json }]);
  const types = ["f", "2", "Long", "", "s", "f", "", "Short", "", "s"];
  const { stderr } = await ann("ask x", { ...TERMINAL, types });
  expect(stderr).toContain("asks: Which issue?\n✗ Summary: too long.\n");
  expect(stderr).toContain(">: Long\n");
  expect(stderr).toContain("Which number [OPS]: \n");
  expect(stderr).toContain("> [Long]: Short\n");
  expect(given).toMatchObject([{ input: { project: "OPS", summary: "Short", urgent: false } }]);
});

test("a secret is never accepted: its field has a warning, and a form that needs it cannot be submitted", async () => {
  const fields = [{ id: "apiToken", type: "text" as const, label: "API token", required: true }];
  const { ann, given } = stopsAt(form({ input_schema: { type: "form", fields } }), [
    createAnswer({ action: "deny" }),
    ...ends(),
  ]);
  const { stderr } = await ann("ask x", { ...TERMINAL, types: ["f", "d"] });
  expect(stderr).toContain(`! API token: kay does not accept secrets here. Enter them in a browser.
d decline, c cancel (TIME left): f
"f" is not one of d, c.
d decline, c cancel (TIME left): d
`);
  expect(given).toMatchObject([{ action: "deny" }]);
});

test("a text of several lines ends with a dot, and options of a checkbox are chosen by numbers", async () => {
  const fields = [
    { id: "body", type: "textarea" as const, label: "Text" },
    {
      id: "tags",
      type: "checkbox" as const,
      label: "Tags",
      options: ["a", "b", "c"].map((value) => ({ value, label: value })),
    },
  ];
  const { ann, given } = stopsAt(form({ input_schema: { type: "form", fields } }), SUBMITTED);
  await ann("ask x", { ...TERMINAL, types: ["f", "one", "  two", ".", "1, c", "s"] });
  expect(given).toMatchObject([{ input: { body: "one\n  two", tags: ["a", "c"] } }]);
});

const CONNECTED: StreamPart[] = [
  { type: "data-auth-result", data: { success: true, integrations: ["confluence"] } },
  ...createText("Here it is."),
  ...ends(),
];

test("missing services are connected from here, and the request continues", async () => {
  const { ann, given } = stopsAt(needs("confluence"), CONNECTED, "POST /generations/gen_1/auth");
  const { exit, stdout, stderr } = await ann("ask x", { terminal: true, env: { NO_COLOR: "1" } });
  expect([exit, stdout, given]).toEqual([0, "Here it is.\n", [{ integration: "confluence", success: true }]]);
  expect(stderr.replaceAll(/http\S+/g, "URL")).toBe(`
Connect confluence to continue.

To connect confluence, allow access at 127.0.0.1:4010:

URL

There is no display to open a browser on. Open the link manually.
✓ Connected confluence as Dana Demo (dana@example.com) at
  URL
`);
});

test("a denied consent can be retried, or the request cancelled", async () => {
  const ended: StreamPart[] = [status("cancelled"), { type: "abort", reason: "cancelled" }];
  const { ann, given } = stopsAt(needs("confluence"), ended, "POST /generations/gen_1/auth");
  const { exit, stderr } = await ann("ask x", {
    terminal: true,
    env: { NO_COLOR: "1" },
    types: ["c"],
    person: "denies",
  });
  expect(exit).toBe(5);
  expect(given).toMatchObject([{ integration: "confluence", success: false }]);
  expect(stderr).toContain(
    "Press Enter to retry confluence, or c to cancel the request: c\n✗ The request was canceled.\n",
  );
});

test("a connection from elsewhere ends the wait, with a line that says so", async () => {
  const ann = kay({ signedIn: true });
  const openingParts = [...begins(), needs("confluence"), status("awaiting_auth")];
  const stream = async function* () {
    yield* sse(openingParts, { ends: false });
    await new Promise((resolve) => setTimeout(resolve, 300));
    yield* sse(CONNECTED, { first: openingParts.length + 1 });
  };
  ann.place.network.on("POST /ask", { stream: stream() });
  const { exit, stdout, stderr } = await ann("ask x", { ...TERMINAL, person: "stays away" });
  expect([exit, stdout]).toEqual([0, "Here it is.\n"]);
  expect(stderr).toMatch(/(Connected now: confluence\.|confluence was connected elsewhere\.)\n$/);
});

test("in a script, a request that waits for connections is left open with the commands that answer it", async () => {
  const ann = kay({ signedIn: true });
  const parts = [...begins(), needs("slack", "gmail"), status("awaiting_auth")];
  const stream = async function* () {
    yield* sse(parts, { ends: false });
    await new Promise(() => {});
  };
  ann.place.network.on("POST /ask", { stream: stream() });
  expect(await ann("ask x")).toEqual({
    exit: 8,
    stdout: "Connect slack, gmail to continue.\n",
    stderr: "Waiting for your answer. Run one of:\n  kay answer gen_1\n  kay answer gen_1 --cancel\n",
  });
});

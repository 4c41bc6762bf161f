import { expect, test } from "vitest";
import type { Kay } from "#cli/kay";
import { reportCrash } from "#cli/run";
import type { Problem } from "#protocol/errors";
import { useKay } from "#test/kay";

const kay = useKay();
const TERMINAL = { terminal: true, env: { NO_COLOR: "1" } };

test("U17 --json escapes what a terminal would interpret or hide, and its value stays raw", async () => {
  const ann = kay({ signedIn: true });
  const connections = {
    jira: { connected: true, user: { name: "J\u001b[31m\u009b1mD\u202e\u200b\u{e0041} 会 👩‍💻" } },
  };
  await ann("config path");
  ann.place.network.on("GET /connections", { json: { connections } });
  const result = await ann("connections --json");
  expect(JSON.parse(result.stdout)).toEqual({ connections });
  expect(result.stdout).toContain('"J\\u001b[31m\\u009b1mD\\u202e\\u200b\\udb40\\udc41 会 👩‍💻"');
});

test("a schedule in an unknown time zone is listed, and an internal error quotes only clean text", async () => {
  const ann = kay({ signedIn: true });
  const zone = "UTC\u001b]52;c;SEVMTE8=\u0007\u009b31mred\u202e";
  const times = { next_at: "2026-11-27T12:00:00.000Z", created_at: "2026-11-27T12:00:00.000Z" };
  const schedule = { id: "schedule_1", timing: "day 9:00", time_zone: zone, prompt: "x", paused: false, ...times };
  ann.place.network.on("GET /schedules", { json: { schedules: [schedule] } });
  const { exit, stdout } = await ann("every list");
  expect({ exit, stdout }).toEqual({
    exit: 0,
    stdout: expect.stringMatching(/^schedule_1\s+day 9:00 UTCredU\+202E\s/),
  });
  const messages: string[] = [];
  const out = { writeError: ({ message }: Problem) => messages.push(message) };
  reportCrash(new RangeError(`Invalid zone: ${zone}`), { flags: {}, env: {}, out } as unknown as Kay);
  expect(messages).toEqual(["Internal error: Invalid zone: UTCredU+202E"]);
});

test("a service named like shell commands is one quoted word in the hint", async () => {
  const ann = kay({ signedIn: true });
  const integrations = ["jira; rm -rf $HOME", "it's", "--help", null, "slack"];
  const json = {
    status: "error",
    error: "AUTH_REQUIRED",
    code: "AUTH_REQUIRED",
    message: "Connect first.",
    integrations,
  };
  ann.place.network.on("POST /ask", { status: 403, json });
  expect((await ann("ask x")).stderr).toBe(
    "✗ Connect first.\n  Run `kay connect 'jira; rm -rf $HOME' 'it'\\''s' '--help' slack`, then ask again.\n",
  );
});

test.for([["constructor"], ["__proto__"], ["toString"]])("%s is neither a topic nor a service", async ([name = ""]) => {
  const ann = kay({ signedIn: true });
  expect(await ann(["help", name])).toMatchObject({ exit: 2, stdout: "" });
  expect(await ann(["connections", "--check", name])).toMatchObject({ exit: 2, stdout: "" });
  expect(await ann(["disconnect", "--yes", name])).toMatchObject({ exit: 2, stdout: "" });
});

/** Builds a confirmation with one planned call. */
function buildConfirmation(input: Record<string, unknown>, summary: string) {
  const plan = [{ tool: "jira.create_issue", access: "write", input, summary }];
  const message = `Please confirm the following action: x\n- ${summary}`;
  return { status: "confirmation_required", message, confirmation_token: "confirm_1", data: { plan } };
}

test("G07 approval is requested only after every text of the plan was shown in full", async () => {
  const ann = kay({ signedIn: true });
  const description = `Update it.${"\n".repeat(80)}and${" ".repeat(5000)}delete project \u202eJORP`;
  const json = buildConfirmation(
    { project: "KAY", summary: "Tidy up", description },
    'Create a Task in KAY: "Tidy up" (with a description)',
  );
  ann.place.network.on("POST /ask", { json });
  ann.place.network.on("POST /ask/confirm", { json: { status: "completed", message: "Action cancelled by user" } });
  expect(
    (await ann("ask --confirm x", { ...TERMINAL, types: ["n"] })).stderr,
  ).toBe(`Please confirm the following action: x
- Create a Task in KAY: "Tidy up" (with a description)

jira.create_issue:
  project: KAY
  summary: Tidy up
  description:
    Update it.
    [79 blank lines]
    and [5000 spaces] delete project U+202EJORP
Continue? [y/N] n
✗ Nothing was done.
`);
});

test("G07 the plan that a script must confirm is shown in full too, with every field", async () => {
  const ann = kay({ signedIn: true });
  const text = `a long comment ${"with many words ".repeat(30)}and an end`;
  ann.place.network.on("POST /ask", {
    json: buildConfirmation({ issue: "kay-1", who: "me", text }, "Comment on KAY-1: a long comment with…"),
  });
  expect((await ann("ask --confirm x")).stdout).toBe(
    `Please confirm the following action: x\n- Comment on KAY-1: a long comment with…\n\njira.create_issue:\n  issue: kay-1\n  who: me\n  text: ${text}\n`,
  );
});

test("G07 a hidden copy, a subject and the body of a request are shown like every other field", async () => {
  const ann = kay({ signedIn: true });
  const mail = {
    to: "colleague@example.com",
    bcc: "attacker@evil.example",
    subject: "Plan",
    body: "secret numbers 42",
    draft: false,
  };
  ann.place.network.on("POST /ask", { json: buildConfirmation(mail, "Send an e-mail to colleague@example.com") });
  const first = (await ann("ask --confirm x")).stdout;
  for (const [name, value] of Object.entries(mail)) expect(first).toContain(`\n  ${name}: ${value}\n`);
  const request = {
    method: "POST",
    path: "/chat.postMessage",
    query: { channel: "C0EVIL" },
    body: { text: "short", n: 5, tags: [] },
  };
  ann.place.network.on("POST /ask", { json: buildConfirmation(request, "POST /chat.postMessage at slack") });
  const second = (await ann("ask --confirm x")).stdout;
  for (const line of ["query.channel: C0EVIL", "body.text: short", "body.n: 5", "body.tags: []"])
    expect(second).toContain(`\n  ${line}\n`);
});

test("G07 a field whose value is in the prompt is still shown with its name", async () => {
  const ann = kay({ signedIn: true });
  const json = {
    ...buildConfirmation({ channel: "#general" }, "Send a message"),
    message: "Please confirm the following action: tell #general\n- Send a message",
  };
  ann.place.network.on("POST /ask", { json });
  expect((await ann("ask --confirm x")).stdout).toContain("\n  channel: #general\n");
});

import { expect, test } from "vitest";
import { parseDocument, useKay } from "#test/kay";

const kay = useKay();
const PLANNER = "Answered by the offline planner, without a language model.";

test("N32 ask prints the answer as Markdown in a pipe, without the planner's line", async () => {
  expect(await kay({ signedIn: true })('ask "show OPS-1"')).toEqual({
    exit: 0,
    stdout: `**OPS-1** Renew the certificate of the staging host

- Type: Task
- Status: To Do
- Priority: Highest
- Assignee: Sam Sample
- Reporter: Dana Demo
- Labels: certificates
- Updated: 2026-11-24

It runs out at the end of the month.
`,
    stderr: "",
  });
});

test("ask formats the answer on a terminal, with tables fitted to its width", async () => {
  const setting = { terminal: true, columns: 70, env: { NO_COLOR: "1" } };
  expect(await kay({ signedIn: true })('ask "show the open bugs in OPS"', setting)).toEqual({
    exit: 0,
    stdout: `1 open bug in OPS:

KEY    SUMMARY                  TYPE  STATUS  ASSIGNEE
OPS-4  Deploys fail on Fridays  Bug   To Do   –

${PLANNER}
`,
    stderr: "⏺ jira.search  project = OPS, status = open, type = B…  0.0s  1 issue\n",
  });
});

test("ask --json prints the guide's answer with kay's additions", async () => {
  const ann = kay({ signedIn: true });
  await ann("policy set jira everything");
  const { exit, stdout, stderr } = await ann('ask --json "comment on KAY-3: hello"');
  const message = expect.stringMatching(/^Commented on KAY-3\./);
  const url = "http://127.0.0.1:4010/sites/kay-demo/browse/KAY-3?focusedCommentId=20501";
  expect({ exit, document: parseDocument({ stdout }), stderr }).toEqual({
    exit: 0,
    document: {
      status: "completed",
      message,
      session_id: expect.stringMatching(/^session_/),
      data: { prompt: "comment on KAY-3: hello", response: message },
      generation_id: "gen_…",
      receipts: [
        {
          tool_call_id: expect.any(String),
          tool: "jira.add_comment",
          effect: "settled",
          summary: "Comment on KAY-3: “hello”",
          url,
        },
      ],
    },
    stderr: "",
  });
});

test("a write is shown with its receipt on stderr", async () => {
  const ann = kay({ signedIn: true });
  await ann("policy set jira everything");
  const { exit, stderr } = await ann('ask "comment on KAY-3: hello"');
  expect([exit, stderr]).toEqual([
    0,
    "✓ Comment on KAY-3: “hello”  http://127.0.0.1:4010/sites/kay-demo/browse/KAY-3?focusedCommentId=20501\n",
  ]);
});

test("ask that needs another service waits for it: a script exits 8 with the commands that answer", async () => {
  const ann = kay({ signedIn: true });
  expect(await ann('ask "show open pull requests in bitbucket"')).toEqual({
    exit: 8,
    stdout: "Connect bitbucket to continue (Bitbucket is not connected).\n",
    stderr: "Waiting for your answer. Run one of:\n  kay answer gen_…\n  kay answer gen_… --cancel\n",
  });
  const result = await ann('ask --json "show open pull requests in bitbucket"');
  expect({ ...result, stdout: parseDocument(result) }).toMatchObject({
    exit: 8,
    stdout: {
      status: "pending",
      pending: [{ id: "gen_…", kind: "auth", auth: { integrations: ["bitbucket"], connected: [] } }],
    },
    stderr: "",
  });
});

test("ask without a sign-in exits 4 and sends nothing", async () => {
  const ann = kay();
  expect(await ann('ask "show KAY-3"')).toEqual({
    exit: 4,
    stdout: "",
    stderr: "✗ You are not signed in.\n  Run `kay connect <service>`.\n",
  });
  expect(ann.place.network.calls()).toEqual([]);
});

test("changes made before a request failed are reported", async () => {
  const ann = kay({ signedIn: true });
  const receipts = [
    {
      tool_call_id: "call_1",
      tool: "jira.add_comment",
      effect: "settled",
      summary: "Comment on KAY-3",
      url: "https://x.example.test/3",
    },
    { tool_call_id: "call_2", tool: "jira.add_comment", effect: "unknown", summary: "Comment on KAY-4" },
    "no receipt",
  ];
  const json = {
    status: "error",
    error: "SERVICE_FAILED",
    code: "SERVICE_FAILED",
    message: "Jira did not answer.",
    receipts,
  };
  ann.place.network.on("POST /ask", { status: 502, json }, { status: 502, json });
  expect(await ann("ask something")).toEqual({
    exit: 1,
    stdout: "",
    stderr: `✓ Comment on KAY-3  https://x.example.test/3
? Comment on KAY-4 (outcome unknown; check before you retry)
✗ Jira did not answer.
  Check the service's status page and try again.
`,
  });
  expect(parseDocument(await ann("ask something --json"))).toMatchObject({
    code: "SERVICE_FAILED",
    receipts: [{ summary: "Comment on KAY-3" }, { summary: "Comment on KAY-4" }, "no receipt"],
  });
});

test("U17 no control character of an answer reaches the terminal", async () => {
  const ann = kay({ signedIn: true });
  const message = "Hello \u001b[2J\u001b]0;t\u0007\u009b31m | **x**\r\u202e";
  const receipt = { tool_call_id: "c", tool: "t", effect: "settled", summary: "s\u001b[8m", url: "https://\u0007x" };
  await ann("whoami");
  ann.place.network.always("POST /ask", { json: { status: "completed", message, receipts: [receipt] } });
  for (const terminal of [true, false]) {
    const { stdout, stderr } = await ann("ask x", { terminal, env: { NO_COLOR: "1" } });
    expect((stdout + stderr).replaceAll("\n", "")).toMatch(/^[^\p{Cc}\u202e]*$/u);
  }
});

test("N32 the planner's line is in no document, but stays on a terminal", async () => {
  const ann = kay({ signedIn: true });
  const { message, data } = parseDocument(await ann('ask --json "show OPS-1"')) as { message: string; data: unknown };
  expect(message).toMatch(/at the end of the month\.$/);
  expect(data).toEqual({ prompt: "show OPS-1", response: message });
  await ann('ask --confirm --json "close KAY-4"');
  const { confirmation_token: token } = parseDocument(ann.raw()) as { confirmation_token: string };
  expect(JSON.stringify(parseDocument(await ann(`confirm ${token} --approve --json`)))).not.toContain(PLANNER);
  expect((await ann('ask "show OPS-1"', { terminal: true })).stdout).toContain(PLANNER);
});

import { expect, test } from "vitest";
import type { DeskLog } from "#test/desk";
import { parseDocument, useKay } from "#test/kay";
import { withDesk } from "#test/session";

const kay = useKay();
const SHOWN =
  "Please confirm the following action: close KAY-4\n- Close KAY-4 (move it to a status that counts as done)\n  About: KAY-4 “Keep the order of parallel tool results” (To Do, unassigned)\n  issue: KAY-4\n  status: close\n\nActing as Dana Demo (kay-demo).\n";
const PLAIN = { terminal: true, env: { NO_COLOR: "1", TERM: "dumb" } };
const CLOSE = 'ask --confirm "close KAY-4"';
const SHOW = 'ask "show KAY-4"';

test("ask --confirm on a terminal shows the plan, and runs it after approval", async () => {
  const ann = kay({ signedIn: true });
  const url = "http://127.0.0.1:4010/sites/kay-demo/browse/KAY-4";
  expect(await ann(CLOSE, { ...PLAIN, types: ["y"] })).toEqual({
    exit: 0,
    stdout: `Action confirmed and executed successfully

KAY-4 is now Done (it was To Do).

Answered by the offline planner, without a language model.
`,
    stderr: `${SHOWN}Continue? [y/N] y\n✓ Close KAY-4 (move it to a status that counts as done)\n  ${url}\n`,
  });
});

test.for([["n"], [""], ["yep"], [null]])(
  "ask --confirm does nothing when the answer is %o",
  async ([answer = null]) => {
    const ann = kay({ signedIn: true });
    expect(await ann(CLOSE, { ...PLAIN, types: [answer] })).toEqual({
      exit: 5,
      stdout: "",
      stderr: `${SHOWN}Continue? [y/N] ${answer ?? ""}\n✗ Nothing was done.\n`,
    });
    expect((await ann(SHOW)).stdout).toContain("- Status: To Do");
  },
);

test("Ctrl+C at the question is not an answer; the confirmation stays open", async () => {
  const ann = kay({ signedIn: true });
  expect(await ann(CLOSE, { ...PLAIN, types: ["\x03"] })).toMatchObject({ exit: 130, stdout: "" });
  expect(ann.place.network.calls()).toEqual(["POST /ask"]);
});

test.for([
  ["in a script", CLOSE, {}],
  ["with --no-input", `${CLOSE} --no-input`, PLAIN],
  ["with --yes, which is no answer to what nobody saw", `${CLOSE} --yes`, {}],
  ["C08 in CI that has a terminal", CLOSE, { terminal: true, env: { CI: "true", NO_COLOR: "1" } }],
  ["C08 in CI=1", CLOSE, { terminal: true, env: { CI: "1", NO_COLOR: "1" } }],
  ["C08 on GitHub", CLOSE, { terminal: true, env: { GITHUB_ACTIONS: "true", NO_COLOR: "1" } }],
] as const)("%s ask --confirm leaves the confirmation open and exits 8", async ([, line, setting]) => {
  const ann = kay({ signedIn: true });
  const { exit, stdout, stderr } = await ann(line, setting);
  expect({ exit, stdout: stdout.replaceAll("\n\n", "\n"), stderr }).toEqual({
    exit: 8,
    stdout: SHOWN.replaceAll("\n\n", "\n"),
    stderr:
      "terminal" in setting
        ? "Nothing was done yet. Run\n`kay confirm confirm_… --approve`\nwithin five minutes, or use `--deny`.\n"
        : "Nothing was done yet. Run `kay confirm confirm_… --approve` within five minutes, or use `--deny`.\n",
  });
  expect((await ann(SHOW)).stdout).toContain("- Status: To Do");
});

test("ask --confirm --json prints the guide's answer and exits 8, even on a terminal", async () => {
  const ann = kay({ signedIn: true });
  for (const setting of [{}, { terminal: true }]) {
    const { exit, stdout, stderr } = await ann(`${CLOSE} --json`, setting);
    expect({ exit, document: parseDocument({ stdout }), stderr }).toEqual({
      exit: 8,
      document: {
        status: "confirmation_required",
        message: SHOWN.replace(/\n\nActing as .*\n$/, ""),
        data: {
          prompt: "close KAY-4",
          context: {},
          plan: [
            {
              tool: "jira.transition_issue",
              access: "write",
              input: { issue: "KAY-4", status: "close" },
              summary: "Close KAY-4 (move it to a status that counts as done)",
              account: "Dana Demo (kay-demo)",
              target: "KAY-4 “Keep the order of parallel tool results” (To Do, unassigned)",
              fields: [
                { name: "issue", value: "KAY-4", origin: "person" },
                { name: "status", value: "close", origin: "person" },
              ],
            },
          ],
        },
        confirmation_token: "confirm_…",
        requires_confirmation: true,
        generation_id: "gen_…",
        receipts: [],
        expires_at: expect.stringMatching(/^2026-11-27T12:05:/),
      },
      stderr: "",
    });
  }
});

const DELETE = `kay wants to run jira.delete_issue, which cannot be undone, as Dana Demo (kay-demo).
  Delete KAY-4 for good
  issue: KAY-4
`;

test("C10 a destructive call in a script never runs and never blocks", async () => {
  const log: DeskLog = [];
  const ann = kay({ signedIn: true, services: withDesk(log) });
  await ann("whoami");
  const begun = ann.place.clock.now();
  expect(await ann('ask "delete KAY-4"')).toEqual({
    exit: 8,
    stdout: DELETE,
    stderr: `Waiting for your answer. Run one of:
  kay answer int_… --approve
  kay answer int_… --approve --scope session
  kay answer int_… --deny
`,
  });
  expect(parseDocument(await ann('ask "delete KAY-4" --json --yes'))).toMatchObject({
    status: "pending",
    pending: [{ kind: "approval", request: { tool_name: "jira.delete_issue", preview: { access: "destructive" } } }],
  });
  expect([ann.place.clock.now() - begun < 5_000, log]).toEqual([true, []]);
});

test("a destructive call on a terminal asks, with or without --yes", async () => {
  const log: DeskLog = [];
  const ann = kay({ signedIn: true, services: withDesk(log) });
  const { exit, stderr } = await ann('ask "delete KAY-4" --yes', {
    ...PLAIN,
    columns: 100,
    types: ["n", "not this one"],
  });
  expect([exit, stderr]).toEqual([5, expect.stringContaining(DELETE)]);
  expect(log).toEqual([]);
  expect(await ann('ask "delete KAY-4"', { ...PLAIN, types: ["1"] })).toMatchObject({ exit: 0 });
  expect(log).toEqual(["delete KAY-4"]);
});

test("G02 a request left open by one process is answered in another, once", async () => {
  const log: DeskLog = [];
  const ann = kay({ signedIn: true, services: withDesk(log) });
  await ann('ask --json "delete KAY-4"');
  const [{ id }] = (JSON.parse(ann.raw().stdout) as { pending: [{ id: string }] }).pending;
  expect(await ann("pending")).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/^[0-9a-f]{6}\tapproval\tDelete KAY-4/),
  });
  expect(await ann(`answer ${id} --approve`)).toMatchObject({ exit: 0, stdout: expect.stringContaining("KAY-4") });
  expect(log).toEqual(["delete KAY-4"]);
  expect(await ann(`answer ${id} --approve`)).toMatchObject({ exit: 1, stdout: "" });
  expect(await ann("sessions show latest")).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining("✓ jira.delete_issue approved by kay answer"),
  });
  expect(log).toEqual(["delete KAY-4"]);
});

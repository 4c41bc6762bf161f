import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { guideBackend } from "#test/guide-backend";
import { type Machine, parseDocument, useKay } from "#test/kay";
import { BACKEND } from "#test/network";

const kay = useKay();
type Document = Record<string, unknown>;
const TERMINAL = { terminal: true, env: { NO_COLOR: "1" } };
const SHOW = 'ask "show KAY-4"';
const TOOL = "jira.transition_issue";
const URL = "http://127.0.0.1:4010/sites/kay-demo/browse/KAY-4";

const SUMMARY = "Close KAY-4 (move it to a status that counts as done)";
const INPUT = { issue: "KAY-4", status: "close" };
const WHY = "A tool that changes something asks before it runs unless a policy says otherwise.";
const PLAN = `
kay would run ${TOOL}, which writes, as Dana Demo (kay-demo).
  ${SUMMARY}
  About: KAY-4 “Keep the order of parallel tool results” (To Do, unassigned)
  issue: KAY-4
  status: close
  Would ask for approval: ${WHY}

Dry run: nothing was changed.
`;
const SAID = `Dry run: nothing was sent. Planned call: ${SUMMARY}.`;

/** Requests to the services that change something. */
async function writes(ann: Machine): Promise<unknown[]> {
  const { requests } = await ann.place.control("atlassian", "GET /requests");
  const logged = requests as { method: string; path: string }[];
  return logged.filter(({ method, path }) => method !== "GET" && !path.includes("/search") && !path.includes("/oauth"));
}

/** A file in the folder that names of files are read from. */
function file(ann: Machine, name: string, ...lines: string[]): void {
  writeFileSync(join(ann.folder, name), lines.join("\n"));
}

const isOpen = async (ann: Machine) => (await ann(SHOW)).stdout.includes("- Status: To Do");

test("a dry run shows the plan in full, and nothing is sent", async () => {
  const ann = kay({ signedIn: true });
  expect(await ann('ask --dry-run "close KAY-4"')).toEqual({ exit: 0, stdout: `${SAID}\n${PLAN}`, stderr: "" });
  const { exit, stdout, stderr } = await ann('ask --dry-run "close KAY-4"', TERMINAL);
  expect({ exit, stdout: unwrap(stdout).endsWith(unwrap(PLAN)), stderr }).toEqual({
    exit: 0,
    stdout: true,
    stderr: "⏺ jira.transition_issue  issue = KAY-4, status = close  0.0s  not sent\n",
  });
  expect(await writes(ann)).toEqual([]);
  expect(await isOpen(ann)).toBe(true);
});

test("a dry run of reads says so as well", async () => {
  const ann = kay({ signedIn: true });
  const { exit, stdout } = await ann('ask --dry-run "show KAY-4"');
  expect([exit, stdout.includes("- Status: To Do"), stdout.split("\n").at(-2)]).toEqual([
    0,
    true,
    "Dry run: nothing was changed.",
  ]);
});

test("with --json the plan and the planned receipts are in the document, and a repeat adds nothing", async () => {
  const ann = kay({ signedIn: true });
  const call = { tool_call_id: expect.any(String), tool: TOOL, summary: SUMMARY };
  expect(parseDocument(await ann('ask --dry-run --json "close KAY-4"'))).toEqual({
    status: "completed",
    message: SAID,
    session_id: expect.any(String),
    generation_id: expect.any(String),
    data: {
      prompt: "close KAY-4",
      response: SAID,
      dry_run: true,
      plan: [{ ...call, access: "write", input: INPUT, account: "Dana Demo (kay-demo)", asks: true, why: WHY }],
    },
    receipts: [{ ...call, effect: "planned" }],
  });
  expect(await writes(ann)).toEqual([]);
});

test("with --stream each part is a line: the plan, and that it is a dry run", async () => {
  const ann = kay({ signedIn: true });
  const { exit, stdout } = await ann('ask --dry-run --json --stream "close KAY-4"');
  const parts = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(exit).toBe(0);
  expect(parts.find(({ type }) => type === "start").messageMetadata).toMatchObject({ dry_run: true });
  expect(parts.find(({ type }) => type === "data-planned").data).toMatchObject({ tool: TOOL, input: INPUT });
});

test("the plan of a dry run is in the conversation afterwards, in every view", async () => {
  const ann = kay({ signedIn: true });
  await ann('ask --dry-run "close KAY-4"');
  for (const command of ["sessions show latest", "sessions export latest", "attach"]) {
    const { stdout } = await ann(command);
    expect(stdout).toContain(`kay would run ${TOOL}, which writes, as Dana Demo (kay-demo).`);
    expect(stdout).toContain("Dry run: nothing was changed.");
  }
});

test("a dry run connects nothing: missing services are named, with exit code 4", async () => {
  const ann = kay({ connected: ["confluence"] });
  const { exit, stderr } = await ann('ask --dry-run "close KAY-4"', TERMINAL);
  expect({ exit, stderr: stderr.split("\n").slice(1) }).toEqual({
    exit: 4,
    stderr: ["✗ Jira must be connected to do this.", "  Run `kay connect jira`, then ask again.", ""],
  });
  expect(parseDocument(await ann('ask --dry-run --json "close KAY-4"'))).toMatchObject({
    code: "AUTH_REQUIRED",
    integrations: ["jira"],
  });
  expect(ann.launched).toEqual([]);
});

test("a call that --allow names runs without asking, and the receipt says by which entry and account", async () => {
  const ann = kay({ signedIn: true });
  const { exit, stderr } = await ann(`ask --allow ${TOOL}:KAY "close KAY-4"`);
  expect({ exit, stderr }).toEqual({
    exit: 0,
    stderr: `✓ ${SUMMARY} (allowed by --allow ${TOOL}:KAY, as Dana Demo (kay-demo))  ${URL}\n`,
  });
  expect(await isOpen(ann)).toBe(false);
});

test("--yes allows nothing, which kay says, and with --allow only what that names", async () => {
  const ann = kay({ signedIn: true });
  const { exit, stderr } = await ann('ask --yes "close KAY-4"');
  expect([exit, stderr.split("\n")[0]]).toEqual([
    8,
    "! --yes does not approve changes. Use --allow TOOL[:PLACE] to approve a call in advance.",
  ]);
  expect(await writes(ann)).toEqual([]);
  const allowed = await ann(`ask --yes --allow ${TOOL} --json "close KAY-4"`);
  expect([allowed.exit, (parseDocument(allowed) as Document).receipts]).toMatchObject([
    0,
    [{ effect: "settled", allowed_by: TOOL, account: "Dana Demo (kay-demo)" }],
  ]);
});

test("a call allowed elsewhere asks: exit code 8, and nothing is done", async () => {
  const ann = kay({ signedIn: true });
  const { exit, stderr } = await ann(`ask --allow ${TOOL}:OPS --allow jira.add_comment "close KAY-4"`);
  expect([exit, stderr.split("\n")[0]]).toEqual([8, "Waiting for your answer. Run one of:"]);
  expect(await writes(ann)).toEqual([]);
});

test("a file allows one entry per line; comments and empty lines are ignored", async () => {
  const ann = kay({ signedIn: true });
  file(ann, "ci.allow", "# what the build may do", "", "slack.send_message:#ci  # the channel", `  ${TOOL}:KAY #`, "");
  const result = await ann('ask --allow-file ci.allow --json "close KAY-4"');
  expect([result.exit, (parseDocument(result) as Document).receipts]).toMatchObject([
    0,
    [{ allowed_by: `${TOOL}:KAY` }],
  ]);
});

test.for([
  ["--dry-run --confirm", "Use either --dry-run or --confirm, not both."],
  ["--allow jira.create_issue --confirm", "Use either --confirm or --allow, not both."],
  ["--allow-file none.allow", 'File not found: "none.allow".'],
  ["--allow-file bad.allow", '"slack send" is not a valid entry for --allow.'],
  ["--allow :x", '":x" is not a valid entry for --allow.'],
  [
    "--allow jira.create_isue",
    "Unknown tool “jira.create_isue” in the list of allowed tools. Did you mean jira.create_issue?",
  ],
  ["--allow jira.*", "“jira.*” is more than one tool; each tool is allowed by its own name."],
  ["--allow jira", "“jira” is more than one tool; each tool is allowed by its own name."],
  ["--allow jira.search:KAY", "jira.search has no target that could be named. Allow the whole tool."],
])("%s is a usage error before anything is done", async ([options = "", message]) => {
  const ann = kay({ signedIn: true });
  file(ann, "bad.allow", "slack send");
  const { exit, stdout, stderr } = await ann(`ask ${options} "close KAY-4"`);
  expect({ exit, stdout, stderr: stderr.split("\n")[0] }).toEqual({ exit: 2, stdout: "", stderr: `✗ ${message}` });
  expect((await ann("sessions list")).stdout).toBe("");
});

test("without a question, neither opens a session that would not enforce it", async () => {
  const ann = kay({ signedIn: true });
  for (const option of ["--dry-run", `--allow ${TOOL}`])
    expect(await ann(`ask ${option}`, TERMINAL)).toMatchObject({ exit: 2, stdout: "" });
});

test.for(["--dry-run", `--allow ${TOOL}`])("a backend without %s is not asked at all", async (option) => {
  let backend: ReturnType<typeof guideBackend> | undefined;
  const ann = kay({ person: async (url) => backend?.consent(url) });
  backend = guideBackend(ann.place.clock);
  ann.place.network.serve(BACKEND, backend.fetch);
  await ann("connect jira");
  ann.place.network.seen.length = 0;
  const { exit, stdout, stderr } = await ann(`ask ${option} "delete everything"`);
  expect({ exit, stdout, stderr: stderr.split("\n")[0] }).toEqual({
    exit: 1,
    stdout: "",
    stderr: `✗ This backend does not support ${option.split(" ")[0]}, so nothing was sent.`,
  });
  expect(ann.place.network.calls()).toEqual(["GET /capabilities"]);
});

/** Removes line breaks from wrapping. */
function unwrap(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

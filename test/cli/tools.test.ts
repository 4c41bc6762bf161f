import { expect, test } from "vitest";
import type { DeskLog } from "#test/desk";
import { parseDocument, useKay } from "#test/kay";
import { createOutside, json } from "#test/outside";
import { withDesk } from "#test/session";

const kay = useKay();
const SITE = "http://127.0.0.1:4010/sites/kay-demo";
const NO_BACKEND = { KAY_API_URL: "" };

test("services in a pipe are rows: name, state, sandbox or real, account, site", async () => {
  const { exit, stdout, stderr } = await kay({ signedIn: true })("services");
  const rows = stdout.split("\n");
  expect({ exit, stderr, jira: rows[0], bitbucket: rows.find((row) => row.startsWith("bitbucket")) }).toEqual({
    exit: 0,
    stderr: "",
    jira: `jira\tconnected\tsandbox\tDana Demo (dana@example.com)\t${SITE}`,
    bitbucket: "bitbucket\tnot connected\tsandbox\t\t",
  });
  expect(rows).toContain("kyg\tnot configured\t\t\t");
});

test("services show lists scopes, tools, and where to set a custom client", async () => {
  const ann = kay({ signedIn: true });
  expect(await ann("services show kyg")).toEqual({
    exit: 0,
    stdout: `service\tkyg
title\tkyg
state\tnot configured
scopes requested\topenid profile email offline_access
own client\tnone
its settings\tkyg.client-id kyg.client-secret kyg.authorize-url kyg.token-url kyg.api-url
its variables\tKAY_CLIENT_KYG_ID KAY_CLIENT_KYG_SECRET KAY_KYG_AUTHORIZE_URL KAY_KYG_TOKEN_URL KAY_KYG_API_URL
redirect URI\thttp://127.0.0.1:4000/auth/callback
`,
    stderr: "The administrator of the backend must configure an OAuth client first.\n",
  });
  expect(parseDocument(await ann("services show jira --json"))).toMatchObject({
    name: "jira",
    state: "connected",
    target: "sandbox",
    user: { name: "Dana Demo" },
    client: { provider: "atlassian", configured: false, settings: ["atlassian.client-id", "atlassian.client-secret"] },
  });
  expect(await ann("services show jra")).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining("Did you mean jira?"),
  });
});

test("services lists connectable services before the first sign-in", async () => {
  expect(await kay()("services")).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/^jira\tnot connected.*\n(?:.*\n)*linkedin\tnot connected/),
    stderr: "! You are not signed in. Run `kay connect <service>`.\nConnect one with `kay connect <service>`.\n",
  });
});

test("tools list --service shows the tools of one service", async () => {
  const ann = kay({ signedIn: true });
  const { stdout } = await ann("tools list --service bitbucket");
  expect(stdout.split("\n")[0]).toBe(
    `bitbucket.list_pull_requests\tread\tnot connected\t${await describes(ann, "bitbucket.list_pull_requests")}`,
  );
  expect(await ann("tools list --service jra")).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining("Did you mean jira?"),
  });
});

test("tools are shown before the first sign-in, and no backend is started for it", async () => {
  const ann = kay({ env: NO_BACKEND });
  expect((await ann("tools list --service jira")).stdout).toMatch(/^jira\.search\tread\t\tFind Jira issues/);
  const result = await ann("tools show jira.transition_issue", { terminal: true, env: { NO_COLOR: "1" } });
  expect(result).toMatchObject({ exit: 0, stderr: "" });
  expect(result.stdout).toMatch(/^jira\.transition_issue {2}write\nMove a Jira issue to another status/);
  expect(result.stdout).toContain("  issue  text, required\n      Key of the issue, such as KAY-3.\n");
  expect(result.stdout).toContain(
    "\nCall it:\n  kay tools call jira.transition_issue --field issue=… --field status=…\n",
  );
  expect(ann.place.network.seen).toEqual([]);
});

test("tools call prints the tool's Markdown, and with --json only its data", async () => {
  const ann = kay({ signedIn: true });
  expect(await ann("tools call jira.search --field project=KAY --field limit=1")).toEqual({
    exit: 0,
    stdout: `The first issue in KAY; there are more:

| Key | Summary | Type | Status | Assignee |
| --- | --- | --- | --- | --- |
| KAY-6 | Refresh tokens in one process only | Task | In Review | Dana Demo |
`,
    stderr: expect.stringMatching(/^More: add --field cursor=[\w.-]+\n$/),
  });
  const input = '{"project":"KAY","limit":1}';
  const line = await ann(["tools", "call", "jira.search", input, "--json"]);
  const piped = await ann("tools call jira.search - --json", { stdin: input });
  const fields = await ann([
    "tools",
    "call",
    "jira.search",
    '{"project":"OPS","limit":1}',
    "--field",
    "project=KAY",
    "--json",
  ]);
  expect(parseDocument(line)).toMatchObject({ issues: [{ key: "KAY-6" }], more: true });
  expect([piped, fields]).toEqual([line, line]);
});

test("tools call continues a list with the cursor of its result", async () => {
  const ann = kay({ signedIn: true });
  const page = async (input: object) =>
    parseDocument(await ann(["tools", "call", "jira.search", JSON.stringify(input), "--json"])) as {
      next_cursor?: string;
    };
  const first = await page({ project: "KAY", limit: 1 });
  expect(await page({ project: "KAY", limit: 1, cursor: first.next_cursor })).toMatchObject({
    issues: [{ key: "KAY-12" }],
  });
  const wrong = await ann([
    "tools",
    "call",
    "jira.search",
    "--field",
    "project=OPS",
    "--field",
    `cursor=${first.next_cursor}`,
  ]);
  expect(wrong).toEqual({
    exit: 2,
    stdout: "",
    stderr: `✗ This cursor does not belong to this list.
  Call jira.search with the whole next_cursor of a result and the same other fields, or without a cursor.
`,
  });
});

test("a write reports its receipt, and is sent once", async () => {
  const ann = kay({ signedIn: true });
  expect(await ann("tools call jira.transition_issue --field issue=KAY-3 --field status=close")).toEqual({
    exit: 0,
    stdout: `KAY-3 is now Done (it was To Do).\n\n${SITE}/browse/KAY-3\n`,
    stderr: `✓ Close KAY-3 (move it to a status that counts as done)  ${SITE}/browse/KAY-3\n`,
  });
  expect(ann.place.network.calls()).toEqual([
    "GET /tools/jira.transition_issue",
    "POST /tools/jira.transition_issue/call",
  ]);
});

test("a lost answer of a call is looked up, never requested again", async () => {
  const ann = kay({ signedIn: true });
  ann.place.network.on("POST /tools/", "lost");
  const { exit, stdout } = await ann("tools call jira.transition_issue --field issue=KAY-3 --field status=close");
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: `KAY-3 is now Done (it was To Do).\n\n${SITE}/browse/KAY-3\n` });
  expect(ann.place.network.calls().slice(1)).toEqual(["POST /tools/jira.transition_issue/call", "GET /requests/…"]);
});

const SEARCH_FIELDS =
  "project, status, assignee, type, text, reporter, priority, sprint, labels, updatedSince, updatedBefore, createdSince, createdBefore, resolvedSince, resolvedBefore, dueBefore, dueAfter, order, jql, limit, cursor";

test.for([
  ["--field limit=x", "The field “limit” must be a number."],
  ["--field limit=200", "The input of jira.search is not accepted: “limit” must be at most 100."],
  ["--field projct=KAY", `jira.search has no field “projct”. Did you mean “project”? Valid fields: ${SEARCH_FIELDS}.`],
])("tools call with %s is one sentence that names the field", async ([fields, sentence]) => {
  expect(await kay({ signedIn: true })(`tools call jira.search ${fields}`)).toEqual({
    exit: 2,
    stdout: "",
    stderr: `✗ ${sentence}\n  Run \`kay tools show jira.search\` to see its fields.\n`,
  });
});

test("an unknown tool names the nearest one", async () => {
  const result = {
    exit: 1,
    stdout: "",
    stderr: '✗ Unknown tool "jira.serch". Did you mean jira.search?\n  Run `kay tools list` to list all tools.\n',
  };
  const ann = kay({ signedIn: true });
  for (const line of ["tools call jira.serch", "tools show jira.serch"]) expect(await ann(line)).toEqual(result);
  expect(await kay({ env: NO_BACKEND })("tools call jira.serch")).toEqual(result);
});

test("input that is not a JSON object is a usage error", async () => {
  const ann = kay({ signedIn: true });
  for (const input of ["[1]", "nonsense", '"x"'])
    expect(await ann(["tools", "call", "jira.search", input])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("The input must be a JSON object."),
    });
  expect((await ann("tools call jira.search --field nothing")).stderr).toContain(
    '--field "nothing" is not in the form key=value.',
  );
});

test("a missing connection or sign-in is AUTH_REQUIRED on stdout, and exit 4", async () => {
  const ann = kay({ signedIn: true });
  const formatError = (message: string, integration = "bitbucket") =>
    `${JSON.stringify({ error: { code: "AUTH_REQUIRED", integration, message } }, null, 2)}\n`;
  const stderr = "✗ Bitbucket is not connected.\n  Run `kay connect bitbucket`.\n";
  const stdout = formatError("Bitbucket is not connected.");
  expect(await ann("tools call bitbucket.list_pull_requests")).toEqual({ exit: 4, stdout, stderr });
  const asJson = await ann("tools call bitbucket.list_pull_requests --json");
  expect({ ...asJson, stdout: JSON.parse(asJson.stdout) }).toEqual({
    exit: 4,
    stdout: {
      ...JSON.parse(stdout),
      status: "error",
      code: "AUTH_REQUIRED",
      message: "Bitbucket is not connected.",
      hint: "Run `kay connect bitbucket`.",
    },
    stderr,
  });
  const message = "Jira authentication is required, and you are not signed in.";
  expect(await kay({ env: NO_BACKEND })("tools call jira.search")).toEqual({
    exit: 4,
    stdout: formatError(message, "jira"),
    stderr: `✗ ${message}\n  Run \`kay connect jira\`, or set JIRA_ACCESS_TOKEN.\n`,
  });
});

const API = "https://api.atlassian.com";
const SITES = [
  { id: "c-main", name: "main", url: "https://main.example.test", scopes: ["read:jira-work", "write:jira-work"] },
];

test("with a token of the environment a tool runs here at the real service, without a backend", async () => {
  const outside = createOutside();
  outside.expect(`GET ${API}/oauth/token/accessible-resources`, json(SITES));
  outside.expect(`GET ${API}/me`, json({ account_id: "557058:ann", name: "Ann Example" }));
  outside.expect(`POST ${API}/ex/jira/c-main/rest/api/3/search/jql`, json({ issues: [], isLast: true }));
  const ann = kay({ outside: outside.fetch, env: { JIRA_ACCESS_TOKEN: "real-token" } });
  const { exit, stdout, stderr } = await ann([
    "tools",
    "call",
    "jira.search",
    "--field",
    "jql=project = KAY",
    "--json",
  ]);
  outside.settled();
  expect({ exit, document: parseDocument({ stdout }), stderr }).toEqual({
    exit: 0,
    document: { jql: "project = KAY", issues: [], more: false },
    stderr: "",
  });
  expect(outside.sent.map(({ headers }) => headers.get("authorization"))).toEqual(Array(3).fill("Bearer real-token"));
  expect(ann.place.network.seen).toEqual([]);
  expect(await ann.stored()).toEqual({});
});

test("a token for several sites needs a choice, and a cloud ID avoids the question", async () => {
  const outside = createOutside();
  const other = { ...SITES[0], id: "c-other", name: "other", url: "https://other.example.test" };
  const both = () => {
    outside.expect(`GET ${API}/oauth/token/accessible-resources`, json([...SITES, other]));
    outside.expect(`GET ${API}/me`, json({ account_id: "557058:ann" }));
  };
  const ann = kay({ outside: outside.fetch, env: { JIRA_ACCESS_TOKEN: "real-token" } });
  const call = ["tools", "call", "jira.search", "--field", "jql=project = KAY"];
  both();
  expect(await ann(call)).toEqual({
    exit: 2,
    stdout: "",
    stderr:
      "✗ The token reaches several Jira sites, or not the one you selected: main, other.\n  Set JIRA_SITE to one of these names.\n",
  });
  both();
  outside.expect(`POST ${API}/ex/jira/c-other/rest/api/3/search/jql`, json({ issues: [], isLast: true }));
  expect(await ann(call, { env: { JIRA_SITE: "other" } })).toMatchObject({ exit: 0 });
  outside.expect(`POST ${API}/ex/jira/c-9/rest/api/3/search/jql`, json({ issues: [], isLast: true }));
  expect(await ann(call, { env: { JIRA_CLOUD_ID: "c-9" } })).toMatchObject({ exit: 0 });
  outside.settled();
});

test("a token that the service refuses is AUTH_REQUIRED, and is in no output", async () => {
  const outside = createOutside();
  outside.expect(`GET ${API}/oauth/token/accessible-resources`, json({ code: 401, message: "Unauthorized" }, 401));
  const ann = kay({ outside: outside.fetch, env: { JIRA_ACCESS_TOKEN: "stale-secret" } });
  const message = "Jira rejected the token in JIRA_ACCESS_TOKEN.";
  expect(await ann("tools call jira.search")).toEqual({
    exit: 4,
    stdout: `${JSON.stringify({ error: { code: "AUTH_REQUIRED", integration: "jira", message } }, null, 2)}\n`,
    stderr: `✗ ${message}\n  Set JIRA_ACCESS_TOKEN to a valid token, or unset it and run \`kay connect jira\`.\n`,
  });
  outside.settled();
});

async function describes(ann: ReturnType<typeof kay>, name: string): Promise<string> {
  return (parseDocument(await ann(`tools show ${name} --json`)) as { description: string }).description;
}

test("a call that cannot be undone asks first; a script passes --yes", async () => {
  const log: DeskLog = [];
  const ann = kay({ signedIn: true, services: withDesk(log) });
  const call = "tools call jira.delete_issue --field issue=KAY-3";
  const question = "Run jira.delete_issue? It cannot be undone.";
  expect(await ann(call)).toEqual({
    exit: 2,
    stdout: "",
    stderr: `jira.delete_issue:\n  issue: KAY-3\n✗ ${question} Cannot prompt: this is not a terminal.\n  Use --yes.\n`,
  });
  expect(await ann(call, { terminal: true, types: ["n"] })).toMatchObject({ exit: 5, stdout: "" });
  expect(log).toEqual([]);
  expect(await ann(`${call} --yes`)).toMatchObject({ exit: 0, stdout: "KAY-3 is deleted.\n" });
  expect(log).toEqual(["delete KAY-3"]);
});

test("a basic backend shows its services, and says that it has no tools", async () => {
  const ann = kay({ signedIn: true });
  const missing = { status: 404, json: { error: "Not found" } };
  ann.place.network.always("GET /services", missing);
  ann.place.network.always("GET /tools", missing);
  expect((await ann("services")).stdout).toMatch(/^jira\tconnected\t\tDana Demo/);
  expect(await ann("tools list")).toEqual({
    exit: 1,
    stdout: "",
    stderr: "✗ This backend cannot run single tools.\n  Use `kay ask`.\n",
  });
});

test("B232 the hint of a refused call is the service's, not the one of an outage", async () => {
  const ann = kay({ signedIn: true });
  expect(await ann("tools call jira.get_issue --field issue=KAY-999")).toEqual({
    exit: 1,
    stdout: "",
    stderr:
      "✗ Jira: Issue does not exist or you do not have permission to see it.\n  Check the name, and that you can open it in Jira.\n",
  });
});

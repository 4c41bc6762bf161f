import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { configureServices } from "#connectors/catalogue";
import { readChecks } from "#test/doctor";
import { type Machine, type MachineOptions, parseDocument, useKay } from "#test/kay";
import { paste } from "#test/key-page";
import { openHost } from "#test/mcp-host";
import type { LoginOptions } from "#test/mcp-login";
import { mcpStandIn } from "#test/mcp-stand-ins";
import { modelTools, plannerTalk } from "#test/planner";
import { useScriptedModel } from "#test/scripted-model";
import { TASKS, TASKS_KEY, tasksService } from "#test/tasks-service";

const kay = useKay();
const SERVICES = configureServices({ clients: {} }).map(({ service }) => service);
const AT_WORK = SERVICES.map(({ title, tools }) => ({
  title: `${title} (work)`,
  tools: tools.map((tool) => ({ ...tool, name: tool.name.replace(".", "_at_work.") })),
}));

/** A user whose Jira is connected as Dana, and as Sam under the name `work`. */
async function withTwoAccounts(options: MachineOptions = {}): Promise<Machine> {
  const ann = kay({ connected: ["jira"], ...options });
  const second = await ann("connect jira --as work", {
    person: (url) => ann.place.consent(url, { account: "557058:7c1e93b4-2a68-4f7d-8e40-b5d9a6c31f02" }),
  });
  expect(second).toMatchObject({ exit: 0, stdout: expect.stringContaining("Connected jira@work as Sam") });
  return ann;
}

test("two accounts of a service are two rows, each with its own tools and its own disconnect", async () => {
  const ann = await withTwoAccounts();
  const { connections } = parseDocument(await ann("connections --json")) as {
    connections: Record<string, { connected: boolean; user?: { name?: string } }>;
  };
  expect(connections.jira).toMatchObject({ connected: true, user: { name: "Dana Demo" } });
  expect(connections["jira@work"]).toMatchObject({ connected: true, user: { name: expect.stringContaining("Sam") } });
  expect((await ann("tools list --service jira@work")).stdout).toContain("jira@work.get_issue");
  expect((await ann("disconnect jira@work --yes")).exit).toBe(0);
  const { connections: left } = parseDocument(await ann("connections --json")) as { connections: object };
  expect(left).toHaveProperty("jira");
  expect(left).not.toHaveProperty("jira@work");
});

test("each tool acts as its account, and a policy limits every account but frees only the one it names", async () => {
  const ann = await withTwoAccounts();
  const text = (service: string) => `seen by ${service}`;
  for (const service of ["jira", "jira@work"]) {
    const fields = ["--field", "issue=KAY-3", "--field", `text=${text(service)}`];
    expect((await ann(["tools", "call", `${service}.add_comment`, ...fields])).exit).toBe(0);
  }
  const { stdout } = await ann("tools call jira.get_issue --field issue=KAY-3");
  expect(stdout).toMatch(/Dana Demo.*seen by jira\b/s);
  expect(stdout).toMatch(/Sam Sample.*seen by jira@work/s);
  const input = JSON.stringify({ issue: "KAY-3", text: "x" });
  const decide = async () => parseDocument(await ann(["approvals", "test", "jira@work.add_comment", input, "--json"]));
  await ann("policy set jira everything");
  expect(await decide()).toMatchObject({ asks: true });
  await ann("policy set jira ask");
  expect(await decide()).toMatchObject({ asks: true, why: expect.stringContaining("policy for jira") });
  await ann("policy set jira reads");
  await ann("policy set jira@work everything");
  expect(await decide()).toMatchObject({ asks: true });
});

test("one request reads with one account and writes with another, which its card and its receipt name", async () => {
  const model = useScriptedModel();
  const ann = await withTwoAccounts({ ...model.machine });
  model.script(
    { calls: [["c1", "jira@work.get_issue", { issue: "KAY-3" }]] },
    { calls: [["c2", "jira.create_issue", { project: "KAY", summary: "Copy of KAY-3", type: "Task" }]] },
    { text: "Copied." },
  );
  const result = await ann(["ask", "copy KAY-3 of jira@work to jira", "--json"]);
  expect(result.exit).toBe(8);
  expect(JSON.stringify(parseDocument(result))).toContain("jira.create_issue");
  await ann("pending --json");
  const [pending] = (JSON.parse(ann.raw().stdout) as { pending: { id: string; request: object }[] }).pending;
  expect(JSON.stringify(pending?.request)).toContain("Dana Demo");
  const answer = await ann(["answer", pending?.id ?? "", "--approve"]);
  expect(answer, answer.stderr).toMatchObject({ exit: 0 });
  expect((await ann("log")).stdout).toMatch(/\tjira\tDana Demo[^\t]*\t.*Copy of KAY-3/);
});

test.each([
  ["comment on KAY-3: hi", "jira@work", "asks"],
  ["comment on KAY-3: hi", "jira", "asks"],
  ["in jira, comment on KAY-3: hi", "jira@work", "asks"],
  ["in jira@work, comment on KAY-3: hi", "jira", "asks"],
  ["mail kay@work.example that KAY-3 works; comment: hi", "jira@work", "asks"],
  ["in Jira@Work, comment on KAY-3: hi", "jira@work", "runs"],
  ["comment on KAY-3 with my work account: hi", "jira@work", "runs"],
  ["comment on KAY-3 in Jira (work): hi", "jira@work", "runs"],
  ["comment on KAY-3 in Jira: hi", "jira", "runs"],
])("“%s”, for which a model takes %s and which a policy frees, %s", async (request, account, outcome) => {
  const model = useScriptedModel();
  const ann = await withTwoAccounts({ ...model.machine });
  for (const service of ["jira", "jira@work"]) await ann(`policy set ${service} everything`);
  model.script({ calls: [["c1", `${account}.add_comment`, { issue: "KAY-3", text: "hi" }]] }, { text: "Done." });
  const { exit, stdout, stderr } = await ann(["ask", request]);
  expect(exit, stderr).toBe(outcome === "asks" ? 8 : 0);
  if (outcome === "asks")
    expect(stdout).toContain("kay asks because you did not say which account: jira or jira@work.");
});

test("the account that the user named last counts, and an approval for another request does not", async () => {
  const model = useScriptedModel();
  const ann = await withTwoAccounts({ ...model.machine });
  const comment = (account: string, text: string) =>
    model.script({ calls: [["c1", `${account}.add_comment`, { issue: "KAY-3", text }]] });
  const finish = () => model.script({ text: "Done." });
  const approve = async () => {
    await ann("pending --json");
    const [open] = (JSON.parse(ann.raw().stdout) as { pending: { id: string }[] }).pending;
    return await ann(["answer", open?.id ?? "", "--approve", "--scope", "always"]);
  };
  comment("jira@work", "one");
  expect((await ann(["ask", "in jira@work, comment one on KAY-3"])).exit).toBe(8);
  finish();
  expect((await approve()).exit).toBe(0);
  for (const request of [["in jira@work, comment ok on KAY-3"], ["--continue", "on KAY-3, comment ok again"]]) {
    comment("jira@work", "ok");
    finish();
    expect((await ann(["ask", ...request])).exit).toBe(0);
  }
  for (const request of [["--continue", "and comment ok in jira"], ["comment ok on KAY-3"]]) {
    comment("jira@work", "ok");
    expect((await ann(["ask", ...request])).exit).toBe(8);
  }
  comment("jira", "six");
  finish();
  expect((await ann(["ask", "comment six on KAY-3", "--allow", "jira.add_comment"])).exit).toBe(0);
  comment("jira@work", "six");
  const both = ["--allow", "jira.add_comment", "--allow", "jira@work.add_comment"];
  expect((await ann(["ask", "comment six on KAY-3", ...both])).exit).toBe(8);
});

test("the offline planner uses the named account, and asks if none is named", async () => {
  const ann = await withTwoAccounts();
  const unclear = await ann(["ask", "show KAY-3"]);
  expect(unclear).toMatchObject({ exit: 1 });
  expect(unclear.stdout + unclear.stderr).toContain("There are several accounts of jira: jira, jira@work.");
  const both = await ann(["ask", "show KAY-3 in jira and in jira@work"]);
  expect(both).toMatchObject({ exit: 1 });
  expect(both.stdout + both.stderr).toContain("Ask for jira and for jira@work in a request each.");
  for (const request of ["what is assigned to me in jira@work?", "show KAY-3 in jira@work"]) {
    const work = await ann(["ask", request, "--json"]);
    expect(work.exit).toBe(0);
    expect(JSON.stringify(parseDocument(work))).toContain("KAY");
  }
  await ann(["ask", "in jira@work, comment on KAY-3: seen", "--allow", "jira@work.add_comment"]);
  expect((await ann("tools call jira.get_issue --field issue=KAY-3")).stdout).toMatch(/Sam Sample.*seen/s);
});

const REQUESTS: [request: string, tool: string][] = [
  ["show KAY-3 in jira", "jira.get_issue"],
  ["in jira close KAY-3", "jira.transition_issue"],
  ["jira: comment on KAY-3: see jira@work", "jira.add_comment"],
  ["create a bug in KAY in jira: Login broken", "jira.create_issue"],
  ['search jira for "sso login"', "jira.search"],
  ['in slack, send "hi" to #general', "slack.send_message"],
  ["slack: tell #general the build is green", "slack.send_message"],
  ["on gmail: unread mails from priya", "gmail.search"],
  ["github: close issue 3 in kay-cli", "github.close_issue"],
  ["what is on my calendar tomorrow in google-calendar?", "google-calendar.list_events"],
  ["find the page Plan in notion", "notion.search"],
  ["read the page Plan in confluence", "confluence.get_page"],
  ["list files in google-drive", "google-drive.search"],
  ['post "hello" on linkedin', "linkedin.create_post"],
  ["create a contact in hubspot: Jonas Weber", "hubspot.create_contact"],
  ["list records in the Feedback table in airtable", "airtable.list_records"],
  ["merge pull request 4 in kay-backend on bitbucket", "bitbucket.merge_pull_request"],
  ["read A1:B3 of Budget 2026 in google-sheets", "google-sheets.read_range"],
  ['append "x" to the document Minutes in google-docs', "google-docs.append_text"],
];

test.each(REQUESTS)("“%s” means the same of each account of the service", async (request, tool) => {
  const { calls } = await plannerTalk(modelTools(SERVICES)).say(request);
  expect(calls.map(([name]) => name)).toEqual([tool]);
  const [service = ""] = tool.split(".");
  const atWork = (text: string) => text.replace(service, `${service}@work`);
  const { calls: work } = await plannerTalk(modelTools([...SERVICES, ...AT_WORK])).say(atWork(request));
  expect(work).toEqual(calls.map(([name, input]) => [atWork(name).replace("@", "_at_"), input]));
});

test("“it” is a thing of the account that found it, and an answer is for the account that was asked", async () => {
  const talk = plannerTalk(modelTools([...SERVICES, ...AT_WORK]));
  await talk.say("show KAY-3 in jira@work");
  await talk.results({ text: "KAY-3", data: { key: "KAY-3" } });
  const closed = await talk.say("close it");
  expect(closed.calls).toEqual([["jira_at_work.transition_issue", { issue: "KAY-3", status: "close" }]]);
  await talk.results({ text: "Closed.", data: { key: "KAY-3" } });
  expect((await talk.say("close it in jira")).calls).toEqual([]);
  expect((await talk.say("close KAY-4")).text).toContain("Name one of them");
  expect((await talk.say("comment on KAY-4 in jira@work")).text).toContain("I need the text");
  expect((await talk.say("show KAY-5 in @jira@work")).calls).toEqual([["jira_at_work.get_issue", { issue: "KAY-5" }]]);
  expect((await talk.say("show KAY-5 in @jira@home")).text).toContain("There is no account jira@home here.");
  expect((await talk.say("comment on KAY-4 in jira@work")).text).toContain("I need the text");
  expect((await talk.say("seen")).calls).toEqual([["jira_at_work.add_comment", { issue: "KAY-4", text: "seen" }]]);
});

test("kay mcp lists the tools of an account under names that hosts accept", async () => {
  const host = await openHost(await withTwoAccounts(), { flags: ["--service", "jira@work"] });
  const names = (await host.client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain("jira_at_work__get_issue");
  expect(names.filter((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))).toEqual([]);
  expect(await host.call("jira_at_work__get_issue", { issue: "KAY-3" })).toMatchObject({ status: "done" });
});

test("an invalid name of an account is refused before anything is asked", async () => {
  const ann = kay({ signedIn: true });
  expect(await ann("connect jira --as Work!")).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('"Work!" is not a valid account name.'),
  });
  expect(await ann("connect jira slack --as work")).toMatchObject({ exit: 2 });
  expect((await ann("connect nope --as work")).stderr).toContain("Unknown service");
});

/** A user beside a known MCP server, who consents at its page, and the tokens that its tools were called with. */
function besideServer(name: string, options: LoginOptions | { key: string } | "open") {
  const { fetch, login, notes, server } = mcpStandIn(name, options);
  server.state.paid = true;
  const tokens: string[] = [];
  const ann: Machine = kay({
    signedIn: true,
    elsewhere: async (url, init) => {
      const request = new Request(url, init);
      const body = request.method === "POST" ? await request.clone().text() : "";
      if (body.includes('"tools/call"')) tokens.push(request.headers.get("authorization") ?? "");
      return await fetch(request.url, { ...init, ...(body === "" ? {} : { body }) });
    },
    person: async (link) =>
      login
        ? ann.place.backend.fetch(new Request(login.consent(link)))
        : paste(ann.place.backend, link, { secret: "s3cret" }),
  });
  return { ann, login, notes, tokens };
}

test("two accounts of an MCP server have their own tokens, tools, policies and removal", async () => {
  const { ann, login, tokens } = besideServer("linear", {});
  await ann("connect linear --yes");
  const run = await ann("connect linear --as work --yes");
  expect(run).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^Connected linear@work as /) });
  expect(run.stderr).toContain("Adding Linear (work), the MCP server at https://mcp.linear.app/mcp.\n");
  expect(run.stderr).toContain("Approved 4 tools of linear@work.\n");
  expect(login?.state).toMatchObject({ registrations: 1, faults: [] });
  for (const service of ["linear", "linear@work"])
    expect(await ann(`tools call ${service}.list_paid`)).toMatchObject({ exit: 0, stdout: "paid notes\n" });
  expect(new Set(tokens).size).toBe(2);
  await ann("policy set linear ask");
  const result = await ann(["approvals", "test", "linear@work.add_note", '{"text":"x"}', "--json"]);
  expect(parseDocument(result)).toMatchObject({ asks: true, why: expect.stringContaining("policy for linear") });
  expect(readChecks(await ann("doctor linear@work --json"))).toMatchObject({
    service: "ok: Linear (work).",
    "service.server": expect.stringMatching(/^ok: /),
  });
  expect((await ann("services export linear@work")).stdout).toBe(
    "kay services add --name linear@work --mcp https://mcp.linear.app/mcp\n",
  );
  expect((await ann("services remove linear --yes")).exit).toBe(0);
  expect((await ann("tools list --service linear@work")).stdout).toContain("linear@work.add_note");
  expect((await ann("services remove linear@work --yes")).exit).toBe(0);
  expect((await ann("services")).stdout).not.toContain("linear");
  expect(login?.refresh.size).toBe(0);
});

test("an account of an MCP server needs no other account beside it, and a no to its tools removes it alone", async () => {
  const { ann } = besideServer("linear", {});
  const terminal = { terminal: true, env: { NO_COLOR: "1" }, types: ["n"] };
  expect(await ann("connect linear --as work --yes")).toMatchObject({ exit: 0 });
  expect((await ann("connect linear@home", terminal)).stderr).toContain("so linear@home was removed again.");
  expect((await ann("services")).stdout).toMatch(/^linear@work\tconnected/m);
  expect(await ann(["ask", "--json", "list paid"])).toMatchObject({
    exit: 8,
    stdout: expect.stringContaining("linear@work.list_paid"),
  });
});

test("an account of a custom server has its address, its header and its client, with the secret", async () => {
  const redirects = ["http://127.0.0.1:4000/auth/callback"];
  const metadata = { registration_endpoint: undefined, token_endpoint_auth_methods_supported: ["client_secret_basic"] };
  const { ann, login } = besideServer("zoom", { metadata, clients: [{ id: "mine", secret: "s3cret", redirects }] });
  expect((await ann("connect zoom --as work")).stderr).toContain(
    "then run `kay connect zoom@work --client-id ID --client-secret`.",
  );
  await ann("connect zoom --client-id mine --client-secret --yes", { stdin: "s3cret\n" });
  expect(await ann("connect zoom --as work --yes")).toMatchObject({ exit: 0 });
  expect(login?.state.faults).toEqual([]);
  const { ann: bob, notes } = besideServer("close", { key: "s3cret" });
  await bob(["services", "add", "--name", "crm", "--mcp", notes, "--yes"]);
  expect(await bob("connect crm --as work --yes")).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining("Connected crm@work"),
  });
  expect((await bob("tools list --service crm@work")).stdout).toMatch(/^crm@work\.add_note/m);
});

test("a server without a sign-in, and one that runs here, have no accounts, which says what to do", async () => {
  const { ann, notes } = besideServer("deepwiki", "open");
  const answer = {
    exit: 2,
    stderr: expect.stringMatching(
      /✗ \w+ needs no sign-in, so it has no accounts\.\n {2}To add it twice, use another name/,
    ),
  };
  expect(await ann("connect deepwiki --as work --yes")).toMatchObject(answer);
  await ann("connect deepwiki --yes");
  expect(await ann("connect deepwiki --as work --yes")).toMatchObject(answer);
  const result = await ann(["services", "add", "--name", "jira@work", "--mcp", notes, "--yes"]);
  expect(result.stderr).toContain("The name jira@work is already taken by a service.");
});

test("a described service has accounts, which change and go with it", async () => {
  const service = tasksService();
  const ann: Machine = kay({
    signedIn: true,
    elsewhere: service.fetch,
    person: (url) => paste(ann.place.backend, url, { secret: TASKS_KEY }),
  });
  writeFileSync(join(ann.folder, "tasks.yaml"), TASKS);
  await ann("services add tasks.yaml --yes");
  await ann("connect tasks");
  expect(await ann("connect tasks --as work")).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/^Connected tasks@work as Ann/),
  });
  expect(await ann("tools call tasks@work.add_task --field title=Sing")).toMatchObject({ exit: 0 });
  expect(await ann("disconnect tasks@work --yes")).toMatchObject({ exit: 0 });
  expect((await ann("services")).stdout).not.toContain("tasks@work");
  await ann("connect tasks --as work");
  await ann("services remove tasks --yes");
  expect((await ann("services")).stdout).not.toContain("tasks");
});

test("an approval that was shown for another account sends nothing, and a script gets exit 1", async () => {
  const model = useScriptedModel();
  const ann = kay({ connected: ["jira"], ...model.machine });
  model.script({ calls: [["c1", "jira.add_comment", { issue: "KAY-3", text: "hi" }]] }, { text: "Done." });
  expect((await ann(["ask", "comment hi on KAY-3"])).exit).toBe(8);
  await ann("pending --json");
  const [open] = (JSON.parse(ann.raw().stdout) as { pending: { id: string }[] }).pending;
  const sam = "557058:7c1e93b4-2a68-4f7d-8e40-b5d9a6c31f02";
  await ann("connect jira", { person: (url) => ann.place.consent(url, { account: sam }) });
  expect(await ann(["answer", open?.id ?? "", "--approve"])).toMatchObject({
    exit: 1,
    stderr: expect.stringMatching(/Nothing was sent: this was approved for Dana Demo .* connected as Sam Sample/),
  });
});

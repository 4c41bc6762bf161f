import { expect, test } from "vitest";
import { connectService, sandboxServices } from "./support/sandbox.ts";

test("Slack in the sandbox: channels, messages and people are read", async () => {
  const slack = await connectService(sandboxServices(), "slack");
  expect(slack.identity).toMatchObject({
    accountId: "T0KAYDEMO1:U0DANADEM1",
    user: { name: "Dana Demo", username: "dana", email: "dana@example.com" },
    metadata: { workspace: "Kay Demo" },
  });
  expect((await slack.run("slack.list_channels", {})).text).toContain(
    "| #incidents | When something is down | 2 | private |",
  );
  const general = await slack.run("slack.read_channel", { channel: "#general" });
  expect(general.text).toContain(
    "Planning is at **10:00** tomorrow. Please look at [the roadmap](https://example.com/roadmap) before.",
  );
  expect(general.text).toContain("@Sam Sample the login fix is ready for review: KAY-1");
  const sam = await slack.run("slack.read_channel", { channel: "Sam Sample" });
  expect(sam.data).toMatchObject({
    channel: "@Sam Sample",
    messages: [{ text: "Do you have a minute for KAY-6?" }, { text: "After lunch." }],
  });
  const results = await slack.run("slack.search_messages", {
    text: "nightly build",
    channel: "engineering",
    from: "sam",
  });
  expect(results.text).toContain("1 message about “nightly build” in #engineering from sam:");
  expect((await slack.run("slack.list_users", { name: "mia" })).data).toMatchObject({ people: [{ name: "Mia Chen" }] });
});

test("Slack in the sandbox: a sent message is there, under the URL that kay returns", async () => {
  const world = sandboxServices();
  const slack = await connectService(world, "slack");
  const message = await slack.run("slack.send_message", { channel: "general", text: "Release **today**, @sam" });
  expect(message.text).toMatch(/^Sent to #general\.\n\nhttp:\/\/127\.0\.0\.1:4012\/archives\/C0GENERAL1\/p\d{16}$/);
  expect(await (await world.fetch(message.url ?? "")).text()).toContain("Release *today*, &lt;@U0SAMSAMP2&gt;");
  await slack.run("slack.reply", { channel: "general", text: "Or tomorrow" });
  await slack
    .run("slack.add_reaction", { channel: "general", message: "release today", emoji: "🚀" })
    .catch(() => undefined);
  await slack.run("slack.add_reaction", { channel: "general", message: message.url, emoji: ":eyes:" });
  const thread = await slack.run("slack.read_channel", { channel: "general", thread: message.url });
  expect(thread.data).toMatchObject({
    messages: [
      { text: "Release **today**, @Sam Sample", replies: 1, reactions: [":rocket: 1", ":eyes: 1"] },
      { text: "Or tomorrow" },
    ],
  });
  const direct = await slack.run("slack.send_message", { channel: "Mia Chen", text: "Coffee?" });
  expect(direct.text).toMatch(/^Sent to @Mia Chen\./);
});

test("V10 Slack in the sandbox: a channel that was not joined and a missing scope say what to do", async () => {
  const world = sandboxServices();
  const slack = await connectService(world, "slack");
  await expect(slack.run("slack.send_message", { channel: "releases", text: "x" })).rejects.toMatchObject({
    code: "SERVICE_FAILED",
    message: "Slack: this account is not in that channel.",
  });
  const reader = await connectService(world, "slack", ["users:read", "channels:read", "groups:read"]);
  await expect(reader.run("slack.send_message", { channel: "general", text: "x" })).rejects.toMatchObject({
    code: "SERVICE_FAILED",
    message: "The connection to Slack lacks the permission chat:write.",
  });
});

test("GitHub in the sandbox: issues and pull requests are read", async () => {
  const github = await connectService(sandboxServices(), "github");
  expect((await github.run("github.list_repositories", { name: "kay" })).text).toMatch(/\| [\w-]+\/kay/);
  expect(github.identity).toMatchObject({
    accountId: "4100001",
    user: { name: "Dana Demo", username: "dana-demo" },
    metadata: { login: "dana-demo" },
  });
  const list = await github.run("github.list_issues", { repository: "kay-docs" });
  expect(list.text).toMatch(/^3 open issues in kay-docs:/);
  expect((await github.run("github.list_issues", { assignee: "me" })).text).toMatch(
    /^2 open issues assigned to you on GitHub:/,
  );
  const issue = await github.run("github.get_issue", { repository: "kay-docs", number: 1 });
  expect(issue.text).toContain("**sam-sample**, 2026-11-25:\n\nThen both, please.");
  const pull = await github.run("github.get_pull_request", { repository: "kay-demo/kay-docs", number: 6 });
  expect(pull.text).toContain("- State: open, draft");
  expect(pull.text).toContain("- Changes requested by: dana-demo");
  expect((await github.run("github.list_pull_requests", {})).text).toMatch(
    /^\d open pull requests? on GitHub that concerns? you:/,
  );
  expect((await github.run("github.search", { text: "guide", type: "repository" })).text).toContain(
    "kay-demo/kay-docs",
  );
  expect((await github.run("github.search", { text: "tokens" })).data).toMatchObject({ results: [{ number: 2 }] });
});

test("GitHub in the sandbox: an issue is created, commented on and closed", async () => {
  const world = sandboxServices();
  const github = await connectService(world, "github");
  const issue = await github.run("github.create_issue", {
    repository: "dotfiles",
    title: "Colours",
    label: "enhancement",
    assignee: "me",
  });
  expect(issue.data).toMatchObject({ number: 2, repository: "dana-demo/dotfiles", assignees: ["dana-demo"] });
  const comment = await github.run("github.comment", { repository: "dotfiles", number: 2, text: "Blue" });
  expect((await world.fetch((comment.url ?? "").replace(/#.*/, ""))).status).toBe(200);
  const closed = await github.run("github.close_issue", { repository: "dotfiles", number: 2 });
  expect(closed.data).toMatchObject({ state: "closed", changed: true });
  await expect(github.run("github.get_issue", { repository: "dotfiles", number: 99 })).rejects.toMatchObject({
    code: "SERVICE_FAILED",
    message: "GitHub: Not Found.",
  });
});

test("GitHub: an issue is changed, reopened and assigned, and its other labels stay", async () => {
  const { run } = await connectService(sandboxServices(), "github");
  const target = { repository: "kay-docs", number: 1 };
  type Data = { title: string; labels: string[]; assignees: string[]; state: string };
  const edit = async (input: object) => (await run("github.edit_issue", { ...target, ...input })).data as Data;
  const oldIssue = await edit({ addLabels: "bug, new" });
  expect(oldIssue.labels).toEqual(expect.arrayContaining(["bug", "new"]));
  expect((await edit({ removeLabels: "Bug", title: "Renamed" })).labels).not.toContain("bug");
  expect(await edit({ assignee: "me" })).toMatchObject({ title: "Renamed", assignees: ["dana-demo"] });
  expect(await edit({ assignee: "nobody" })).toMatchObject({ assignees: [], labels: expect.arrayContaining(["new"]) });
  await run("github.close_issue", target);
  expect(await edit({ reopen: true })).toMatchObject({ state: "open" });
  await expect(edit({ title: " " })).rejects.toMatchObject({ message: "A change to the issue is required." });
});

test("GitHub: a pull request is reviewed, and its checks say what failed", async () => {
  const { run } = await connectService(sandboxServices(), "github");
  const repository = "kay-docs";
  type Pulls = { pull_requests: { number: number; author: string }[] };
  const { pull_requests: pulls } = (await run("github.list_pull_requests", { repository })).data as Pulls;
  const number = pulls.find(({ author }) => author !== "dana-demo")?.number;
  const ownNumber = pulls.find(({ author }) => author === "dana-demo")?.number;
  const review = (input: object) => run("github.review_pull_request", { repository, number, ...input });
  await expect(review({ verdict: "comment" })).rejects.toMatchObject({ details: { field: "text" } });
  await expect(review({ verdict: "approve", number: ownNumber })).rejects.toMatchObject({
    message: expect.stringContaining("your own pull request"),
  });
  expect((await review({ verdict: "approve" })).text).toMatch(/^Approved #\d+ in kay-demo\/kay-docs\./);
  const pull = (await run("github.get_pull_request", { repository, number })).data;
  expect(pull).toMatchObject({ approved_by: ["dana-demo"], changes_requested_by: [] });
  const checks = await run("github.list_checks", { repository, number: ownNumber });
  expect(checks.text).toMatch(/^For #\d+ in kay-demo\/kay-docs, 1 of 2 checks passed, 1 failed:/);
  expect(checks.data).toMatchObject({
    state: "failed",
    checks: [{ name: "build" }, { name: "links", state: "failure" }],
  });
  expect((await run("github.list_checks", { repository })).data).toMatchObject({ state: "passed" });
});

test("GitHub: a pull request is opened, read with its diff, and merged", async () => {
  const { run } = await connectService(sandboxServices(), "github");
  const repository = "kay-docs";
  const open = (input: object) => run("github.create_pull_request", { repository, title: "Search box", ...input });
  await expect(open({ source: "nowhere" })).rejects.toMatchObject({ details: { service_status: 422 } });
  const pull = (await open({ source: "search-box", body: "Closes #1." })).data as { number: number };
  expect(pull).toMatchObject({ source: "search-box", destination: "main", state: "open", author: "dana-demo" });
  await expect(open({ source: "search-box" })).rejects.toThrow("already exists");
  type Pulls = { pull_requests: { number: number; title: string }[] };
  const { pull_requests: pulls } = (await run("github.list_pull_requests", { repository })).data as Pulls;
  const { number = 0 } = pulls.find(({ title }) => title.startsWith("Node 20")) ?? {};
  const read = await run("github.get_pull_request", { repository, number, diff: true });
  expect(read.data).toMatchObject({
    files: [{ path: "docs/install.md", state: "modified" }, { path: "package.json" }],
  });
  expect(read.text).toContain("\n-kay needs Node 18.\n+kay needs Node 20 or later.\n");
  expect(read.text).toContain("```diff\n");
  const merge = (input: object) => run("github.merge_pull_request", { repository, ...input });
  expect((await merge({ number, method: "squash" })).text).toMatch(
    /^Merged #\d+ in kay-demo\/kay-docs as [\da-f]{7}\.$/,
  );
  expect((await run("github.get_pull_request", { repository, number })).data).toMatchObject({ state: "merged" });
  await expect(merge({ number })).rejects.toThrow("not mergeable");
});

import { expect, test } from "vitest";
import { connectService, sandboxServices } from "./support/sandbox.ts";

test("Jira in the sandbox: consent, search, close, and the search no longer shows it", async () => {
  const jira = await connectService(sandboxServices(), "jira");
  expect(jira.identity.user).toMatchObject({ name: "Dana Demo", email: "dana@example.com", account_type: "atlassian" });
  expect((await jira.run("jira.list_projects", {})).text).toContain("| KAY | Kay | software |");
  const open = await jira.run("jira.search", { project: "KAY", status: "open" });
  expect(open.text).toContain("| KAY-3 | Typo in the help of kay ask | Bug | To Do | Dana Demo |");
  const closed = await jira.run("jira.transition_issue", { issue: "KAY-3", status: "close" });
  expect(closed.data).toMatchObject({ key: "KAY-3", from: "To Do", status: "Done", changed: true });
  expect((await jira.run("jira.search", { project: "KAY", status: "open" })).text).not.toContain("KAY-3 ");
});

test("V01 the sandbox accepts every description that kay writes, and reads it back", async () => {
  const jira = await connectService(sandboxServices(), "jira");
  const description = "Line 1\nLine 2\n\n- item & <b>\n\n```sh\nls -l\n```\n\n> quoted\n\n1. one\n2. two";
  const input = { project: "KAY", summary: "A | B", type: "bug", description, priority: "high", assignee: "me" };
  const { data } = await jira.run("jira.create_issue", input);
  const { key } = data as { key: string };
  await jira.run("jira.add_comment", { issue: key, text: "See `x` & **y**" });
  await jira.run("jira.assign_issue", { issue: key, assignee: "Sam Sample" });
  expect((await jira.run("jira.get_issue", { issue: key })).data).toMatchObject({
    summary: "A | B",
    type: "Bug",
    priority: "High",
    assignee: "Sam Sample",
    description,
    comments: [{ author: "Dana Demo", text: "See `x` & **y**" }],
  });
});

test("Jira in the sandbox: links and time spent are on the issue, each side with its own words", async () => {
  const { run } = await connectService(sandboxServices(), "jira");
  await run("jira.link_issues", { issue: "KAY-3", relation: "blocks", other: "KAY-4" });
  await run("jira.log_work", { issue: "KAY-3", time: "1h", comment: "Read the code" });
  await run("jira.log_work", { issue: "KAY-3", time: "30m", started: "2026-11-26" });
  const blocker = await run("jira.get_issue", { issue: "KAY-3" });
  expect(blocker.data).toMatchObject({ links: [{ relation: "blocks", issue: "KAY-4" }], minutes_spent: 90 });
  expect(blocker.text).toMatch(/- Blocks: KAY-4 .+\n(?:.*\n)*- Time spent: 1h 30m/);
  const blocked = (await run("jira.get_issue", { issue: "KAY-4" })).data;
  expect(blocked).toMatchObject({ links: [{ relation: "is blocked by", issue: "KAY-3" }] });
});

test("V02 a connection without write access names the permission", async () => {
  const jira = await connectService(sandboxServices(), "jira", ["read:jira-work", "read:me"]);
  await expect(jira.run("jira.add_comment", { issue: "KAY-3", text: "x" })).rejects.toMatchObject({
    code: "SERVICE_FAILED",
    message: "The connection to Jira lacks the permission write:jira-work.",
  });
});

test("Confluence in the sandbox: a page is found and read", async () => {
  const confluence = await connectService(sandboxServices(), "confluence");
  const { data } = await confluence.run("confluence.search", { text: "release", space: "KAY" });
  expect(data).toMatchObject({ pages: [{ title: "Release checklist", space: "Kay engineering" }] });
  const page = await confluence.run("confluence.get_page", { page: "release checklist" });
  expect(page.text).toContain("1. Run the checks\n2. Write the notes");
});

test("words from a title are enough to read a page, and not to change it", async () => {
  const confluence = await connectService(sandboxServices(), "confluence");
  expect((await confluence.run("confluence.get_page", { page: "checklist" })).text).toContain("Run the checks");
  await expect(confluence.run("confluence.add_comment", { page: "checklist", text: "x" })).rejects.toMatchObject({
    message: "No page is called “checklist”.",
    hint: expect.stringContaining("Similar: “Release checklist” in Kay engineering"),
  });
});

test("the comments on a page are listed with their authors, whose names need another permission", async () => {
  const confluence = await connectService(sandboxServices(), "confluence");
  const page = "Runbook: sign-in fails";
  await confluence.run("confluence.add_comment", { page, text: "Done **today**" });
  const { data, text } = await confluence.run("confluence.list_comments", { page });
  expect(data).toMatchObject({
    comments: [
      { author: "Dana Demo", text: "Done **today**" },
      { author: "Sam Sample", text: "Yes, with `REFRESH_INVALID`." },
      { author: "Dana Demo", text: "Does an expired sign-in look the same?" },
    ],
    more: false,
  });
  expect(text).toMatch(
    /^3 comments on Runbook: sign-in fails:\n\n\*\*Dana Demo\*\*, 2026-11-27 \d\d:\d\d \(UTC\)\n\nDone/,
  );
  const scopes = ["search:confluence", "read:page:confluence", "read:comment:confluence", "read:me"];
  const older = await connectService(sandboxServices(), "confluence", scopes);
  expect((await older.run("confluence.list_comments", { page, limit: 1 })).data).toMatchObject({
    comments: [{ author: "unknown", text: "Yes, with `REFRESH_INVALID`." }],
  });
});

test("Confluence in the sandbox: a page is created, added to, commented on, replaced and read", async () => {
  const world = sandboxServices();
  const confluence = await connectService(world, "confluence");
  expect((await confluence.run("confluence.list_spaces", {})).text).toMatch(
    /^1 space:[\s\S]*\| KAY \| Kay engineering \|/,
  );
  const text =
    "# Why\n\nBecause **a < b** & `c`.\n\n- one\n- two\n\n```sh\nls -l\n```\n\n| A | B |\n| --- | --- |\n| 1 | 2 |";
  const input = { title: "Plan (draft)", space: "kay engineering", text, parent: "Release checklist" };
  const { data, url = "" } = await confluence.run("confluence.create_page", input);
  const { id } = data as { id: string };
  const result = await confluence.run("confluence.update_page", { page: id, text: "More & more" });
  expect(result.data).toMatchObject({ id, version: 2, url });
  await confluence.run("confluence.add_comment", { page: "Plan (draft)", space: "KAY", text: "Looks *good*" });
  const page = (await confluence.run("confluence.get_page", { page: url })).data as { text: string };
  expect(page.text).toContain("Because **a < b** & `c`.\n\n- one\n- two");
  expect(page.text).toMatch(/More & more$/);
  const html = await (await world.fetch(url)).text();
  for (const words of ["Plan (draft)", "More &amp; more", "Looks good"]) expect(html).toContain(words);
  await confluence.run("confluence.update_page", { page: id, mode: "replace", text: "New", title: "Plan", version: 2 });
  expect((await confluence.run("confluence.get_page", { page: id })).data).toMatchObject({
    title: "Plan",
    text: "New",
  });
  await expect(
    confluence.run("confluence.update_page", { page: id, mode: "replace", text: "Late", version: 2 }),
  ).rejects.toMatchObject({
    code: "SERVICE_FAILED",
    message: "The page “Plan” changed after version 2. Nothing was written.",
    hint: "Read the page again, then change it.",
  });
  await expect(confluence.run("confluence.create_page", { title: "Plan", space: "KAY" })).rejects.toMatchObject({
    message: expect.stringContaining("A page with this title already exists"),
  });
});

test("V02 a Confluence connection from before its writing tools names the new permission", async () => {
  const scopes = ["search:confluence", "read:page:confluence", "read:me"];
  const confluence = await connectService(sandboxServices(), "confluence", scopes);
  expect((await confluence.run("confluence.get_page", { page: "Release checklist" })).text).toContain("Run the checks");
  const createPermissionError = (permission: string) => ({
    code: "SERVICE_FAILED",
    message: `The connection to Confluence lacks the permission ${permission}.`,
    hint: "Run `kay disconnect confluence`, then `kay connect confluence`, and allow the permission.",
  });
  const page = "Release checklist";
  await expect(confluence.run("confluence.update_page", { page, text: "x" })).rejects.toMatchObject(
    createPermissionError("write:page:confluence"),
  );
  await expect(confluence.run("confluence.add_comment", { page, text: "x" })).rejects.toMatchObject(
    createPermissionError("write:comment:confluence"),
  );
  await expect(confluence.run("confluence.list_spaces", {})).rejects.toMatchObject(
    createPermissionError("read:space:confluence"),
  );
});

test("Bitbucket in the sandbox: a pull request is opened, commented on, approved twice and merged once", async () => {
  const world = sandboxServices();
  const bitbucket = await connectService(world, "bitbucket");
  expect((await bitbucket.run("bitbucket.list_repositories", {})).text).toMatch(/^2 repositories:[\s\S]*\| kay-cli \|/);
  const repository = "kay-cli";
  const input = { repository, source: "KAY-3-help-typo", title: "KAY-3 Mend the help", description: "“confirm”" };
  const { data, url = "" } = await bitbucket.run("bitbucket.create_pull_request", input);
  const { id } = data as { id: number };
  expect(data).toMatchObject({ repository, state: "OPEN", source: "KAY-3-help-typo", destination: "main", url });
  await bitbucket.run("bitbucket.comment", { repository, id, text: "Ready & **waiting**" });
  expect((await bitbucket.run("bitbucket.approve_pull_request", { repository, id })).data).toMatchObject({
    changed: true,
  });
  expect((await bitbucket.run("bitbucket.approve_pull_request", { repository, id })).data).toMatchObject({
    changed: false,
  });
  const merged = await bitbucket.run("bitbucket.merge_pull_request", { repository, id, strategy: "squash" });
  expect(merged.data).toMatchObject({ id, state: "MERGED", approvals: 1, comments: 1 });
  expect(merged.text).toBe(`Merged #${id} KAY-3 Mend the help into main.\n\n${url}`);
  expect(await (await world.fetch(url)).text()).toContain("Ready &amp; **waiting**");
  for (const tool of ["bitbucket.merge_pull_request", "bitbucket.decline_pull_request"]) {
    await expect(bitbucket.run(tool, { repository, id })).rejects.toMatchObject({
      message: "Bitbucket: This pull request is already closed.",
    });
  }
  const declined = await bitbucket.run("bitbucket.decline_pull_request", { repository, id: 2 });
  expect(declined.data).toMatchObject({ id: 2, state: "DECLINED" });
  await expect(bitbucket.run("bitbucket.create_pull_request", { ...input, source: "nowhere" })).rejects.toMatchObject({
    message: "Bitbucket: source: branch not found: nowhere.",
  });
});

test("V02 a Bitbucket connection from before its writing tools names the new permission", async () => {
  const scopes = ["account", "repository", "pullrequest"];
  const bitbucket = await connectService(sandboxServices(), "bitbucket", scopes);
  const request = { repository: "kay-cli", id: 2 };
  await bitbucket.run("bitbucket.comment", { ...request, text: "Reading is enough for this" });
  for (const tool of ["approve", "merge", "decline"]) {
    await expect(bitbucket.run(`bitbucket.${tool}_pull_request`, request)).rejects.toMatchObject({
      code: "SERVICE_FAILED",
      message: "The connection to Bitbucket lacks the permission pullrequest:write.",
      hint: "Run `kay disconnect bitbucket`, then `kay connect bitbucket`, and allow the permission.",
    });
  }
});

test("Bitbucket in the sandbox: pull requests of one repository and of all", async () => {
  const bitbucket = await connectService(sandboxServices(), "bitbucket");
  expect(bitbucket.identity.metadata).toMatchObject({ workspace: "kay-demo" });
  const all = await bitbucket.run("bitbucket.list_pull_requests", {});
  expect(all.text).toMatch(/^3 open pull requests:/);
  const pull = await bitbucket.run("bitbucket.get_pull_request", { repository: "kay-cli", id: 2 });
  expect(pull.text).toContain("**#2** KAY-1 Keep the state of a login until it ends");
  await expect(bitbucket.run("bitbucket.get_pull_request", { repository: "kay-cli", id: 99 })).rejects.toMatchObject({
    message: "Bitbucket: Pull request 99 not found.",
  });
});

test("HubSpot in the sandbox: a contact, a deal and a note, from start to end", async () => {
  const hubspot = await connectService(sandboxServices(), "hubspot");
  expect(hubspot.identity).toMatchObject({ user: { name: "Dana Demo" }, metadata: { currency: "EUR" } });
  expect((await hubspot.run("hubspot.list_deals", { owner: "me", stage: "open" })).text).toMatch(
    /^1 open deal of yours, together 12,000 EUR:/,
  );
  await hubspot.run("hubspot.create_contact", { name: "Ada Byron", email: "ada@example.com" });
  await hubspot.run("hubspot.update_contact", { contact: "Ada Byron", company: "Engine", lifecycle_stage: "customer" });
  await hubspot.run("hubspot.create_deal", { name: "Engine (3)", amount: 900, contact: "ada@example.com" });
  await hubspot.run("hubspot.move_deal", { deal: "Engine (3)", stage: "won" });
  const changes = { amount: 0, close_date: "2027-01-31", owner: "me", stage: "Contract sent", new_name: "Engine (4)" };
  const { text } = await hubspot.run("hubspot.update_deal", { deal: "Engine (3)", ...changes });
  expect(text).toContain(
    "Changed the deal Engine (3): amount 0, close date 2027-01-31, name Engine (4), owner me, stage Contract sent.",
  );
  expect((await hubspot.run("hubspot.list_deals", { owner: "me", text: "Engine" })).data).toMatchObject({
    deals: [{ name: "Engine (4)", amount: 0, stage: "Contract Sent", closes: "2027-01-31" }],
  });
  await hubspot.run("hubspot.update_deal", { deal: "Engine (4)", amount: 900, stage: "won", new_name: "Engine (3)" });
  for (const [invalidInput, message] of [
    [{}, "A change to the deal is required."],
    [{ stage: "gone" }, "The pipeline Sales Pipeline has no stage “gone”."],
    [{ owner: "Nobody" }, "No user in HubSpot is called “Nobody”."],
  ] as const) {
    const refused = hubspot.run("hubspot.update_deal", { deal: "Engine (3)", ...invalidInput });
    await expect(refused).rejects.toMatchObject({ message });
  }
  await hubspot.run("hubspot.add_note", { deal: "Engine (3)", text: "Paid & **done**" });
  expect((await hubspot.run("hubspot.search_contacts", { company: "engine" })).data).toMatchObject({ total: 1 });
  expect((await hubspot.run("hubspot.get_contact", { contact: "Ada Byron" })).data).toMatchObject({
    company: "Engine",
    lifecycle_stage: "customer",
    deals: [{ name: "Engine (3)", amount: 900, stage: "Closed Won" }],
  });
});

test("LinkedIn in the sandbox: the account, a post, a comment, a reaction, and the post is deleted", async () => {
  const world = sandboxServices();
  const linkedin = await connectService(world, "linkedin");
  expect((await linkedin.run("linkedin.me", {})).text).toContain("**Dana Demo** on LinkedIn");
  const { data, url = "" } = await linkedin.run("linkedin.create_post", { text: "Out (now): a_b #kay" });
  const { post } = data as { post: string };
  await linkedin.run("linkedin.comment", { post: url, text: "First" });
  await linkedin.run("linkedin.react", { post, reaction: "support" });
  const page = await (await world.fetch(url)).text();
  for (const text of ["Out (now): a_b #kay", "First", "APPRECIATION"]) expect(page).toContain(text);
  await linkedin.run("linkedin.delete_post", { post: url });
  expect((await world.fetch(url)).status).toBe(404);
});

import { expect, test } from "vitest";
import { connectService, sandboxServices } from "../support/sandbox.ts";

const notion = () => connectService(sandboxServices(), "notion");

test("Notion in the sandbox: the account, and the workspace of the connection", async () => {
  const { identity } = await notion();
  expect(identity).toEqual({
    accountId: "0d4a7e52-6f0b-4c39-9a51-3f2c8f1d0a01",
    user: {
      account_id: "0d4a7e52-6f0b-4c39-9a51-3f2c8f1d0a01",
      name: "Dana Demo",
      email: "dana@example.com",
      avatar_url: null,
    },
    metadata: {
      url: "http://127.0.0.1:4015",
      workspace: "Kay Demo",
      workspace_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      bot_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      user_id: "0d4a7e52-6f0b-4c39-9a51-3f2c8f1d0a01",
    },
  });
});

test("Notion in the sandbox: pages are found and read as Markdown", async () => {
  const { run } = await notion();
  expect((await run("notion.search", { text: "onboarding" })).text).toMatch(
    /^1 result:\n\n\| Title \| Type \| Changed \| Address \|\n\| --- \| --- \| --- \| --- \|\n\| Onboarding \| page \| 2026-11-18 \| http:\/\/127\.0\.0\.1:4015\/Onboarding-[0-9a-f]{32} \|$/,
  );
  const { data } = await run("notion.get_page", { page: "onboarding" });
  expect(data).toMatchObject({
    title: "Onboarding",
    complete: true,
    text: [
      "Welcome! The first week in short.",
      "- [x] Laptop and accounts\n- [ ] Read the handbook\n- [ ] Connect kay to Jira and Bitbucket",
      "Then try it:",
      '```shell\nkay connect jira\nkay ask "what is open in KAY?"\n```',
    ].join("\n\n"),
  });
  const { url } = data as { url: string };
  expect((await run("notion.get_page", { page: url })).data).toMatchObject({ title: "Onboarding" });
});

test("Notion in the sandbox: written content is read back unchanged", async () => {
  const { run } = await notion();
  const text = [
    "# Plan",
    "Some **bold**, *slanted*, ~~gone~~ and `code`, and [a link](https://example.com/a).",
    "- one\n  - one and a half\n    - deeper\n      - deepest\n- two\n\n  A paragraph within.",
    "1. first\n2. second",
    "- [x] done\n- [ ] open",
    "> quoted",
    "```typescript\nconst a = 1;\n\nconst b = `2`;\n```",
    "| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |",
    "---",
    "The end.",
  ].join("\n\n");
  const created = await run("notion.create_page", { parent: "Team handbook", title: "A  plan", text });
  expect(created.text).toMatch(
    /^Created “A plan” with 20 blocks\.\n\nhttp:\/\/127\.0\.0\.1:4015\/A-plan-[0-9a-f]{32}$/,
  );
  expect((await run("notion.get_page", { page: created.url ?? "" })).data).toMatchObject({ title: "A plan", text });
  await run("notion.append", { page: "A plan", text: "More.\n\n- last" });
  expect((await run("notion.get_page", { page: "a plan" })).data).toMatchObject({ text: `${text}\n\nMore.\n\n- last` });
  expect((await run("notion.comment", { page: "A plan", text: "Good." })).text).toMatch(/^Commented on “A plan”\./);
});

test("V16 Notion in the sandbox: long text and many blocks arrive whole", async () => {
  const { run } = await notion();
  const long = `${"a".repeat(1_999)}😀${"b".repeat(2_499)}`;
  const text = [long, ...Array.from({ length: 250 }, (_, index) => `Paragraph ${index + 1} 😀`)].join("\n\n");
  const list = Array.from({ length: 230 }, (_, index) => `  - inner ${index}`).join("\n");
  const { url = "", data } = await run("notion.create_page", { parent: "Team handbook", title: "Long", text });
  expect(data).toMatchObject({ blocks: 251 });
  const read = await run("notion.get_page", { page: url });
  expect((read.data as { text: string }).text.startsWith(long)).toBe(true);
  await run("notion.append", { page: url, text: `- outer\n${list}` });
});

test("Notion in the sandbox: rows are listed, added and changed", async () => {
  const { run } = await notion();
  const rows = await run("notion.query_database", {
    database: "road map",
    property: "status",
    value: "not done",
    sort: "-Days",
  });
  expect(rows.text).toBe(
    [
      "3 rows of “Road map”:\n",
      "| Name | Status | Owner | Priority | Area | Due |",
      "| --- | --- | --- | --- | --- | --- |",
      "| Write the manual | Not started |  | Low | Docs |  |",
      "| Export to CSV | Not started | Sam Sample | Medium | CLI | 2026-12-09 |",
      "| Login survives a restart | In progress | Dana Demo | High | CLI, Backend | 2026-12-01 |",
    ].join("\n"),
  );
  expect((await run("notion.query_database", { database: "Road map", property: "Owner", value: "me" })).text).toMatch(
    /^2 rows/,
  );
  const values = {
    status: "in progress",
    Owner: "Sam Sample, me",
    due: "2026-12-24",
    Days: 2,
    public: true,
    Area: "cli, docs",
  };
  const { url = "" } = await run("notion.add_row", {
    database: "Road map",
    title: "Shell completion",
    values,
    text: "Bash first.",
  });
  expect((await run("notion.get_page", { page: url })).data).toMatchObject({
    title: "Shell completion",
    properties: {
      Status: "In progress",
      Owner: "Sam Sample, Dana Demo",
      Priority: "",
      Area: "CLI, Docs",
      Due: "2026-12-24",
      Days: "2",
      Public: "yes",
    },
    text: "Bash first.",
  });
  const set = await run("notion.set_property", { page: "Shell completion", property: "Status", value: "done" });
  expect(set.data).toMatchObject({ before: "In progress", value: "Done" });
  await expect(
    run("notion.set_property", { page: "Shell completion", property: "Status", value: "Finished" }),
  ).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    message: "“Finished” is not an option of Status.",
    hint: "Available: Not started, In progress, Done.",
  });
});

test("a connection that may not write says so in Notion's words", async () => {
  const { run } = await connectService(sandboxServices(), "notion", ["read_content"]);
  await expect(run("notion.append", { page: "Onboarding", text: "x" })).rejects.toMatchObject({
    code: "SERVICE_FAILED",
    message: "Notion: Insufficient permissions for this endpoint.",
  });
});

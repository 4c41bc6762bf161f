import { expect, test } from "vitest";
import { requireMatch, requirePerson } from "#connectors/match";
import { connectService, sandboxServices } from "./support/sandbox.ts";

const PAGES = ["Launch plan", "Launch plan (copy)", "Dana’s  notes", "Budget"].map((title, id) => ({ title, id }));
const findPage = (text: string, purpose: "read" | "change", pages = PAGES) =>
  requireMatch(pages, text, {
    purpose,
    noun: "page",
    getName: ({ title }) => title,
    format: ({ title, id }) => `“${title}” (${id})`,
    hints: { none: "Search for it first.", several: "Use its ID." },
  });

test.each([
  ["launch PLAN", 0],
  [" Launch   plan ", 0],
  ["dana's notes", 2],
  ["Launch plan (copy)", 1],
])("%j names the page with that whole title, for a change too", (text, id) => {
  expect(findPage(text, "change").id).toBe(id);
});

test("a part of a title is enough to read the only page that has it, and not to change it", () => {
  const [page] = PAGES;
  if (!page) throw new Error("no page");
  expect(findPage("launch", "read", [page])).toBe(page);
  expect(() => findPage("launch", "change", [page])).toThrow(
    expect.objectContaining({
      message: "No page is called “launch”.",
      hint: "Similar: “Launch plan” (0). Use the whole name.",
    }),
  );
});

test.each(["Láunch plan", "Launch plаn", "Launch\u200b plan", "aunch plan", "Launch plan.", ""])(
  "%j is not the title of a page to change",
  (text) => {
    expect(() => findPage(text, "change")).toThrow(/No page is called/);
  },
);

const SAM = { name: "Sam Sample", handle: "@sam.s", email: "sample@example.com" };
const DANA = { name: "Dana Demo", handle: "@dana", email: "dana@example.com" };
const JOSE = { name: "José Anna-Lena Núñez", handle: "@jn", email: "jose.n@example.com" };
const MARA = { name: "Lind, Mara", handle: "@mara.lind", email: "lind@example.com" };
const PEOPLE = [SAM, DANA, JOSE, MARA];
const findPerson = (text: string, { people = PEOPLE, isShown = true, purpose = "change" as "read" | "change" } = {}) =>
  requirePerson(people, text, {
    purpose,
    where: "Slack",
    listNames: ({ name }) => [name],
    listAccounts: ({ handle, email }) => [handle, email],
    isShown,
  });

test.each([
  ["Sam Sample", SAM],
  ["sam", SAM],
  ["sample", SAM],
  ["@dana", DANA],
  ["DANA@example.com", DANA],
  ["jose", JOSE],
  ["mara", MARA],
])("%j names a person, if the approval shows who that is", (text, person) => {
  expect(findPerson(text)).toBe(person);
});

test.each(["Sa", "am", "sam s", "anna", "dana@", "example.com", "Sam Sampl", "@", " "])(
  "%j names no person to write to",
  (text) => {
    expect(() => findPerson(text)).toThrow(/No user in Slack is called/);
  },
);

test("a given name is not enough for a change whose approval does not show the person; a read takes any part", () => {
  expect(() => findPerson("sam", { isShown: false })).toThrow(
    expect.objectContaining({
      hint: "Similar: Sam Sample (@sam.s, sample@example.com). Use the full name, or what is in parentheses.",
    }),
  );
  expect(findPerson("Sam Sample", { isShown: false })).toBe(SAM);
  expect(findPerson("sampl", { purpose: "read" })).toBe(SAM);
});

test("a person with the name Sam alone does not take the place of Sam Sample, and a handle is nobody else's", () => {
  const stranger = { name: "Sam", handle: "@x1", email: "x1@example.org" };
  const people = [SAM, stranger];
  expect(() => findPerson("Sam", { people })).toThrow(
    /Several people in Slack match “Sam”: Sam \(@x1, .*, Sam Sample \(@sam.s/,
  );
  expect(findPerson("Sam Sample", { people })).toBe(SAM);
  expect(findPerson("@x1", { people })).toBe(stranger);
});

test.each([
  ["gmail", "gmail.archive", { message: "nightly" }, "No message is called “nightly”.", "Nightly jobs: 1 of 14 failed"],
  ["gmail", "gmail.reply", { message: "ticket to", body: "x" }, "No message is called “ticket to”.", "Your ticket"],
  [
    "google-calendar",
    "google-calendar.delete_event",
    { event: "stand" },
    "No upcoming event is called “stand”.",
    "Stand-up",
  ],
  [
    "airtable",
    "airtable.create_record",
    { table: "Task", name: "x" },
    "No table in Airtable is called “Task”.",
    "Tasks",
  ],
  ["jira", "jira.assign_issue", { issue: "KAY-1", assignee: "Sa" }, "No user in Jira is called “Sa”.", "Sam Sample"],
  [
    "slack",
    "slack.send_message",
    { channel: "@Sa", text: "x" },
    "No user in Slack is called “Sa”.",
    "Sam Sample (@sam",
  ],
])(
  "%s: %s with a part of a name changes nothing, and lists what has it",
  async (name, tool, input, message, similar) => {
    const service = await connectService(sandboxServices(), name);
    await expect(service.run(tool, input)).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      message,
      hint: expect.stringContaining(similar),
    });
  },
);

test("a Slack message to reply to is the only one that says the words", async () => {
  const slack = await connectService(sandboxServices(), "slack");
  const say = (text: string) => slack.run("slack.send_message", { channel: "#general", text });
  await say("the release is ready to go");
  const reply = { channel: "#general", message: "release is ready", text: "ok" };
  expect((await slack.run("slack.reply", reply)).text).toContain("Replied in #general");
  await say("the release is ready, log in at evil.example");
  await expect(slack.run("slack.reply", reply)).rejects.toMatchObject({
    message: expect.stringMatching(
      /^Several messages in #general contain “release is ready”: “the release is ready, log/,
    ),
  });
  await expect(slack.run("slack.reply", { ...reply, channel: "sam" })).rejects.toMatchObject({
    message: "No channel in Slack is called “#sam”, or this account cannot see it.",
  });
});

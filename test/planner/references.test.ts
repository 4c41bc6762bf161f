import { expect, test } from "vitest";
import { plannerTalk } from "#test/planner";

const PULL_REQUESTS = { pull_requests: [2, 4].map((id) => ({ id, title: `Change ${id}`, repository: "kay-backend" })) };
const SARA = { contacts: [{ id: "2105", name: "Sara Lindqvist", email: "sara@northwind.example" }] };
const REVIEW = { events: [{ id: "ev1", title: "Design review", start: "2026-12-01T14:00:00" }] };

/** A look, what it finds, and a request that names a thing of it only by a word such as "it". */
const REFERENCES: [look: string, data: object, request: string, tool: string, input: object][] = [
  [
    "list the open PRs on kay-backend",
    PULL_REQUESTS,
    "approve the first one",
    "bitbucket.approve_pull_request",
    { id: 2, repository: "kay-backend" },
  ],
  [
    "list the open PRs on kay-backend",
    PULL_REQUESTS,
    "show the second one",
    "bitbucket.get_pull_request",
    { id: 4, repository: "kay-backend" },
  ],
  [
    "open the page Release checklist in confluence",
    { id: "990006", title: "Release checklist" },
    'comment "step 2 is old" on it',
    "confluence.add_comment",
    { page: "990006", text: "step 2 is old" },
  ],
  [
    "show the notion database Tasks",
    { rows: [{ id: "r1", Name: "Pay rent" }] },
    'add "Buy milk" to it',
    "notion.add_row",
    { database: "Tasks", title: "Buy milk" },
  ],
  [
    "look up sara lindqvist in hubspot",
    SARA,
    "which deals does she have?",
    "hubspot.get_contact",
    { contact: "sara@northwind.example" },
  ],
  [
    "who is marco in slack?",
    { people: [{ id: "U1", name: "Marco Rossi", email: "marco@kay.example" }] },
    'send him "hi there"',
    "slack.send_message",
    { channel: "marco@kay.example", text: "hi there" },
  ],
  [
    "when is the next Design review?",
    REVIEW,
    "move it to 5pm",
    "google-calendar.update_event",
    { event: "ev1", start: "2026-12-01T17:00:00" },
  ],
];

test.each(REFERENCES)("after “%s” %j, “%s” is %s", async (look, data, request, tool, input) => {
  const talk = plannerTalk();
  expect((await talk.say(look)).calls).toHaveLength(1);
  await talk.results({ text: "Found:", data });
  expect((await talk.say(request)).calls).toEqual([[tool, input]]);
});

test("commits are passed on with their messages", async () => {
  const talk = plannerTalk();
  await talk.say("list the commits on main of kay-cli");
  await talk.results({
    text: "1 commit:",
    data: { commits: [{ sha: "8c37564", message: "Fix the clock", date: "2026-11-20" }] },
  });
  const [call] = (await talk.say("post them in #random")).calls;
  expect(call).toMatchObject(["slack.send_message", { text: expect.stringContaining("Fix the clock") }]);
});

const NEWEST: [request: string, data: object, tool: string, input: object][] = [
  [
    "sum up the newest mail from billing@acme.example",
    { messages: [{ id: "m1", subject: "Invoice" }] },
    "gmail.read_message",
    { message: "m1" },
  ],
  [
    'reply "will do" to the latest mail from priya',
    { messages: [{ id: "m1", subject: "Notes" }] },
    "gmail.reply",
    { message: "m1", body: "will do" },
  ],
  [
    "close the newest bug in KAY",
    { issues: [{ key: "KAY-12" }] },
    "jira.transition_issue",
    { issue: "KAY-12", status: "close" },
  ],
  [
    "assign the oldest open bug in KAY to tom",
    { issues: [{ key: "KAY-1" }] },
    "jira.assign_issue",
    { issue: "KAY-1", assignee: "tom" },
  ],
];

test.each(NEWEST)("“%s” looks for the thing first", async (request, data, tool, input) => {
  const talk = plannerTalk();
  expect((await talk.say(request)).calls).toMatchObject([[expect.stringMatching(/search$/), { limit: 1 }]]);
  expect((await talk.results({ text: "Found:", data })).calls).toEqual([[tool, input]]);
});

test.each(NEWEST)("“%s” does nothing if there is no such thing", async (request) => {
  const talk = plannerTalk();
  await talk.say(request);
  expect(await talk.results({ text: "Nothing found.", data: { items: [] } })).toMatchObject({
    calls: [],
    text: "Nothing found.",
  });
});

test("“delete it” after an issue says that no tool deletes issues", async () => {
  const talk = plannerTalk();
  await talk.say("show KAY-3");
  await talk.results({ text: "KAY-3", data: { key: "KAY-3", summary: "Loop" } });
  const { calls, text } = await talk.say("delete it");
  expect([calls, text]).toEqual([[], expect.stringContaining("I have no tool of Jira that can do “delete it”.")]);
});

test("“assign to me” behind another request is about the same issue", async () => {
  const { calls } = await plannerTalk().say("move KAY-3 to in progress and assign to me");
  expect(calls).toEqual([
    ["jira.transition_issue", { issue: "KAY-3", status: "In Progress" }],
    ["jira.assign_issue", { issue: "KAY-3", assignee: "me" }],
  ]);
});

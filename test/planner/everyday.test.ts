import { expect, test } from "vitest";
import { expectCalls, type Phrasing, plannerTalk } from "#test/planner";

const REQUESTS: Phrasing[] = [
  // A time of day without a half is one in which people work.
  ["schedule Sync tomorrow at 2", ["google-calendar.create_event", { title: "Sync", start: "2026-11-28T14:00:00" }]],
  [
    "schedule Sync tomorrow from 10 to 2",
    ["google-calendar.create_event", { title: "Sync", start: "2026-11-28T10:00:00", end: "2026-11-28T14:00:00" }],
  ],
  ["schedule Sync monday at 9", ["google-calendar.create_event", { title: "Sync", start: "2026-11-30T09:00:00" }]],
  [
    "schedule Sync tomorrow at 02:00",
    ["google-calendar.create_event", { title: "Sync", start: "2026-11-28T02:00:00" }],
  ],
  ["schedule Sync at 2", ["google-calendar.create_event", { title: "Sync", start: "2026-11-27T14:00:00" }]],
  // A text ends before the next request.
  [
    "comment on KAY-4: looks good to me, and assign it to sam",
    ["jira.add_comment", { issue: "KAY-4", text: "looks good to me" }],
    ["jira.assign_issue", { issue: "KAY-4", assignee: "sam" }],
  ],
  [
    "tell #general: standup moved to 10, then close KAY-3",
    ["slack.send_message", { channel: "#general", text: "standup moved to 10" }],
    ["jira.transition_issue", { issue: "KAY-3", status: "close" }],
  ],
  [
    "tell #general: please review KAY-3, then close it",
    ["slack.send_message", { channel: "#general", text: "please review KAY-3, then close it" }],
  ],
  ["comment on KAY-4: done, please close it", ["jira.add_comment", { issue: "KAY-4", text: "done, please close it" }]],
  ["overdue issues", ["jira.search", { status: "open", dueBefore: "2026-11-26" }]],
  ["which KAY tickets are overdue?", ["jira.search", { project: "KAY", status: "open", dueBefore: "2026-11-26" }]],
  [
    "schedule Budget call on monday at 9",
    ["google-calendar.create_event", { title: "Budget call", start: "2026-11-30T09:00:00" }],
  ],
  ["rename KAY-3 to Fix typo in help", ["jira.edit_issue", { issue: "KAY-3", summary: "Fix typo in help" }]],
  ["what's sam's email?", ["hubspot.get_contact", { contact: "sam" }]],
  // A name in the place of an address is looked up first.
  ["is sam free on friday afternoon", ["slack.list_users", { name: "sam" }]],
  ["when is sam free tomorrow?", ["slack.list_users", { name: "sam" }]],
  ["share the onboarding doc with mia", ["slack.list_users", { name: "mia" }]],
  ["email sam: can we move the review?", ["slack.list_users", { name: "sam" }]],
  ["create an event Lunch with Tom tomorrow at noon", ["slack.list_users", { name: "Tom" }]],
];

test.each(REQUESTS)("“%s” is what was asked for, and no more", async (...phrasing) => {
  await expectCalls(...phrasing);
});

test("nothing is done where the request after a text is not understood", async () => {
  const { calls, text } = await plannerTalk().say("create a bug in KAY: crash on paste, assign it to sam, prio high");
  expect(calls).toEqual([]);
  expect(text).toMatch(/^I do not know how to do “assign it to sam, prio high”/);
});

test.each([
  ["append to Meeting notes: names are due monday", /^Notion, .+ can do that\. Name the service in the request\./],
  ["rename Budget 2026 to Budget 2027", /^HubSpot, .+ can do that\. Name the service in the request\./],
  ["set KAY-3 prio to high and due date to friday", /^I do not know how to do/],
  ["what's in Budget 2026", /^I do not know how to do/],
  ["any PRs waiting for me?", /because I do not understand “me”/],
])("“%s” is not guessed", async (request, words) => {
  expect(await plannerTalk().say(request)).toMatchObject({ calls: [], text: expect.stringMatching(words) });
});

const SAM = { id: "U1", name: "Sam Sample", email: "sam@example.com" };

test("a name in the place of an address becomes the address of the one person who is called so", async () => {
  const talk = plannerTalk();
  await talk.say("is sam free tomorrow?");
  expect((await talk.results({ text: "1 person:", data: { people: [SAM] } })).calls).toEqual([
    ["google-calendar.free_busy", { person: "sam@example.com", start: "2026-11-28" }],
  ]);
});

test.each([[[]], [[SAM, { ...SAM, id: "U2", name: "Sam Other", email: "other@example.com" }]]])(
  "nothing is sent where a name is not that of one person",
  async (people) => {
    const talk = plannerTalk();
    await talk.say("email sam: hi there");
    const { calls, text } = await talk.results({ text: "People:", data: { people } });
    expect(calls).toEqual([]);
    expect(text).toMatch(/I did nothing, since “sam” is not the name of exactly one person with an address\./);
  },
);

test("an address is asked for where nothing connected finds people", async () => {
  const { calls, text } = await plannerTalk(undefined, { connected: ["gmail"] }).say("email sam: hi there");
  expect(calls).toEqual([]);
  expect(text).toMatch(/^I left out “sam”, which I do not understand\. To send an email with Gmail, I need “to”\./);
});

test.each([
  ["no, at 2", "2026-11-28T14:00:00"],
  ["no, thursday", "2026-12-03"],
  ["sorry, i meant monday at 3", "2026-11-30T15:00:00"],
])("after an event was created, “%s” moves it", async (said, start) => {
  const talk = plannerTalk();
  await talk.say("put Retro on my calendar tomorrow at 11");
  await talk.results({ text: "Created.", data: { id: "ev1", title: "Retro", start: "2026-11-28T11:00:00" } });
  expect((await talk.say(said)).calls).toEqual([["google-calendar.update_event", { event: "ev1", start }]]);
});

test("another month alone is about the dates of the last look", async () => {
  const talk = plannerTalk();
  await talk.say("deals closing this month");
  await talk.results({ text: "No deals.", data: { deals: [] } });
  expect((await talk.say("and next month?")).calls).toEqual([
    ["hubspot.list_deals", { closesAfter: "2026-12-01", closesBefore: "2026-12-31" }],
  ]);
});

test("“reply” after several mails names them, and takes “the second one”", async () => {
  const talk = plannerTalk();
  await talk.say("unread mail");
  const messages = [
    { id: "m1", subject: "Release on Friday?" },
    { id: "m2", subject: "Offer" },
  ];
  await talk.results({ text: "2 emails:", data: { messages } });
  expect(await talk.say('reply "thanks"')).toMatchObject({
    calls: [],
    text: "To reply to an email in Gmail, I need the message.\n\n1. Release on Friday?\n2. Offer",
  });
  expect((await talk.say("the second one")).calls).toEqual([["gmail.reply", { message: "m2", body: "thanks" }]]);
});

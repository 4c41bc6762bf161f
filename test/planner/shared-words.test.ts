import { expect, test } from "vitest";
import { ALL_TOOLS, type Phrasing, plannerTalk } from "#test/planner";

/** Requests for two things, and the calls that they come to. */
const BOTH: Phrasing[] = [
  [
    "add 'Offline mode' to the Ideas db in notion and a record with the same name to Backlog in airtable",
    ["notion.add_row", { database: "Ideas", title: "Offline mode" }],
    ["airtable.create_record", { table: "Backlog", name: "Offline mode" }],
  ],
  [
    'post "we are live" in #news and #team',
    ["slack.send_message", { channel: "#news", text: "we are live" }],
    ["slack.send_message", { channel: "#team", text: "we are live" }],
  ],
  [
    "approve PR 2 and PR 4 in kay-backend",
    ["bitbucket.approve_pull_request", { id: 2, repository: "kay-backend" }],
    ["bitbucket.approve_pull_request", { id: 4, repository: "kay-backend" }],
  ],
  [
    "assign KAY-3 to tom and KAY-4 to priya",
    ["jira.assign_issue", { issue: "KAY-3", assignee: "tom" }],
    ["jira.assign_issue", { issue: "KAY-4", assignee: "priya" }],
  ],
  [
    "bugs in KAY and OPS",
    ["jira.search", { type: "Bug", project: "KAY" }],
    ["jira.search", { type: "Bug", project: "OPS" }],
  ],
  [
    "look for “holidays” in notion and confluence",
    ["notion.search", { text: "holidays" }],
    ["confluence.search", { text: "holidays" }],
  ],
  [
    "meetings today and tomorrow",
    ["google-calendar.list_events", { start: "2026-11-27" }],
    ["google-calendar.list_events", { start: "2026-11-28" }],
  ],
];

test.each(BOTH)("“%s” is two requests that share words", async (request, ...calls) => {
  expect((await plannerTalk().say(request)).calls).toEqual(calls);
});

test("“and” between two properties is one request", async () => {
  expect((await plannerTalk().say("issues assigned to me and reported by tom")).calls).toEqual([
    ["jira.search", { assignee: "me", reporter: "tom" }],
  ]);
});

test.each(["close KAY-3 and the second one", "send tom and the build is green"])(
  "“%s” is not two requests",
  async (request) => {
    expect((await plannerTalk().say(request)).calls).toEqual([]);
  },
);

test.each([
  ["Pacific/Auckland", "2026-11-28"],
  ["America/Los_Angeles", "2026-11-27"],
])("days are counted in the person's time zone, %s", async (timeZone, today) => {
  const talk = plannerTalk(ALL_TOOLS, { timeZone });
  expect((await talk.say("my meetings today")).calls).toEqual([["google-calendar.list_events", { start: today }]]);
});

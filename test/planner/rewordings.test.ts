import { expect, test } from "vitest";
import { expectCalls, type Phrasing, plannerTalk } from "#test/planner";

const SAID: Phrasing[] = [
  ["what's sara lindqvist's phone number in hubspot", ["hubspot.get_contact", { contact: "sara lindqvist" }]],
  [
    "change sara lindqvist's phone to +49 30 1234 in hubspot",
    ["hubspot.update_contact", { contact: "sara lindqvist", phone: "+49 30 1234" }],
  ],
  ["set kay-3's due date to friday", ["jira.edit_issue", { issue: "KAY-3", due: "2026-11-27" }]],
  ["priya's tickets in KAY", ["jira.search", { assignee: "priya", project: "KAY" }]],
  ["tom's unread mails", ["gmail.search", { state: "unread", sender: "tom" }]],
  ["tom's last mail", ["gmail.search", { limit: 1, sender: "tom" }]],
  ["Priya's deals", ["hubspot.list_deals", { owner: "Priya" }]],
  ["show me marco's files", ["google-drive.search", { owner: "marco" }]],
  ["list the subjects of the unread mails from tom", ["gmail.search", { state: "unread", sender: "tom" }]],
  [
    "file a bug in KAY - Login button dead on Safari 17",
    ["jira.create_issue", { type: "Bug", project: "KAY", summary: "Login button dead on Safari 17" }],
  ],
];

test.each(SAID)("“%s” is understood in other words", async (request, ...calls) => {
  await expectCalls(request, ...calls);
});

test.each(["close tom's issues", "what's sam's next meeting", "delete tom's mails"])(
  "“%s” means none of the other words",
  async (request) => {
    expect((await plannerTalk().say(request)).calls).toEqual([]);
  },
);

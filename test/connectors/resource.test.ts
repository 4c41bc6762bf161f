import { expect, test } from "vitest";
import { toGrantOffer } from "#backend/approvals/grants";
import { configureServices } from "#connectors/catalogue";
import { describeFile } from "#connectors/google/files";
import { narrowPlace } from "#connectors/place";
import type { Tool } from "#connectors/tool";

const TOOLS = configureServices({ clients: {} }).flatMap(({ service }) => service.tools);
const DOC = "1aBcDeFgHiJkLmNoPqRsTuVwXyZ012345";
const PAGE = "1f0c7a52-36f8-4c0c-9f3e-0a1b2c3d4e5f";
const POST = "urn:li:share:7012345678901234567";

/**
 * Every tool that writes, an input, and the end of its grant's text; `undefined` if a grant covers only these
 * arguments.
 */
const WRITES: [tool: string, input: Record<string, unknown>, words: string | undefined][] = [
  ["jira.create_issue", { project: "kay", summary: "Login fails" }, "in project KAY"],
  ["jira.transition_issue", { issue: "KAY-3", status: "Done" }, "in project KAY"],
  ["jira.add_comment", { issue: "KAY-3", text: "Looks good" }, "in project KAY"],
  ["jira.add_attachment", { issue: "KAY-3", attachments: ["shot.png"] }, "in project KAY"],
  ["jira.assign_issue", { issue: "KAY-3", assignee: "me" }, "in project KAY"],
  ["jira.edit_issue", { issue: "KAY-3", priority: "High" }, "in project KAY"],
  ["jira.link_issues", { issue: "KAY-3", relation: "blocks", other: "OPS-1" }, "in project KAY and in project OPS"],
  ["jira.log_work", { issue: "KAY-3", time: "2h" }, "in project KAY"],
  ["confluence.create_page", { title: "Plan", space: "docs" }, "in space DOCS"],
  ["confluence.update_page", { page: "Deploy guide", text: "More" }, "on the page “deploy guide”"],
  ["confluence.add_comment", { page: "98369", text: "Nice" }, "on the page 98369"],
  ["bitbucket.create_pull_request", { repository: "web", source: "fix", title: "Fix" }, "in repository web"],
  ["bitbucket.comment", { repository: "web", id: 3, text: "Thanks" }, "in repository web"],
  ["bitbucket.approve_pull_request", { repository: "web", id: 3 }, "in repository web, pull request 3"],
  ["bitbucket.merge_pull_request", { repository: "acme/web", id: 3 }, "in repository acme/web, pull request 3"],
  ["bitbucket.decline_pull_request", { repository: "web", id: 3 }, "in repository web, pull request 3"],
  ["slack.send_message", { channel: "#general", text: "hi" }, "to #general"],
  ["slack.upload_file", { channel: "#general", attachments: ["shot.png"] }, "to #general"],
  ["slack.reply", { channel: "#general", text: "on it" }, "in #general"],
  ["slack.add_reaction", { channel: "@sam", emoji: "eyes" }, "in @sam"],
  ["github.create_issue", { repository: "acme/web", title: "Crash" }, "in repository acme/web"],
  ["github.edit_issue", { repository: "acme/web", number: 3, title: "Crash" }, "in repository acme/web"],
  [
    "github.review_pull_request",
    { repository: "acme/web", number: 3, verdict: "comment", text: "Thanks" },
    "in repository acme/web, pull request 3",
  ],
  ["github.create_pull_request", { repository: "acme/web", source: "fix", title: "Fix" }, "in repository acme/web"],
  ["github.merge_pull_request", { repository: "acme/web", number: 3 }, "in repository acme/web, pull request 3"],
  ["github.close_issue", { repository: "acme/web", number: 3 }, "in repository acme/web"],
  ["github.comment", { repository: "acme/web", number: 3, text: "Thanks" }, "in repository acme/web"],
  [
    "gmail.send_message",
    { to: "sam@example.com, Ann <ann@example.com>", cc: "zoe@example.com", bcc: "bob@example.com", body: "hi" },
    "to ann@example.com, bob@example.com, sam@example.com, zoe@example.com",
  ],
  ["gmail.create_draft", { to: "sam@example.com", body: "hi" }, "to sam@example.com"],
  ["gmail.reply", { message: "Invoice", body: "Thanks" }, undefined],
  ["gmail.forward", { message: "Invoice", to: "sam@example.com" }, "to sam@example.com, “invoice”"],
  ["gmail.label", { message: "Invoice", label: "Bills" }, "with “bills”, “invoice”"],
  ["gmail.archive", { message: "Invoice" }, undefined],
  ["google-calendar.create_event", { title: "Lunch", start: "2026-12-01" }, "in your calendar"],
  ["google-calendar.update_event", { event: "Lunch", start: "2026-12-02" }, "in your calendar"],
  ["google-calendar.delete_event", { event: "Lunch" }, "in your calendar"],
  ["google-docs.create_document", { title: "Plan" }, "in My Drive"],
  ["google-docs.append_text", { document: "Launch plan", text: "More" }, "in the document “launch plan”"],
  ["google-docs.replace_text", { document: DOC, find: "a", replacement: "b" }, `in the document ${DOC}`],
  ["google-sheets.create_spreadsheet", { title: "Budget" }, "in My Drive"],
  ["google-sheets.append_rows", { spreadsheet: "Budget", text: "a, b" }, "in the spreadsheet “budget”"],
  ["google-sheets.add_sheet", { spreadsheet: "Costs", title: "2027" }, "in the spreadsheet “costs”"],
  ["google-sheets.update_cells", { spreadsheet: "Budget", range: "B2", text: "5" }, "in the spreadsheet “budget”"],
  ["google-drive.create_folder", { title: "Photos", parent: "Holiday" }, "in the folder “holiday”"],
  [
    "google-drive.share_file",
    { file: "Plan", person: "sam@example.com", role: "edit" },
    "so that sam@example.com can edit the file “plan”",
  ],
  ["google-drive.trash_file", { file: "Plan" }, undefined],
  ["notion.create_page", { parent: "Home", title: "Notes" }, "in the page “home”"],
  ["notion.append", { page: PAGE, text: "More" }, `to the page ${PAGE}`],
  ["notion.add_row", { database: "Tasks", title: "Call Ann" }, "to the database “tasks”"],
  ["notion.set_property", { page: "Call Ann", property: "Status", value: "Done" }, "on the page “call ann”, “status”"],
  ["notion.comment", { page: "Home", text: "Nice" }, "on the page “home”"],
  ["airtable.create_record", { table: "Tasks", name: "Call Ann" }, "in the table “tasks”"],
  [
    "airtable.update_record",
    { table: "Tasks", record: "Call Ann", field: "Status", value: "Done", base: "Work" },
    "in the table “tasks” of the base “work”",
  ],
  ["airtable.delete_record", { table: "Tasks", record: "Call Ann" }, "in the table “tasks”"],
  ["hubspot.create_contact", { name: "Ann Archer" }, "among the contacts"],
  ["hubspot.update_contact", { contact: "ann@example.com", phone: "1" }, "for the contact “ann@example.com”, phone"],
  ["hubspot.create_deal", { name: "Big one" }, "in the default pipeline"],
  ["hubspot.move_deal", { deal: "Big one", stage: "won" }, "for the deal “big one”"],
  ["hubspot.update_deal", { deal: "Big one", stage: "won", amount: 5 }, "for the deal “big one”, amount, stage"],
  ["hubspot.add_note", { text: "Called", contact: "Ann", deal: "17" }, "to the contact “ann” and the deal 17"],
  ["linkedin.create_post", { text: "Hello" }, "for everybody"],
  ["linkedin.comment", { post: POST, text: "Nice" }, `on the post ${POST}`],
  ["linkedin.react", { post: POST }, `on the post ${POST}`],
  ["linkedin.delete_post", { post: POST }, undefined],
];

test.each(WRITES)("a grant for %s with %j covers it %s", (name, input, words) => {
  expect(getResource(name, input)).toBe(words);
});

test("every tool that writes is in the table above, and no tool that reads has a grant", () => {
  const writeTools = TOOLS.filter(({ access }) => access !== "read").map(({ name }) => name);
  expect(writeTools.sort()).toEqual(WRITES.map(([name]) => name).sort());
  expect(TOOLS.filter((tool) => tool.access === "read" && tool.resource)).toEqual([]);
});

/**
 * For every tool that writes to something that is there: another object than in {@link WRITES}, or another thing that
 * is done to it. `new` tools only add to a place, which their grant names.
 */
const OTHERS: Record<string, Record<string, unknown>[] | "new"> = {
  "jira.create_issue": "new",
  "jira.transition_issue": [{ issue: "KAY-4" }],
  "jira.add_comment": [{ issue: "KAY-4" }],
  "jira.add_attachment": [{ issue: "KAY-4" }],
  "jira.assign_issue": [{ issue: "KAY-4" }],
  "jira.edit_issue": [{ issue: "KAY-4" }, { summary: "Other" }, { fields: { Team: "Core" } }],
  "jira.link_issues": [{ other: "OPS-2" }, { relation: "duplicates" }, { issue: "KAY-4" }],
  "jira.log_work": [{ issue: "KAY-4" }],
  "confluence.create_page": "new",
  "confluence.update_page": [{ page: "Release guide" }, { mode: "replace" }, { title: "Other" }],
  "confluence.add_comment": [{ page: "98370" }],
  "bitbucket.create_pull_request": "new",
  "bitbucket.comment": [{ id: 4 }],
  "bitbucket.approve_pull_request": [{ id: 4 }],
  "bitbucket.merge_pull_request": [{ id: 4 }],
  "bitbucket.decline_pull_request": [{ id: 4 }],
  "slack.send_message": [{ channel: "#random" }],
  "slack.upload_file": [{ channel: "#random" }],
  "slack.reply": [{ message: "lunch?" }, { message: "1700000000.000100" }, { channel: "#random" }],
  "slack.add_reaction": [{ message: "lunch?" }, { emoji: "x" }],
  "github.create_issue": "new",
  "github.edit_issue": [{ number: 4 }, { body: "Other" }],
  "github.review_pull_request": [{ number: 4 }, { verdict: "approve" }],
  "github.create_pull_request": "new",
  "github.merge_pull_request": [{ number: 4 }],
  "github.close_issue": [{ number: 4 }],
  "github.comment": [{ number: 4 }],
  "gmail.send_message": [{ to: "tom@example.com" }, { bcc: "eve@example.com" }],
  "gmail.create_draft": [{ to: "tom@example.com" }],
  "gmail.reply": [{ message: "Offer" }],
  "gmail.forward": [{ message: "Offer" }, { to: "eve@example.com" }],
  "gmail.label": [{ message: "Offer" }, { label: "Private" }],
  "gmail.archive": [{ message: "Offer" }],
  "google-calendar.create_event": "new",
  "google-calendar.update_event": [{ event: "Dentist" }, { day: "2026-12-03" }, { title: "Other" }],
  "google-calendar.delete_event": [{ event: "Dentist" }],
  "google-docs.create_document": "new",
  "google-docs.append_text": [{ document: "Other" }],
  "google-docs.replace_text": [{ document: "Other" }],
  "google-sheets.create_spreadsheet": "new",
  "google-sheets.append_rows": [{ spreadsheet: "Other" }],
  "google-sheets.add_sheet": [{ spreadsheet: "Other" }],
  "google-sheets.update_cells": [{ spreadsheet: "Other" }, { range: "A1:Z99" }, { sheet: "2025" }],
  "google-drive.create_folder": [{ parent: "Other" }],
  "google-drive.share_file": [{ file: "Other" }, { person: "eve@example.com" }, { role: "read" }],
  "google-drive.trash_file": [{ file: "Other" }],
  "notion.create_page": [{ parent: "Other" }],
  "notion.append": [{ page: "Other" }],
  "notion.add_row": [{ database: "Other" }],
  "notion.set_property": [{ page: "Other" }, { property: "Owner" }],
  "notion.comment": [{ page: "Other" }],
  "airtable.create_record": "new",
  "airtable.update_record": [{ record: "Call Bob" }, { field: "Owner" }, { fields: { Owner: "x" } }, { base: "Home" }],
  "airtable.delete_record": [{ record: "Call Bob" }],
  "hubspot.create_contact": "new",
  "hubspot.update_contact": [{ contact: "bob@example.com" }, { email: "eve@example.com" }],
  "hubspot.create_deal": "new",
  "hubspot.move_deal": [{ deal: "Small one" }],
  "hubspot.update_deal": [{ deal: "Small one" }, { name: "Other" }],
  "hubspot.add_note": [{ contact: "Bob" }, { deal: "18" }],
  "linkedin.create_post": "new",
  "linkedin.comment": [{ post: `${POST}1` }],
  "linkedin.react": [{ post: `${POST}1` }],
  "linkedin.delete_post": [{ post: `${POST}1` }],
};

const WITH_OBJECTS = WRITES.flatMap(([name, input]) => {
  const others = OTHERS[name];
  return others === "new" ? [] : (others ?? [{}]).map((otherInput) => [name, input, otherInput] as const);
});

test.each(WITH_OBJECTS)("a grant for %s with %j does not cover it with %j", (name, input, otherInput) => {
  const offer = (input: Record<string, unknown>) => {
    const tool = TOOLS.find((tool) => tool.name === name) as Tool;
    const [place, part] = [tool.resource?.(input), tool.object?.(input)];
    const resource = tool.object ? narrowPlace(place, part) : place;
    return toGrantOffer({ tool: name, input: input, access: tool.access, ...(resource ? { resource } : {}) });
  };
  expect(offer({ ...input, ...otherInput }).key).not.toBe(offer(input).key);
  expect(offer(input).words).not.toContain("undefined");
});

const SPELLINGS: [tool: string, words: string, inputs: Record<string, unknown>[]][] = [
  [
    "jira.add_comment",
    "in project KAY",
    [{ issue: "kay-3" }, { issue: " Kay-4 " }, { issue: "https://acme.atlassian.net/browse/KAY-3?focused=1" }],
  ],
  ["jira.create_issue", "in project KAY", [{ project: "KAY" }, { project: "Kay" }, { project: " kay " }]],
  ["jira.create_issue", "in project “web shop”", [{ project: "Web Shop" }, { project: "web  shop" }]],
  ["slack.send_message", "to #general", [{ channel: "general" }, { channel: "#General" }, { channel: " #general " }]],
  ["slack.send_message", "to @sam sample", [{ channel: "Sam Sample" }, { channel: "@sam sample" }]],
  ["slack.send_message", "to sam@example.com", [{ channel: "Sam@Example.com" }, { channel: "@sam@example.com" }]],
  ["slack.send_message", "to yourself", [{ channel: "me" }, { channel: "@me" }, { channel: "Myself" }]],
  ["slack.send_message", "to the person U0BOBBOB2", [{ channel: "<@U0BOBBOB2|bob>" }, { channel: "U0BOBBOB2" }]],
  [
    "slack.send_message",
    "to the conversation C0GENERAL1",
    [
      { channel: "C0GENERAL1" },
      { channel: "<#C0GENERAL1|general>" },
      { channel: "https://acme.slack.com/archives/C0GENERAL1/p1700000000000100" },
    ],
  ],
  [
    "github.comment",
    "in repository acme/web",
    [
      { repository: "Acme/Web" },
      { repository: "https://github.com/acme/web/issues/3" },
      { repository: "git@github.com:acme/web.git" },
    ],
  ],
  [
    "bitbucket.comment",
    "in repository acme/web-shop",
    [
      { repository: "Acme/Web Shop" },
      { repository: "https://bitbucket.org/acme/web-shop/pull-requests/3" },
      { repository: "git@bitbucket.org:acme/web-shop.git" },
    ],
  ],
  [
    "confluence.create_page",
    "in space DOCS",
    [{ space: "DOCS" }, { space: "Docs" }, { space: "https://acme.atlassian.net/wiki/spaces/DOCS/overview" }],
  ],
  [
    "confluence.create_page",
    "under the page “deploy guide” of space DOCS",
    [
      { parent: "Deploy Guide", space: "docs" },
      { parent: "deploy  guide", space: "DOCS" },
    ],
  ],
  [
    "confluence.update_page",
    "on the page 98369",
    [{ page: "98369" }, { page: "https://acme.atlassian.net/wiki/spaces/DOCS/pages/98369/Deploy+guide" }],
  ],
  [
    "gmail.send_message",
    "to ann@example.com, sam@example.com",
    [
      { to: "sam@example.com; Ann@Example.com", body: "" },
      { to: "Ann <ann@example.com>", cc: "sam@example.com", body: "" },
      { to: "ann@example.com", bcc: "SAM@example.com, ann@example.com", body: "" },
    ],
  ],
  [
    "google-calendar.create_event",
    "in your calendar with ann@example.com, sam@example.com",
    [{ guests: "sam@example.com, ann@example.com" }, { guests: "Ann@example.com sam@example.com;sam@example.com" }],
  ],
  [
    "google-docs.append_text",
    `in the document ${DOC}`,
    [{ document: DOC }, { document: `https://docs.google.com/document/d/${DOC}/edit#heading=h.1` }],
  ],
  ["google-drive.create_folder", "in My Drive", [{}, { parent: " " }]],
  [
    "google-drive.share_file",
    "so that anyone with the link can read the file “plan”",
    [
      { file: "Plan", person: "anyone" },
      { file: "plan", person: "Everybody", role: "read" },
    ],
  ],
  [
    "notion.append",
    `to the page ${PAGE}`,
    [
      { page: PAGE },
      { page: PAGE.replaceAll("-", "").toUpperCase() },
      { page: `https://www.notion.so/acme/Home-${PAGE.replaceAll("-", "")}?v=1` },
    ],
  ],
  [
    "airtable.delete_record",
    "in the table tblAAAAAAAAAAAAAA of the base appAAAAAAAAAAAAAA",
    [
      { table: "tblAAAAAAAAAAAAAA", base: "appAAAAAAAAAAAAAA" },
      { table: "https://airtable.com/appAAAAAAAAAAAAAA/tblAAAAAAAAAAAAAA/viw1" },
    ],
  ],
  [
    "hubspot.move_deal",
    "for the deal 17",
    [{ deal: "17" }, { deal: "#17" }, { deal: "https://app.hubspot.com/contacts/1/record/0-3/17" }],
  ],
  [
    "linkedin.comment",
    `on the post ${POST}`,
    [{ post: `https://www.linkedin.com/feed/update/${POST}/` }, { post: encodeURIComponent(POST) }],
  ],
];

test.each(SPELLINGS)("%s %s is the same however it is spelled", (name, words, inputs) => {
  expect(inputs.map((input) => getResource(name, input))).toEqual(inputs.map(() => words));
});

test.each([
  ["slack.send_message", { channel: "gen\u200beral" }],
  ["slack.send_message", { channel: "#general, and also #random" }],
  ["slack.send_message", { channel: "" }],
  ["github.comment", { repository: "acme/w\u202eeb" }],
  ["gmail.send_message", { to: "sam@example.com, nobody", body: "" }],
  ["gmail.create_draft", { body: "" }],
  ["google-calendar.create_event", { guests: "sam@example.com, Ann" }],
  ["google-docs.append_text", { document: "plan” and the document “budget" }],
  ["airtable.create_record", { table: "tasks” of the base “work" }],
  ["notion.append", { page: "x".repeat(201) }],
  ["jira.add_comment", { issue: "the newest one" }],
  ["confluence.create_page", { title: "Plan" }],
  ["confluence.update_page", { page: "plan” of space DOCS “" }],
  ["google-drive.share_file", { file: "Plan", person: "sam@example.com, ann@example.com" }],
])("a grant for %s with %j covers only these arguments: they could be read as something else", (name, input) => {
  expect(getResource(name, input)).toBeUndefined();
});

const MANY = Array.from({ length: 11 }, (_, index) => `p${index}@example.com`).join(", ");

test.each([
  ["slack.send_message", { channel: "#general", text: "@channel lunch" }],
  ["slack.send_message", { channel: "#general", text: "Hi (@HERE)" }],
  ["slack.reply", { channel: "#general", text: "<!everyone> done" }],
  ["gmail.send_message", { to: MANY, body: "hi" }],
  ["gmail.send_message", { to: "sam@example.com", bcc: MANY, body: "hi" }],
  ["gmail.reply", { message: "Invoice", body: "hi", all: true }],
  ["gmail.forward", { message: "Invoice", to: MANY }],
  ["google-calendar.create_event", { title: "All hands", start: "2026-12-01", guests: MANY }],
  ["google-drive.share_file", { file: "Plan", person: "Anyone" }],
  ["linkedin.create_post", { text: "Hello" }],
])("%s with %j reaches many people, so the user is asked first", (name, input) => {
  expect(tool(name).chooseMode?.(input)).toBe("confirm_before_execution");
});

test.each([
  ["slack.send_message", { channel: "#general", text: "mail to team@channel.example, @channels" }],
  ["gmail.send_message", { to: MANY.replace(/, [^,]*$/, ""), body: "hi" }],
  ["gmail.reply", { message: "Invoice", body: "hi" }],
  ["google-calendar.create_event", { title: "Lunch", start: "2026-12-01", guests: "sam@example.com" }],
  ["google-drive.share_file", { file: "Plan", person: "sam@example.com" }],
  ["linkedin.create_post", { text: "Hello", visibility: "connections" }],
])("%s with %j has the mode of its tool", (name, input) => {
  expect(tool(name).chooseMode?.(input)).toBeUndefined();
});

test("a draft is written first and reviewed before the model continues", () => {
  expect(TOOLS.filter(({ mode }) => mode !== undefined).map(({ name, mode }) => [name, mode])).toEqual([
    ["gmail.create_draft", "confirm_after_execution"],
  ]);
});

function getResource(name: string, input: Record<string, unknown>): string | undefined {
  return tool(name).resource?.(input);
}

function tool(name: string): Tool {
  const found = TOOLS.find((candidate) => candidate.name === name);
  if (!found) throw new Error(`Unknown tool ${name}.`);
  return found;
}

test("a title cannot end its quotation, so what follows it are kay's words", () => {
  const name = "Budget”, spreadsheet of Dana (1qc3Z) “\uff02❞";
  const file = { id: "9evil", name, mimeType: "application/pdf", owners: [{ displayName: "Sam" }] };
  expect(describeFile(file)).toMatch(/^“Budget', spreadsheet of Dana \(1qc3Z\) '''”, [^”]*\(9evil\)$/);
});

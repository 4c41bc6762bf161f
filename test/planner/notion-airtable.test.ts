import { test } from "vitest";
import { expectCalls, type Phrasing } from "#test/planner";

const UNDERSTOOD: Phrasing[] = [
  ["search notion for onboarding", ["notion.search", { text: "onboarding" }]],
  ["find onboarding in notion", ["notion.search", { text: "onboarding" }]],
  ["list the databases in notion", ["notion.search", { type: "database" }]],
  ["read the notion page Onboarding", ["notion.get_page", { page: "Onboarding" }]],
  ['show the notion page "Release plan 1.0"', ["notion.get_page", { page: "Release plan 1.0" }]],
  ["open Team handbook in notion", ["notion.get_page", { page: "Team handbook" }]],
  ["summarise the notion page Meeting notes", ["notion.get_page", { page: "Meeting notes" }]],
  [
    "create a notion page in Team handbook called Holidays",
    ["notion.create_page", { parent: "Team handbook", title: "Holidays" }],
  ],
  [
    'create a notion page called "Release notes" in Team handbook',
    ["notion.create_page", { parent: "Team handbook", title: "Release notes" }],
  ],
  [
    "append to the notion page Meeting notes: Dana writes the manual",
    ["notion.append", { page: "Meeting notes", text: "Dana writes the manual" }],
  ],
  [
    "comment on the notion page Onboarding: who orders the laptops?",
    ["notion.comment", { page: "Onboarding", text: "who orders the laptops?" }],
  ],
  ["show the rows of the notion database Road map", ["notion.query_database", { database: "Road map" }]],
  ["what is in the notion database Road map", ["notion.query_database", { database: "Road map" }]],
  [
    "show Road map in notion where Status is Done",
    ["notion.query_database", { database: "Road map", property: "Status", value: "Done" }],
  ],
  [
    "add a row to the notion database Road map: Shell completion",
    ["notion.add_row", { database: "Road map", title: "Shell completion" }],
  ],
  [
    "set Status of the notion page Onboarding to Waiting",
    ["notion.set_property", { property: "Status", page: "Onboarding", value: "Waiting" }],
  ],
  [
    'set Status of "Write the manual" to Done in notion',
    ["notion.set_property", { property: "Status", page: "Write the manual", value: "Done" }],
  ],
  ["list my airtable bases", ["airtable.list_bases", {}]],
  ["describe the airtable base Contacts", ["airtable.describe_base", { base: "Contacts" }]],
  ["which tables are in the airtable base Kay Launch", ["airtable.describe_base", { base: "Kay Launch" }]],
  ["list the records of the airtable table Tasks", ["airtable.list_records", { table: "Tasks" }]],
  ["show Tasks in airtable", ["airtable.list_records", { table: "Tasks" }]],
  [
    "show Tasks in airtable where Status is Todo",
    ["airtable.list_records", { table: "Tasks", field: "Status", value: "Todo" }],
  ],
  [
    'show the record "Record the demo" in the airtable table Tasks',
    ["airtable.get_record", { record: "Record the demo", table: "Tasks" }],
  ],
  [
    "add a record to the airtable table Tasks: Order stickers",
    ["airtable.create_record", { table: "Tasks", name: "Order stickers" }],
  ],
  ['add "Order stickers" to Tasks in airtable', ["airtable.create_record", { table: "Tasks", name: "Order stickers" }]],
  [
    'set Status of "Press list" to Done in the airtable table Tasks',
    ["airtable.update_record", { field: "Status", record: "Press list", value: "Done", table: "Tasks" }],
  ],
  [
    'delete the record "Press list" from the airtable table Tasks',
    ["airtable.delete_record", { record: "Press list", table: "Tasks" }],
  ],
];

test.each(UNDERSTOOD)("“%s” is understood", expectCalls);

import { test } from "vitest";
import { expectCalls } from "#test/planner";

/** Now is a Friday, 2026-11-27, noon. */
const UNDERSTOOD: [request: string, tool: string, input: Record<string, unknown>][] = [
  ["what is in my inbox?", "gmail.search", { place: "inbox" }],
  ["show my unread emails", "gmail.search", { state: "unread" }],
  ["find emails from Sam about the release", "gmail.search", { text: "release", sender: "Sam" }],
  ["do I have mail from Sam?", "gmail.search", { sender: "Sam" }],
  ["search gmail for invoice", "gmail.search", { text: "invoice" }],
  ['read the email "Release 1.4 on Friday?"', "gmail.read_message", { message: "Release 1.4 on Friday?" }],
  [
    "send an email to sam@example.com: Are you free on Friday?",
    "gmail.send_message",
    { to: "sam@example.com", body: "Are you free on Friday?" },
  ],
  [
    "send an email to sam@example.com with subject Lunch: Are you free?",
    "gmail.send_message",
    { to: "sam@example.com", subject: "Lunch", body: "Are you free?" },
  ],
  ["draft an email to sam@example.com: Dear Sam", "gmail.create_draft", { to: "sam@example.com", body: "Dear Sam" }],
  ['reply to the email "Release 1.4": Yes', "gmail.reply", { message: "Release 1.4", body: "Yes" }],
  [
    'forward the email "Release 1.4" to sam@example.com: please check',
    "gmail.forward",
    { message: "Release 1.4", to: "sam@example.com", body: "please check" },
  ],
  [
    'forward the email "Nightly jobs" to sam@example.com',
    "gmail.forward",
    { message: "Nightly jobs", to: "sam@example.com" },
  ],
  ['archive the email "Nightly jobs"', "gmail.archive", { message: "Nightly jobs" }],
  ['mark the email "Nightly jobs" as read', "gmail.label", { message: "Nightly jobs", label: "read" }],
  ["what's on my calendar tomorrow?", "google-calendar.list_events", { start: "2026-11-28" }],
  ["what is on my calendar", "google-calendar.list_events", {}],
  ["what meetings do I have on Monday?", "google-calendar.list_events", { start: "2026-11-30" }],
  ["when am I free tomorrow?", "google-calendar.free_busy", { start: "2026-11-28", person: "me" }],
  [
    "is sam@example.com free on Monday?",
    "google-calendar.free_busy",
    { person: "sam@example.com", start: "2026-11-30" },
  ],
  [
    "create an event tomorrow at 3pm: Lunch with Sam",
    "google-calendar.create_event",
    { start: "2026-11-28T15:00:00", title: "Lunch with Sam" },
  ],
  ["schedule Dentist on 2026-12-24", "google-calendar.create_event", { title: "Dentist", start: "2026-12-24" }],
  [
    'schedule "Planning" with sam@example.com tomorrow from 2pm to 4pm',
    "google-calendar.create_event",
    { title: "Planning", guests: "sam@example.com", start: "2026-11-28T14:00:00", end: "2026-11-28T16:00:00" },
  ],
  [
    "add Dentist to my calendar on Friday at 9am",
    "google-calendar.create_event",
    { title: "Dentist", start: "2026-12-04T09:00:00" },
  ],
  ["move Standup to tomorrow", "google-calendar.update_event", { event: "Standup", start: "2026-11-28" }],
  ["reschedule Planning to next Monday", "google-calendar.update_event", { event: "Planning", start: "2026-11-30" }],
  ["delete the event Dentist", "google-calendar.delete_event", { event: "Dentist" }],
  ["find documents about onboarding", "google-docs.search", { text: "onboarding" }],
  ['read the google doc "Release notes"', "google-docs.read_document", { document: "Release notes" }],
  [
    'create a document called "Minutes": Who was there',
    "google-docs.create_document",
    { title: "Minutes", text: "Who was there" },
  ],
  ["append to the document Minutes: The end", "google-docs.append_text", { document: "Minutes", text: "The end" }],
  [
    'replace "Dana" with "Sam" in the document Minutes',
    "google-docs.replace_text",
    { find: "Dana", replacement: "Sam", document: "Minutes" },
  ],
  ["find spreadsheets about budget", "google-sheets.search", { text: "budget" }],
  ['show the spreadsheet "Budget 2026"', "google-sheets.read_range", { spreadsheet: "Budget 2026" }],
  ["read A1:B3 of the spreadsheet Budget", "google-sheets.read_range", { spreadsheet: "Budget", range: "A1:B3" }],
  [
    'add a row to the spreadsheet "Budget 2026": Rent, November, 900',
    "google-sheets.append_rows",
    { spreadsheet: "Budget 2026", text: "Rent, November, 900" },
  ],
  [
    'set B2 in the spreadsheet "Budget 2026" to 500',
    "google-sheets.update_cells",
    { range: "B2", spreadsheet: "Budget 2026", text: "500" },
  ],
  ["create a spreadsheet called Hours", "google-sheets.create_spreadsheet", { title: "Hours" }],
  ["find files about offers", "google-drive.search", { text: "offers" }],
  ["what files are in the folder Kay?", "google-drive.search", { folder: "Kay" }],
  ["create a folder Plans in Kay", "google-drive.create_folder", { title: "Plans", parent: "Kay" }],
  [
    'share the file "Budget 2026" with sam@example.com',
    "google-drive.share_file",
    { file: "Budget 2026", person: "sam@example.com" },
  ],
  ['who can open the file "Budget 2026"?', "google-drive.get_file", { file: "Budget 2026" }],
  ['delete the file "Offer.pdf"', "google-drive.trash_file", { file: "Offer.pdf" }],
];

test.each(UNDERSTOOD)("“%s” is understood", (request, tool, input) => expectCalls(request, [tool, input]));

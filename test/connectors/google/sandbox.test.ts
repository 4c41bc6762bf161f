import { expect, test } from "vitest";
import { connectService, sandboxServices } from "../support/sandbox.ts";

const DANA = { account_id: "108174562309871234501", email: "dana@example.com", name: "Dana Demo" };

test("Gmail in the sandbox: search, read, reply, draft, label and archive, and Sam receives what is sent", async () => {
  const world = sandboxServices();
  const gmail = await connectService(world, "gmail");
  expect(gmail.identity).toMatchObject({ user: DANA, metadata: { email: "dana@example.com" } });
  const inbox = await gmail.run("gmail.search", {});
  expect(inbox.text).toMatch(/^3 emails in the inbox:/);
  expect(inbox.text).toContain("| Jürgen Groß | Angebot für Aufkleber – 500 Stück (unread) |");
  const offer = await gmail.run("gmail.read_message", { message: "Angebot für Aufkleber" });
  expect(offer.data).toMatchObject({
    text: "Guten Tag Frau Demo,\n\n500 Aufkleber kosten 89,00 €, Lieferung in fünf Tagen.\n\nGrüße aus Köln\nJürgen Groß",
    attachments: [{ name: "Angebot 2026-118.pdf", type: "application/pdf", bytes: 48213 }],
  });
  const body = "Friday it is – grüße 🎉\nDana";
  const replied = await gmail.run("gmail.reply", { message: "release 1.4 on friday?", body });
  expect(replied.text).toMatch(/^Replied to sam@example\.com about “Release 1\.4 on Friday\?”\./);
  const subject = "Überraschung für alle: 日本語のとても長い件名がここにありますので折り返しが必要です 🎈";
  const message = await gmail.run("gmail.send_message", {
    to: "Sam Sample <sam@example.com>",
    subject,
    body: "Hallo\n\n.\nTschüß",
  });
  const { id } = message.data as { id: string };
  expect((await gmail.run("gmail.read_message", { message: id })).data).toMatchObject({
    subject,
    text: "Hallo\n\n.\nTschüß",
  });
  const forwarded = await gmail.run("gmail.forward", {
    message: "Angebot für Aufkleber – 500 Stück",
    to: "sam@example.com",
    body: "Nehmen wir das?",
  });
  expect(forwarded.text).toMatch(/^Forwarded “Angebot für Aufkleber – 500 Stück” to sam@example\.com\./);
  const copy = await gmail.run("gmail.read_message", { message: (forwarded.data as { id: string }).id });
  expect(copy.data).toMatchObject({
    subject: "Fwd: Angebot für Aufkleber – 500 Stück",
    text: expect.stringMatching(
      /^Nehmen wir das\?\n\n-{10} Forwarded message -{9}\nFrom: Jürgen Groß <[^>]+>\nDate: \S+\nSubject: [\s\S]*\n\nGuten Tag Frau Demo,/,
    ),
    attachments: [{ name: "Angebot 2026-118.pdf", type: "application/pdf", bytes: 48213 }],
  });
  const draft = await gmail.run("gmail.create_draft", { to: "sam@example.com", subject: "Later", body: "…" });
  expect(draft.text).toMatch(/^The draft “Later” is in Gmail; nothing was sent\./);
  await gmail.run("gmail.label", { message: "Nightly jobs: 1 of 14 failed", label: "kay" });
  expect((await gmail.run("gmail.search", { place: "Kay" })).data).toMatchObject({ messages: [{}, {}] });
  await gmail.run("gmail.label", { message: "Nightly jobs: 1 of 14 failed", label: "unread" });
  expect((await gmail.run("gmail.search", { state: "unread", sender: "Nightly" })).data).toMatchObject({
    messages: [{ subject: "Nightly jobs: 1 of 14 failed", unread: true }],
  });
  await gmail.run("gmail.archive", { message: "Nightly jobs: 1 of 14 failed" });
  expect((await gmail.run("gmail.search", {})).text).not.toContain("Nightly");
  await expect(gmail.run("gmail.label", { message: id, label: "Nope" })).rejects.toMatchObject({
    message: "No label in Gmail is called “Nope”.",
    hint: "Available labels: Kay, Receipts.",
  });
  const page = await world.fetch(replied.url ?? "");
  expect([page.status, (await page.text()).includes("Friday it is – grüße 🎉")]).toEqual([200, true]);
});

test("V13 Calendar in the sandbox: whole days, moved events, deleted ones, and who is free", async () => {
  const calendar = await connectService(sandboxServices(), "google-calendar");
  expect(calendar.identity.metadata).toMatchObject({ time_zone: "Europe/Berlin" });
  const days = { title: "Holidays", start: "2026-12-24", end: "2026-12-26", allDay: true };
  const created = await calendar.run("google-calendar.create_event", days);
  expect(created.text).toMatch(/^Created \*\*Holidays\*\*, Dec 24 - 26\./);
  const list = await calendar.run("google-calendar.list_events", { start: "2026-12-24", end: "2026-12-26" });
  expect(list.data).toMatchObject({
    events: [{ title: "Holidays", start: "2026-12-24", end: "2026-12-26", all_day: true }],
  });
  const tomorrow = await calendar.run("google-calendar.list_events", { start: "2026-11-28" });
  expect(tomorrow.text).toBe(
    [
      "2 events on 2026-11-28 (Europe/Berlin):",
      "",
      "| When | Title | Where | Guests |",
      "| --- | --- | --- | --- |",
      "| Sat Nov 28, 09:30 - 09:45 | Stand-up |  | Sam Sample |",
      "| Sat Nov 28, 14:00 - 15:00 | Release review | Room 2 | Sam Sample |",
    ].join("\n"),
  );
  const moved = await calendar.run("google-calendar.update_event", { event: "release review", start: "2026-11-30" });
  expect(moved.text).toMatch(
    /^Moved \*\*Release review\*\*, Mon Nov 30, 14:00 - 15:00 \(it was Sat Nov 28, 14:00 - 15:00\)\./,
  );
  const event = await calendar.run("google-calendar.update_event", { event: "Team offsite", start: "2026-12-08" });
  expect(event.text).toMatch(/^Moved \*\*Team offsite\*\*, Dec 8 - 10 \(it was Dec 7 - 9\)\./);
  const timed = await calendar.run("google-calendar.update_event", {
    event: "Team offsite",
    start: "2026-12-08T10:00",
  });
  expect(timed.text).toMatch(/^Moved \*\*Team offsite\*\*, Tue Dec 8, 10:00 - 11:00/);
  expect((await calendar.run("google-calendar.delete_event", { event: "Stand-up" })).text).toBe(
    "Deleted **Stand-up**, Sat Nov 28, 09:30 - 09:45.",
  );
  const free = await calendar.run("google-calendar.free_busy", { person: "sam@example.com", start: "2026-11-29" });
  expect(free.data).toMatchObject({
    person: "sam@example.com",
    busy: [
      { start: "2026-11-29T09:30:00", end: "2026-11-29T09:45:00" },
      { start: "2026-11-29T16:00:00", end: "2026-11-29T16:30:00" },
    ],
  });
  await expect(calendar.run("google-calendar.delete_event", { event: "Nothing" })).rejects.toMatchObject({
    message: "No upcoming event is called “Nothing”.",
  });
});

test("Docs in the sandbox: found, read, created, added to and changed", async () => {
  const docs = await connectService(sandboxServices(), "google-docs");
  const results = await docs.run("google-docs.search", { text: "release notes" });
  expect(results.data).toMatchObject({
    documents: [{ name: "Release notes 1.4", owner: "Dana Demo", kind: "document" }],
  });
  const document = await docs.run("google-docs.read_document", { document: "release notes 1.4" });
  expect((document.data as { text: string }).text).toBe(
    "# Release notes 1.4\n\nWhat changes for people who use kay.\n\n- One refresh for many processes (KAY-6)\n- Paste of 800 lines no longer freezes the input (KAY-12)\n\n# Known faults\n\nThe session flickers on narrow terminals.",
  );
  const { data } = await docs.run("google-docs.create_document", {
    title: "Minutes",
    text: "Who: Dana\nWhat: ünïcödé",
  });
  const { id } = data as { id: string };
  await docs.run("google-docs.append_text", { document: "Minutes", text: "End." });
  const replaced = await docs.run("google-docs.replace_text", { document: id, find: "Dana", replacement: "Sam" });
  expect(replaced.text).toMatch(/^Replaced “Dana” in 1 place of Minutes\./);
  const minutes = await docs.run("google-docs.read_document", { document: id });
  expect(minutes.text).toBe(`**Minutes**\n\nWho: Sam\n\nWhat: ünïcödé\n\nEnd.\n\n${minutes.url}`);
});

test("Sheets in the sandbox: read, rows added, cells changed, created; a sheet that Sam shares for reading cannot be written", async () => {
  const world = sandboxServices();
  const sheets = await connectService(world, "google-sheets");
  const read = await sheets.run("google-sheets.read_range", { spreadsheet: "Budget 2026" });
  expect(read.text).toContain("| Item | Month | EUR |\n| --- | --- | --- |\n| Hosting | October | 412 |");
  const appended = await sheets.run("google-sheets.append_rows", {
    spreadsheet: "budget 2026",
    text: 'Travel, "Hamburg, return", 79.80',
  });
  expect(appended.text).toMatch(/^Added 1 row to Budget 2026 \(Costs!A5:C5\)\./);
  const set = { spreadsheet: "Budget 2026", sheet: "plan", range: "B2", text: "1500" };
  expect((await sheets.run("google-sheets.update_cells", set)).text).toMatch(
    /^Wrote 1 cell of Budget 2026 \(Plan!B2\)\./,
  );
  const range = { spreadsheet: "Budget 2026", range: "Costs!A5:C5" };
  expect((await sheets.run("google-sheets.read_range", range)).data).toMatchObject({
    values: [["Travel", "Hamburg, return", "79.80"]],
  });
  const plan = await sheets.run("google-sheets.read_range", { spreadsheet: "Budget 2026", sheet: "Plan" });
  expect(plan.data).toMatchObject({
    values: [
      ["Quarter", "EUR"],
      ["Q4", "1500"],
    ],
  });
  const spreadsheet = await sheets.run("google-sheets.create_spreadsheet", {
    title: "Hours",
    text: "Day,Hours\nMonday,7.5\n007,=IMPORTXML(A1)",
  });
  const { id } = spreadsheet.data as { id: string };
  expect((await sheets.run("google-sheets.read_range", { spreadsheet: id })).data).toMatchObject({
    values: [
      ["Day", "Hours"],
      ["Monday", "7.5"],
      ["007", "=IMPORTXML(A1)"],
    ],
  });
  await expect(sheets.run("google-sheets.read_range", { spreadsheet: id, sheet: "None" })).rejects.toMatchObject({
    message: "Hours has no sheet “None”; it has Sheet1.",
  });
});

test("Drive in the sandbox: found, viewed, shared, put in a folder, and trashed", async () => {
  const drive = await connectService(sandboxServices(), "google-drive");
  const inside = await drive.run("google-drive.search", { folder: "Kay" });
  expect(inside.text).toMatch(/^2 files in Kay:/);
  await drive.run("google-drive.create_folder", { title: "Plans", parent: "Kay" });
  expect((await drive.run("google-drive.search", { folder: "Kay" })).data).toMatchObject({
    files: [{ name: "Plans", kind: "folder" }, {}, {}],
  });
  const share = { file: "Budget 2026", person: "sam@example.com", role: "edit" };
  expect((await drive.run("google-drive.share_file", share)).text).toMatch(
    /^sam@example\.com can now edit Budget 2026\./,
  );
  const file = await drive.run("google-drive.get_file", { file: "Budget 2026" });
  expect(file.data).toMatchObject({ shared_with: ["dana@example.com (owner)", "sam@example.com (writer)"] });
  await drive.run("google-drive.trash_file", { file: "Angebot 2026-118.pdf" });
  expect((await drive.run("google-drive.search", { text: "angebot" })).text).toBe("No files about “angebot”.");
  await expect(drive.run("google-drive.trash_file", { file: "Onboarding" })).rejects.toMatchObject({
    message: "Google Drive: The user does not have sufficient permissions for this file.",
  });
});

test("a connection without the right to write names the permission", async () => {
  const scopes = ["openid", "email", "profile", "https://www.googleapis.com/auth/gmail.readonly"];
  const gmail = await connectService(sandboxServices(), "gmail", scopes);
  await expect(gmail.run("gmail.send_message", { to: "a@example.com", body: "x" })).rejects.toMatchObject({
    code: "SERVICE_FAILED",
    message: "The connection to Gmail lacks the permission gmail.modify.",
  });
});

import { createHash } from "node:crypto";
import { afterEach, expect, test, vi } from "vitest";
import * as z from "zod/mini";
import { googleCalendar } from "#connectors/google-calendar/google-calendar";
import { contextOver, type Expected, httpOver, outside, runExpecting, runTool } from "../support/outside.ts";

const EVENTS = "https://www.googleapis.com/calendar/v3/calendars/primary/events";
const NAME = "google-calendar";

async function run(name: string, input: Record<string, unknown>, zone: string, ...expected: Expected[]) {
  const metadata = { email: "dana@example.com", time_zone: zone };
  const { result, asked } = await runExpecting(googleCalendar, metadata, name, input, ...expected);
  return { ...result, asked };
}

// Other files run in the same process.
afterEach(() => vi.unstubAllEnvs());

test.each(["America/Los_Angeles", "Asia/Tokyo", "Pacific/Kiritimati"])(
  "V13 whole days are the same days in every zone: %s",
  async (zone) => {
    vi.stubEnv("TZ", zone);
    const times = { start: { date: "2026-12-24" }, end: { date: "2026-12-27" } };
    const event = { id: "e1", summary: "Holidays", ...times, htmlLink: "https://calendar.google.com/e1" };
    const input = { title: "Holidays", start: "2026-12-24", end: "2026-12-26", allDay: true };
    const created = await run(`${NAME}.create_event`, input, zone, {
      request: `POST ${EVENTS}?sendUpdates=none`,
      json: event,
    });
    expect(created.asked[0]?.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      summary: "Holidays",
      ...times,
    });
    expect(created.text).toBe("Created **Holidays**, Dec 24 - 26.\n\nhttps://calendar.google.com/e1");
    const result = await run(
      `${NAME}.update_event`,
      { event: "0123456789abcdef0", start: "2026-12-31" },
      zone,
      { request: `GET ${EVENTS}/0123456789abcdef0`, json: event },
      {
        request: `PATCH ${EVENTS}/e1?sendUpdates=all`,
        json: { ...event, start: { date: "2026-12-31" }, end: { date: "2027-01-03" } },
      },
    );
    expect(result.asked[1]?.body).toEqual({
      start: { date: "2026-12-31", dateTime: null, timeZone: null },
      end: { date: "2027-01-03", dateTime: null, timeZone: null },
    });
    expect(result.text).toContain("Moved **Holidays**, Dec 31 - Jan 2, 2027 (it was Dec 24 - 26).");
  },
);

test("times without an offset are in the calendar's zone, even across a clock change", async () => {
  const input = {
    title: "Night shift",
    start: "2026-10-24T23:00",
    end: "2026-10-25T04:00:00Z",
    guests: "a@x.test, b@x.test",
  };
  const { asked } = await run(`${NAME}.create_event`, input, "Europe/Berlin", {
    request: `POST ${EVENTS}?sendUpdates=all`,
    json: { id: "e", start: { dateTime: "2026-10-24T23:00:00+02:00" }, end: { dateTime: "2026-10-25T05:00:00+01:00" } },
  });
  expect(asked[0]?.body).toMatchObject({
    start: { dateTime: "2026-10-24T23:00:00+02:00", timeZone: "Europe/Berlin" },
    end: { dateTime: "2026-10-25T05:00:00+01:00", timeZone: "Europe/Berlin" },
    attendees: [{ email: "a@x.test" }, { email: "b@x.test" }],
  });
});

test.each([
  [
    "2027-10-31T02:30:00+01:00",
    "2027-10-31T03:00:00+01:00",
    "02:30:00+01:00",
    "03:00:00+01:00",
    "02:30 (UTC+01:00) - 03:00 (UTC+01:00)",
  ],
  [
    "2027-10-31T00:30:00Z",
    "2027-10-31T01:15:00Z",
    "02:30:00+02:00",
    "02:15:00+01:00",
    "02:30 (UTC+02:00) - 02:15 (UTC+01:00)",
  ],
  ["2027-10-31T02:30", "2027-10-31T02:45", "02:30:00+02:00", "02:45:00+02:00", "02:30 - 02:45"],
  ["2027-03-28T02:30", "2027-03-28T04:00", "03:30:00+02:00", "04:00:00+02:00", "03:30 - 04:00"],
])("B222 the instants from %s to %s are kept when clocks change", async (start, end, from, to, whenText) => {
  const day = start.slice(0, 10);
  const times = { start: { dateTime: `${day}T${from}` }, end: { dateTime: `${day}T${to}` } };
  const input = { title: "Shift", start, end };
  const { asked, text, data } = await run(`${NAME}.create_event`, input, "Europe/Berlin", {
    request: `POST ${EVENTS}?sendUpdates=none`,
    json: { id: "e", summary: "Shift", ...times },
  });
  const timeZone = "Europe/Berlin";
  expect(asked[0]?.body).toMatchObject({ start: { ...times.start, timeZone }, end: { ...times.end, timeZone } });
  expect(data).toMatchObject({ start: times.start.dateTime, end: times.end.dateTime });
  expect(text).toContain(whenText);
});

test("B224 declined invitations and entries that are not meetings are marked", async () => {
  const event = (id: string, more: object) => ({
    id,
    summary: id,
    start: { date: "2026-12-01" },
    end: { date: "2026-12-02" },
    ...more,
  });
  const invite = (responseStatus: string) => ({
    attendees: [{ email: "dana@example.com", self: true, responseStatus }],
  });
  const items = [
    event("Declined thing", invite("declined")),
    event("Maybe", invite("tentative")),
    event("New", invite("needsAction")),
    event("Yes", invite("accepted")),
    event("Office", { eventType: "workingLocation" }),
    event("Away", { eventType: "outOfOffice" }),
    event("Plain", { eventType: "default" }),
  ];
  const world = { fetch: async () => Response.json({ items }) };
  const context = contextOver(world, googleCalendar, { time_zone: "UTC" });
  const { text, data } = await runTool(googleCalendar, `${NAME}.list_events`, { start: "2026-12-01" }, context);
  const notes = ["declined", "tentative", "not answered", "", "working location", "out of office", ""];
  const rows = text.split("\n").slice(4);
  expect(rows).toEqual(items.map(({ id }, index) => `| Tue Dec 1 | ${id} |  |  | ${notes[index]} |`));
  expect(data).toMatchObject({
    events: [
      { response: "declined" },
      { response: "tentative" },
      { response: "not answered" },
      { response: "accepted" },
      { kind: "working location", response: undefined },
      { kind: "out of office" },
      { kind: undefined },
    ],
  });
});

test("a day is requested from midnight to midnight in the calendar's zone, whatever the machine's is", async () => {
  vi.stubEnv("TZ", "Asia/Tokyo");
  const query =
    "singleEvents=true&orderBy=startTime&timeMin=2026-12-24T08%3A00%3A00.000Z&timeMax=2026-12-25T08%3A00%3A00.000Z";
  const { text, data } = await run(`${NAME}.list_events`, { start: "2026-12-24" }, "America/Los_Angeles", {
    request: `GET ${EVENTS}?${query}&maxResults=25&timeZone=America%2FLos_Angeles`,
    json: {
      timeZone: "America/Los_Angeles",
      items: [
        {
          id: "e1",
          summary: "Call | review",
          start: { dateTime: "2026-12-24T17:30:00Z" },
          end: { dateTime: "2026-12-24T18:00:00Z" },
        },
        { id: "e2", status: "cancelled" },
      ],
    },
  });
  expect(text).toBe(
    "1 event on 2026-12-24 (America/Los_Angeles):\n\n| When | Title | Where | Guests |\n| --- | --- | --- | --- |\n| Thu Dec 24, 09:30 - 10:00 | Call \\| review |  |  |",
  );
  expect(data).toMatchObject({
    events: [{ start: "2026-12-24T09:30:00-08:00", end: "2026-12-24T10:00:00-08:00", all_day: false }],
  });
});

test("V09 a deletion is a 204 and a success; an event created again is the existing one", async () => {
  const event = {
    id: "e1",
    summary: "Tea",
    start: { dateTime: "2026-12-01T15:00:00Z" },
    end: { dateTime: "2026-12-01T16:00:00Z" },
  };
  const result = await run(
    `${NAME}.delete_event`,
    { event: "https://calendar.google.com/event?eid=ZTEgZGFuYUBleGFtcGxlLmNvbQ" },
    "UTC",
    { request: `GET ${EVENTS}/e1`, json: event },
    { request: `DELETE ${EVENTS}/e1?sendUpdates=all`, status: 204 },
  );
  expect(result.text).toBe("Deleted **Tea**, Tue Dec 1, 15:00 - 16:00.");
  const conflict = {
    error: { code: 409, message: "The requested identifier already exists.", errors: [{ reason: "duplicate" }] },
  };
  const id = createHash("sha256").update("effect_1").digest("hex").slice(0, 32);
  const again = await run(
    `${NAME}.create_event`,
    { title: "Tea", start: "2026-12-01T15:00" },
    "UTC",
    { request: `POST ${EVENTS}?sendUpdates=none`, status: 409, json: conflict },
    { request: `GET ${EVENTS}/${id}`, json: event },
  );
  expect(again.text).toBe("Created **Tea**, Tue Dec 1, 15:00 - 16:00.");
});

test.each([
  [{ title: "x", start: "2026-02-30" }, "“2026-02-30” is not a day or a time."],
  [{ title: "x", start: "tomorrow" }, "“tomorrow” is not a day or a time."],
  [{ title: "x", start: "2026-12-24", end: "2026-12-23" }, "The end is before the start."],
  [{ title: "x", start: "2026-12-24T10:00", end: "2026-12-24" }, "Start and end must both be dates or both be times."],
  [{ title: "x", start: "2026-12-24", timeZone: "Mars/Base" }, "“Mars/Base” is not a time zone."],
  [{ title: "x", start: "2026-12-24", guests: "Sam" }, "“Sam” is not an email address."],
])("an event that cannot be created says why (%#)", async (input, message) => {
  await expect(run(`${NAME}.create_event`, input, "UTC")).rejects.toMatchObject({ code: "INVALID_REQUEST", message });
});

test("too many requests arrive as 403 with a reason, and are waited for", async () => {
  const limited = {
    error: {
      code: 403,
      message: "Rate Limit Exceeded",
      errors: [{ domain: "usageLimits", reason: "rateLimitExceeded" }],
    },
  };
  const world = outside(
    { request: `DELETE ${EVENTS}/e1?sendUpdates=all`, status: 403, json: limited },
    { request: `DELETE ${EVENTS}/e1?sendUpdates=all`, status: 204 },
  );
  const { http, pauses } = httpOver(world, googleCalendar);
  await http.request({
    method: "DELETE",
    path: "/calendar/v3/calendars/primary/events/e1",
    query: { sendUpdates: "all" },
    answer: z.unknown(),
  });
  expect(pauses).toHaveLength(1);
});

import { isRecord, type JsonRecord, toRecord } from "#protocol/json";
import { getList, getText } from "../access.ts";
import { googleError } from "../errors.ts";
import type { Account, CalendarEvent, EventTime } from "../state.ts";
import { formatZonedTime, getInstant, isTimeZone, toInstant } from "../times.ts";

/** Creates an event from the body of an insert. @throws ApiError */
export function createEvent(body: JsonRecord, account: Account, id: string, now: string): CalendarEvent {
  const start = parseEventTime(body, "start", account, undefined);
  const end = parseEventTime(body, "end", account, undefined);
  checkOrder(start, end, account);
  return {
    id,
    organizer: account.email,
    summary: getText(body, "summary") ?? "",
    description: getText(body, "description") ?? "",
    location: getText(body, "location") ?? "",
    start,
    end,
    attendees: parseAttendees(body),
    created: now,
    updated: now,
  };
}

/** Applies a patch to an event: missing fields stay, null removes one. @throws ApiError */
export function applyEventPatch(event: CalendarEvent, body: JsonRecord, account: Account, now: string): void {
  const start = "start" in body ? parseEventTime(body, "start", account, event.start) : event.start;
  const end = "end" in body ? parseEventTime(body, "end", account, event.end) : event.end;
  checkOrder(start, end, account);
  Object.assign(event, { start, end, updated: now });
  for (const name of ["summary", "description", "location"] as const) {
    if (name in body) event[name] = getText(body, name) ?? "";
  }
  if ("attendees" in body) event.attendees = parseAttendees(body);
}

/** Reads a time: `date`, or `dateTime` with an offset or a `timeZone`, never both. */
function parseEventTime(body: JsonRecord, name: string, account: Account, oldTime: EventTime | undefined): EventTime {
  const record = body[name];
  if (!isRecord(record)) throw googleError(400, "required", `Missing ${name} time.`);
  const merged: JsonRecord = { ...oldTime, ...record };
  const [date, dateTime, timeZone] = [
    getText(merged, "date"),
    getText(merged, "dateTime"),
    getText(merged, "timeZone"),
  ];
  if ((date === undefined) === (dateTime === undefined)) throw googleError(400, "invalid", `Invalid ${name} time.`);
  if (date !== undefined) {
    if (/^\d{4}-\d\d-\d\d$/.test(date)) return { date };
    throw googleError(400, "invalid", `Invalid value for: Invalid format: "${date}"`);
  }
  const text = dateTime ?? "";
  if (timeZone !== undefined && !isTimeZone(timeZone))
    throw googleError(400, "invalid", "Invalid time zone definition for start time.");
  const zone = timeZone ?? account.timeZone;
  const [, wall = "", offset] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
  if (wall === "") throw googleError(400, "badRequest", "Bad Request");
  if (offset === undefined && timeZone === undefined)
    throw googleError(400, "required", `Missing time zone definition for ${name} time.`);
  return {
    dateTime: formatZonedTime(offset === undefined ? toInstant(wall, zone) : Date.parse(text), zone),
    timeZone: zone,
  };
}

function checkOrder(start: EventTime, end: EventTime, { timeZone }: Account): void {
  if ("date" in start !== "date" in end)
    throw googleError(400, "invalid", "Start and end times must either both be date or both be dateTime.");
  const [from, to] = [getInstant(start, timeZone), getInstant(end, timeZone)];
  if (to < from || ("date" in start && to === from))
    throw googleError(400, "timeRangeEmpty", "The specified time range is empty.");
}

function parseAttendees(body: JsonRecord): CalendarEvent["attendees"] {
  return getList(body, "attendees").map((entry) => {
    const attendee = toRecord(entry);
    const email = getText(attendee, "email") ?? "";
    if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw googleError(400, "invalid", "Invalid attendee email.");
    return { email, responseStatus: getText(attendee, "responseStatus") ?? "needsAction" };
  });
}

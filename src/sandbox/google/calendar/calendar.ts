import { type Context, Hono } from "hono";
import { toRecord } from "#protocol/json";
import type { ProviderContext } from "../../provider.ts";
import { type GoogleEnv, getList, getText, paginate, parseBody, requireAccess, sendMasked } from "../access.ts";
import { googleError, invalidError, notFoundError } from "../errors.ts";
import type { Account, CalendarEvent, GoogleState } from "../state.ts";
import { getInstant } from "../times.ts";
import { applyEventPatch, createEvent } from "./edit.ts";

/** Calendar API v3 (developers.google.com/workspace/calendar/api/v3/reference), for the account's own calendar. */
export function registerCalendarRoutes(app: Hono<GoogleEnv>, provider: ProviderContext<GoogleState>): void {
  const calendar = new Hono<GoogleEnv>();
  calendar.get("/calendars/:calendar", requireAccess("calendarRead"), (c) => c.json(toCalendarView(getCalendar(c))));
  calendar.get("/users/me/calendarList", requireAccess("calendarRead"), (c) => {
    const item = {
      ...toCalendarView(c.get("account")),
      kind: "calendar#calendarListEntry",
      primary: true,
      accessRole: "owner",
    };
    return c.json({ kind: "calendar#calendarList", items: [item] });
  });
  calendar.get("/calendars/:calendar/events", requireAccess("eventsRead"), list);
  calendar.get("/calendars/:calendar/events/:id", requireAccess("eventsRead"), (c) =>
    c.json(toEventView(c, findEvent(c))),
  );
  calendar.post("/calendars/:calendar/events", requireAccess("eventsWrite"), async (c) => {
    const account = getCalendar(c);
    const { world, body } = { world: provider.world(), body: await parseBody(c) };
    const id = getText(body, "id") ?? Buffer.from(provider.random(13)).toString("hex");
    if (!/^[a-v0-9]{5,1024}$/.test(id)) throw invalidError("Invalid resource id value.");
    if (world.events.some((candidate) => candidate.id === id)) {
      throw googleError(409, "duplicate", "The requested identifier already exists.");
    }
    const event = createEvent(body, account, id, provider.timestamp());
    world.events.push(event);
    provider.save();
    return c.json(toEventView(c, event));
  });
  calendar.patch("/calendars/:calendar/events/:id", requireAccess("eventsWrite"), async (c) => {
    const event = findOwnEvent(c);
    applyEventPatch(event, await parseBody(c), c.get("account"), provider.timestamp());
    provider.save();
    return c.json(toEventView(c, event));
  });
  calendar.delete("/calendars/:calendar/events/:id", requireAccess("eventsWrite"), (c) => {
    const event = findEvent(c);
    const world = provider.world();
    const { email } = c.get("account");
    // A guest only removes the event from their calendar.
    if (event.organizer === email) world.events = world.events.filter((other) => other !== event);
    else event.attendees = event.attendees.filter((attendee) => attendee.email !== email);
    provider.save();
    return c.body(null, 204);
  });
  calendar.post("/freeBusy", requireAccess("calendarRead"), sendBusyTimes);
  app.route("/calendar/v3", calendar);
}

function list(c: Context<GoogleEnv>) {
  const { email, timeZone } = getCalendar(c);
  const { timeMin, timeMax, q = "", orderBy, singleEvents } = c.req.query();
  if (orderBy === "startTime" && singleEvents !== "true") {
    throw googleError(400, "badRequest", "The requested ordering is not available for the particular query.");
  }
  const [from, to] = [bound(timeMin, "timeMin"), bound(timeMax, "timeMax")];
  if (from !== undefined && to !== undefined && to <= from) {
    throw googleError(400, "timeRangeEmpty", "The specified time range is empty.");
  }
  const events = c
    .get("world")
    .events.filter((event) => isIn(event, email))
    .filter((event) => from === undefined || getInstant(event.end, timeZone) > from)
    .filter((event) => to === undefined || getInstant(event.start, timeZone) < to)
    .filter((event) =>
      q
        .toLowerCase()
        .split(/\s+/)
        .filter(Boolean)
        .every((word) => getWords(event).includes(word)),
    )
    .sort((a, b) => getInstant(a.start, timeZone) - getInstant(b.start, timeZone));
  const { page, nextPageToken } = paginate(c, events, { name: "maxResults", usual: 250, most: 2500 });
  const answer = {
    kind: "calendar#events",
    summary: email,
    timeZone: c.req.query("timeZone") ?? timeZone,
    accessRole: "owner",
    items: page.map((event) => toEventView(c, event)),
    ...(nextPageToken ? { nextPageToken } : {}),
  };
  return sendMasked(c, answer);
}

async function sendBusyTimes(c: Context<GoogleEnv>) {
  const body = await parseBody(c);
  const [from, to] = [bound(getText(body, "timeMin"), "timeMin"), bound(getText(body, "timeMax"), "timeMax")];
  if (from === undefined || to === undefined || to <= from)
    throw googleError(400, "timeRangeEmpty", "The specified time range is empty.");
  const { accounts, events } = c.get("world");
  const calendars = getList(body, "items").map((item): [string, unknown] => {
    const id = getText(toRecord(item), "id") ?? "";
    const calendarId = id === "primary" ? c.get("account").email : id;
    const account = accounts.find(({ email }) => email === calendarId);
    if (!account) return [id, { errors: [{ domain: "global", reason: "notFound" }], busy: [] }];
    const times = events
      .filter((event) => isIn(event, account.email) && !hasDeclined(event, account.email))
      .map(({ start, end }) => ({ start: getInstant(start, account.timeZone), end: getInstant(end, account.timeZone) }))
      .filter(({ start, end }) => end > from && start < to)
      .sort((a, b) => a.start - b.start)
      .map(({ start, end }) => ({
        start: formatRfc3339(Math.max(start, from)),
        end: formatRfc3339(Math.min(end, to)),
      }));
    return [id, { busy: times }];
  });
  return c.json({
    kind: "calendar#freeBusy",
    timeMin: formatRfc3339(from),
    timeMax: formatRfc3339(to),
    calendars: Object.fromEntries(calendars),
  });
}

function toCalendarView({ email, timeZone }: Account) {
  return { kind: "calendar#calendar", id: email, summary: email, timeZone };
}

/** Finds the calendar in the path: the account's own, by either of its names. */
function getCalendar(c: Context<GoogleEnv>): Account {
  const account = c.get("account");
  const id = c.req.param("calendar") ?? "";
  if (id !== "primary" && id !== account.email) throw notFoundError("Not Found");
  return account;
}

function findEvent(c: Context<GoogleEnv>): CalendarEvent {
  const { email } = getCalendar(c);
  const event = c.get("world").events.find(({ id }) => id === c.req.param("id"));
  if (!event || !isIn(event, email)) throw notFoundError("Not Found");
  return event;
}

function findOwnEvent(c: Context<GoogleEnv>): CalendarEvent {
  const event = findEvent(c);
  if (event.organizer === c.get("account").email) return event;
  throw googleError(
    403,
    "forbiddenForNonOrganizer",
    "Shared properties can only be changed by the organizer of the event.",
  );
}

function isIn({ organizer, attendees }: CalendarEvent, email: string): boolean {
  return organizer === email || attendees.some((attendee) => attendee.email === email);
}

/** A declined invitation stays in the calendar, but does not make anyone busy. */
function hasDeclined({ attendees }: CalendarEvent, email: string): boolean {
  return attendees.some((attendee) => attendee.email === email && attendee.responseStatus === "declined");
}

function getWords({ summary, description, location, attendees, organizer }: CalendarEvent): string {
  return [summary, description, location, organizer, ...attendees.map(({ email }) => email)].join(" ").toLowerCase();
}

/** Parses a bound of a search: a time with an offset, as Calendar requires. */
function bound(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)) return Date.parse(text);
  throw googleError(400, "badRequest", `Bad Request: ${name}`);
}

function formatRfc3339(instant: number): string {
  return new Date(instant).toISOString().replace(".000", "");
}

/** Returns an event as Calendar returns it to this account. */
function toEventView(c: Context<GoogleEnv>, event: CalendarEvent) {
  const { email } = c.get("account");
  const { accounts } = c.get("world");
  const eid = Buffer.from(`${event.id} ${email}`).toString("base64url");
  const findName = (address: string) => accounts.find((account) => account.email === address)?.name;
  const guests = event.attendees.map(({ email: address, responseStatus }) => ({
    email: address,
    ...(findName(address) ? { displayName: findName(address) } : {}),
    ...(address === email ? { self: true } : {}),
    responseStatus,
  }));
  const host = {
    email: event.organizer,
    organizer: true,
    responseStatus: "accepted",
    ...(event.organizer === email ? { self: true } : {}),
  };
  return {
    kind: "calendar#event",
    etag: `"${Date.parse(event.updated)}"`,
    id: event.id,
    status: "confirmed",
    htmlLink: new URL(`/calendar/event?eid=${eid}`, c.req.url).href,
    created: event.created,
    updated: event.updated,
    summary: event.summary,
    ...(event.description ? { description: event.description } : {}),
    ...(event.location ? { location: event.location } : {}),
    creator: { email: event.organizer },
    organizer: { email: event.organizer, ...(event.organizer === email ? { self: true } : {}) },
    start: event.start,
    end: event.end,
    ...(event.recurringEventId ? { recurringEventId: event.recurringEventId, originalStartTime: event.start } : {}),
    iCalUID: `${event.id}@google.com`,
    sequence: 0,
    ...(guests.length > 0 ? { attendees: [host, ...guests] } : {}),
    eventType: "default",
  };
}

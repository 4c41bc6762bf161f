import { type Context, Hono } from "hono";
import type { Place } from "../../provider.ts";
import { bodyOf, type GoogleEnv, listIn, masked, needs, pageOf, recordIn, textIn } from "../access.ts";
import { GoogleRefusal, invalid, notFound } from "../errors.ts";
import { instantOf } from "../times.ts";
import type { Account, CalendarEvent, GoogleWorld } from "../world.ts";
import { changeEvent, newEvent } from "./edit.ts";
import { eventView } from "./views.ts";

/** Calendar API v3 (developers.google.com/workspace/calendar/api/v3/reference), of the account's own calendar. */
export function calendarRoutes(app: Hono<GoogleEnv>, place: Place<GoogleWorld>): void {
  const calendar = new Hono<GoogleEnv>();
  calendar.get("/calendars/:calendar", needs("calendarRead"), (c) => c.json(calendarView(calendarOf(c))));
  calendar.get("/users/me/calendarList", needs("calendarRead"), (c) => {
    const item = {
      ...calendarView(c.get("account")),
      kind: "calendar#calendarListEntry",
      primary: true,
      accessRole: "owner",
    };
    return c.json({ kind: "calendar#calendarList", items: [item] });
  });
  calendar.get("/calendars/:calendar/events", needs("eventsRead"), list);
  calendar.get("/calendars/:calendar/events/:id", needs("eventsRead"), (c) => c.json(eventView(c, eventIn(c))));
  calendar.post("/calendars/:calendar/events", needs("eventsWrite"), async (c) => {
    const account = calendarOf(c);
    const { world, body } = { world: place.world(), body: await bodyOf(c) };
    const id = textIn(body, "id") ?? Buffer.from(place.random(13)).toString("hex");
    if (!/^[a-v0-9]{5,1024}$/.test(id)) throw invalid("Invalid resource id value.");
    if (world.events.some((one) => one.id === id)) {
      throw new GoogleRefusal(409, "duplicate", "The requested identifier already exists.");
    }
    const event = newEvent(body, account, id, new Date(place.now()).toISOString());
    world.events.push(event);
    place.changed();
    return c.json(eventView(c, event));
  });
  calendar.patch("/calendars/:calendar/events/:id", needs("eventsWrite"), async (c) => {
    const event = ownEvent(c);
    changeEvent(event, await bodyOf(c), c.get("account"), new Date(place.now()).toISOString());
    place.changed();
    return c.json(eventView(c, event));
  });
  calendar.delete("/calendars/:calendar/events/:id", needs("eventsWrite"), (c) => {
    const event = eventIn(c);
    const world = place.world();
    const { email } = c.get("account");
    // Whoever was only invited takes the event off their own calendar.
    if (event.organizer === email) world.events = world.events.filter((one) => one !== event);
    else event.attendees = event.attendees.filter((one) => one.email !== email);
    place.changed();
    return c.body(null, 204);
  });
  calendar.post("/freeBusy", needs("calendarRead"), busy);
  app.route("/calendar/v3", calendar);
}

function list(c: Context<GoogleEnv>) {
  const { email, timeZone } = calendarOf(c);
  const { timeMin, timeMax, q = "", orderBy, singleEvents } = c.req.query();
  if (orderBy === "startTime" && singleEvents !== "true") {
    throw new GoogleRefusal(400, "badRequest", "The requested ordering is not available for the particular query.");
  }
  const [from, to] = [bound(timeMin, "timeMin"), bound(timeMax, "timeMax")];
  if (from !== undefined && to !== undefined && to <= from) {
    throw new GoogleRefusal(400, "timeRangeEmpty", "The specified time range is empty.");
  }
  const found = c
    .get("world")
    .events.filter((event) => isIn(event, email))
    .filter((event) => from === undefined || instantOf(event.end, timeZone) > from)
    .filter((event) => to === undefined || instantOf(event.start, timeZone) < to)
    .filter((event) =>
      q
        .toLowerCase()
        .split(/\s+/)
        .filter(Boolean)
        .every((word) => wordsOf(event).includes(word)),
    )
    .sort((a, b) => instantOf(a.start, timeZone) - instantOf(b.start, timeZone));
  const { page, nextPageToken } = pageOf(c, found, { name: "maxResults", usual: 250, most: 2500 });
  const answer = {
    kind: "calendar#events",
    summary: email,
    timeZone: c.req.query("timeZone") ?? timeZone,
    accessRole: "owner",
    items: page.map((event) => eventView(c, event)),
    ...(nextPageToken ? { nextPageToken } : {}),
  };
  return c.json(masked(answer, c.req.query("fields")) as typeof answer);
}

async function busy(c: Context<GoogleEnv>) {
  const body = await bodyOf(c);
  const [from, to] = [bound(textIn(body, "timeMin"), "timeMin"), bound(textIn(body, "timeMax"), "timeMax")];
  if (from === undefined || to === undefined || to <= from)
    throw new GoogleRefusal(400, "timeRangeEmpty", "The specified time range is empty.");
  const { accounts, events } = c.get("world");
  const calendars = listIn(body, "items").map((item): [string, unknown] => {
    const id = textIn(recordIn({ item }, "item") ?? {}, "id") ?? "";
    const wanted = id === "primary" ? c.get("account").email : id;
    const account = accounts.find(({ email }) => email === wanted);
    if (!account) return [id, { errors: [{ domain: "global", reason: "notFound" }], busy: [] }];
    const times = events
      .filter((event) => isIn(event, account.email))
      .map(({ start, end }) => ({ start: instantOf(start, account.timeZone), end: instantOf(end, account.timeZone) }))
      .filter(({ start, end }) => end > from && start < to)
      .sort((a, b) => a.start - b.start)
      .map(({ start, end }) => ({ start: rfc3339(Math.max(start, from)), end: rfc3339(Math.min(end, to)) }));
    return [id, { busy: times }];
  });
  return c.json({
    kind: "calendar#freeBusy",
    timeMin: rfc3339(from),
    timeMax: rfc3339(to),
    calendars: Object.fromEntries(calendars),
  });
}

function calendarView({ email, timeZone }: Account) {
  return { kind: "calendar#calendar", id: email, summary: email, timeZone };
}

/** The calendar in the path: of the account itself, by either of its names. */
function calendarOf(c: Context<GoogleEnv>): Account {
  const account = c.get("account");
  const wanted = c.req.param("calendar") ?? "";
  if (wanted !== "primary" && wanted !== account.email) throw notFound("Not Found");
  return account;
}

function eventIn(c: Context<GoogleEnv>): CalendarEvent {
  const { email } = calendarOf(c);
  const found = c.get("world").events.find(({ id }) => id === c.req.param("id"));
  if (!found || !isIn(found, email)) throw notFound("Not Found");
  return found;
}

function ownEvent(c: Context<GoogleEnv>): CalendarEvent {
  const event = eventIn(c);
  if (event.organizer === c.get("account").email) return event;
  throw new GoogleRefusal(
    403,
    "forbiddenForNonOrganizer",
    "Shared properties can only be changed by the organizer of the event.",
  );
}

function isIn({ organizer, attendees }: CalendarEvent, email: string): boolean {
  return organizer === email || attendees.some((one) => one.email === email && one.responseStatus !== "declined");
}

function wordsOf({ summary, description, location, attendees, organizer }: CalendarEvent): string {
  return [summary, description, location, organizer, ...attendees.map(({ email }) => email)].join(" ").toLowerCase();
}

/** A bound of a search: a moment with its offset, nothing less (Calendar's words). */
function bound(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)) return Date.parse(text);
  throw new GoogleRefusal(400, "badRequest", `Bad Request: ${name}`);
}

function rfc3339(instant: number): string {
  return new Date(instant).toISOString().replace(".000", "");
}

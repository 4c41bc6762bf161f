import type { Context } from "hono";
import type { GoogleEnv } from "../access.ts";
import type { CalendarEvent } from "../state.ts";

/** Returns an event as Calendar returns it to this account. */
export function toEventView(c: Context<GoogleEnv>, event: CalendarEvent) {
  const { email } = c.get("account");
  const { accounts } = c.get("world");
  const eid = Buffer.from(`${event.id} ${email}`).toString("base64url");
  const findName = (address: string) => accounts.find((one) => one.email === address)?.name;
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

import { hash } from "node:crypto";
import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { escapeCell, quoteText, toOneLine } from "../markup/markdown.ts";
import { parseTimeZone } from "../time.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import {
  buildEventPath,
  EVENTS_PATH,
  EVENTS_SCOPE,
  Event,
  formatEventLine,
  getTimeZone,
  listGuests,
  parseNewTitle,
  toEventData,
} from "./event.ts";
import { toEventTimes } from "./times.ts";

const Input = z.object({
  title: withDescription(z.string(), "Title of the event."),
  start: withDescription(
    z.string(),
    "Start: a date or a time in ISO 8601. Without an offset, it is in the calendar's time zone.",
  ),
  end: withDescription(
    z.optional(z.string()),
    "End, in ISO 8601. For whole days, the last day, inclusive. Default: one hour or one day.",
  ),
  allDay: withDescription(z.optional(z.boolean()), "Whether the event takes whole days."),
  guests: withDescription(
    z.optional(z.string()),
    "Email addresses to invite, such as sam@example.com, separated by commas.",
  ),
  location: withDescription(z.optional(z.string()), "Location."),
  description: withDescription(z.optional(z.string()), "Description."),
  timeZone: withDescription(
    z.optional(z.string()),
    "Time zone of the times, such as Europe/Berlin. Default: the calendar's.",
  ),
});
type Input = z.output<typeof Input>;

/** Number of guests above which an event counts as one for many. */
const MANY_GUESTS = 10;

/** Source: Calendar API v3, POST /calendar/v3/calendars/{calendarId}/events. */
export const createEventTool = defineTool({
  name: "google-calendar.create_event",
  description: "Create an event or meeting in the user's Google Calendar, and invite people to it.",
  access: "write",
  input: Input,
  examples: [
    "create an event {start}: {title}",
    "create an event called {title} {start}",
    "schedule {title} {start}",
    "schedule {title} on {start}",
    "schedule {title} for {start}",
    "schedule a meeting called {title} {start}",
    "schedule {title} with {guests} {start}",
    "schedule a meeting with {guests} {start}: {title}",
    "add {title} to my calendar {start}",
    "add {title} to my calendar on {start}",
    "create an event called {title} on {start}",
    "schedule a meeting called {title} on {start}",
    "book {title} on {start}",
    "put {title} on my calendar {start}",
    "book {title} {start}",
    "book a meeting with {guests} {start}: {title}",
    "create an event {title} from {start} to {end}",
    "block {start} for {title}",
  ],
  summary: describeCall,
  resource: formatCalendarPlace,
  destinations: ({ guests }) => parseGuests(guests).map((address) => address.toLowerCase()),
  chooseMode: ({ guests }) => (parseGuests(guests).length > MANY_GUESTS ? "confirm_before_execution" : undefined),
  async run(input, context) {
    const title = parseNewTitle(input.title);
    if (title === "") throw new Problem("INVALID_REQUEST", "An event needs a title.", { details: { field: "title" } });
    const zone = input.timeZone?.trim() ? parseTimeZone(input.timeZone) : getTimeZone(context);
    const attendees = listGuestAddresses(input.guests).map((email) => ({ email }));
    const body = {
      id: hash("sha256", context.idempotencyKey, "hex").slice(0, 32),
      summary: title,
      ...toEventTimes(input, zone),
      ...(input.location?.trim() ? { location: input.location.trim() } : {}),
      ...(input.description?.trim() ? { description: input.description.trim() } : {}),
      ...(attendees.length > 0 ? { attendees } : {}),
    };
    const event = await insertEvent(context, body);
    const invited = listGuests(event);
    const url = event.htmlLink ?? undefined;
    const words = `Created ${formatEventLine(event, zone, context.clock.now())}${invited.length > 0 ? `, with ${escapeCell(invited.join(", "))}` : ""}.`;
    return { data: toEventData(event, zone), text: url ? `${words}\n\n${url}` : words, url };
  },
});

/** Creates the event with an ID that kay chooses: a repeated call then finds that the event already exists. */
async function insertEvent(context: ToolContext, body: { id: string; attendees?: unknown[] }): Promise<Event> {
  try {
    return await context.http.request({
      method: "POST",
      path: EVENTS_PATH,
      query: { sendUpdates: body.attendees ? "all" : "none" },
      body,
      answer: Event,
      scope: EVENTS_SCOPE,
    });
  } catch (error) {
    if (!(error instanceof Problem) || error.details.service_status !== 409) throw error;
    return context.http.request({ path: buildEventPath(body.id), answer: Event, scope: EVENTS_SCOPE });
  }
}

function describeCall(input: Input): string {
  const [start, end] = [input.start.trim(), input.end?.trim()];
  const details = [
    input.allDay === true && start.length > 10 ? "all day" : "",
    input.timeZone?.trim() ? `in ${input.timeZone.trim()}` : "",
    input.location?.trim() ? `at ${toOneLine(input.location)}` : "",
    input.guests?.trim() ? `invites ${toOneLine(input.guests)}` : "",
    input.description?.trim() ? quoteText(input.description, 200) : "",
  ].filter(Boolean);
  const action = `Create the event “${toOneLine(parseNewTitle(input.title))}”, ${start}${end && end !== start ? ` to ${end}` : ""}`;
  return details.length > 0 ? `${action} (${details.join(", ")})` : action;
}

/** Returns the text of an approval. It names the guests, because they receive invitations. */
function formatCalendarPlace({ guests }: Input): string | undefined {
  const all = parseGuests(guests);
  if (all.length === 0) return "in your calendar";
  if (all.length > MANY_GUESTS || !all.every((address) => isAddress(address) && !/\p{C}/u.test(address)))
    return undefined;
  return `in your calendar with ${[...new Set(all.map((address) => address.toLowerCase()))].sort().join(", ")}`;
}

function parseGuests(guests: string | undefined): string[] {
  return [...new Set((guests ?? "").split(/[\s,;]+/).filter(Boolean))];
}

function isAddress(text: string): boolean {
  return /^[^\s@<>]+@(?:[^\s@<>.]+\.)+[^\s@<>.]+$/.test(text);
}

function listGuestAddresses(guests: string | undefined): string[] {
  const all = parseGuests(guests);
  const invalidAddress = all.find((address) => !isAddress(address));
  if (invalidAddress === undefined) return all;
  throw new Problem("INVALID_REQUEST", `“${invalidAddress}” is not an email address.`, {
    hint: "Specify the guests by email address.",
    details: { field: "guests" },
  });
}

import * as z from "zod/mini";
import { resolveTimeZone } from "#protocol/time";
import { escapeCell, formatMarkdownTable, toOneLine } from "../markup/markdown.ts";
import { quoteTitle } from "../place.ts";
import {
  addDays,
  type CalendarTime,
  formatDayRange,
  formatTimeRange,
  toInstant,
  toOffsetTime,
  toWallTime,
} from "../time.ts";
import type { ToolContext } from "../tool.ts";

const Time = z.nullish(
  z.looseObject({ date: z.nullish(z.string()), dateTime: z.nullish(z.string()), timeZone: z.nullish(z.string()) }),
);

/** An event of a calendar. Source: Calendar API v3, "Events". */
export const Event = z.looseObject({
  id: z.string(),
  status: z.nullish(z.string()),
  summary: z.nullish(z.string()),
  description: z.nullish(z.string()),
  location: z.nullish(z.string()),
  htmlLink: z.nullish(z.string()),
  hangoutLink: z.nullish(z.string()),
  recurringEventId: z.nullish(z.string()),
  start: Time,
  end: Time,
  eventType: z.nullish(z.string()),
  attendees: z.nullish(
    z.array(
      z.looseObject({
        email: z.nullish(z.string()),
        displayName: z.nullish(z.string()),
        responseStatus: z.nullish(z.string()),
        self: z.nullish(z.boolean()),
      }),
    ),
  ),
});
export type Event = z.output<typeof Event>;

export const EVENTS_PATH = "/calendar/v3/calendars/primary/events";
export const EVENTS_SCOPE = "calendar.events";

/** Returns the API path of an event in the user's own calendar. */
export function buildEventPath(id: string): string {
  return `${EVENTS_PATH}/${encodeURIComponent(id)}`;
}

/** Returns the time zone of the connected calendar. */
export function getTimeZone({ metadata }: Pick<ToolContext, "metadata">): string {
  return typeof metadata.time_zone === "string" ? metadata.time_zone : "UTC";
}

/** Returns start and end as Google reports them: whole days end on the day after the last one. */
export function getTimes(event: Event): { start: CalendarTime; end: CalendarTime } {
  const { start, end } = event;
  if (start?.date)
    return { start: { date: start.date }, end: { date: isDay(end?.date) ? end.date : addDays(start.date, 1) } };
  const from = toExactTime(start) ?? "1970-01-01T00:00:00Z";
  return { start: { dateTime: from }, end: { dateTime: toExactTime(end) ?? from } };
}

/** Adds the offset to a time with a zone. Returns undefined for an unreadable time. */
function toExactTime(time: z.output<typeof Time>): string | undefined {
  const { dateTime, timeZone } = time ?? {};
  if (!dateTime || Number.isNaN(toInstant({ dateTime }, "UTC"))) return undefined;
  const zone = resolveTimeZone(timeZone ?? "");
  if (!zone || /Z$|[+-]\d\d:?\d\d$/i.test(dateTime.slice(10))) return dateTime;
  return toOffsetTime(toInstant({ dateTime }, zone), zone);
}

/** Returns whether an event has a start. Google lists a cancelled occurrence of a series by its ID alone. */
export function hasStart({ start }: Event): boolean {
  return start?.date ? isDay(start.date) : toExactTime(start) !== undefined;
}

function isDay(date: string | null | undefined): date is string {
  return !Number.isNaN(Date.parse(date ?? ""));
}

/** Formats the time of an event. Whole days are never converted between time zones. */
export function formatWhen(event: Event, zone: string, now: number): string {
  const { start, end } = getTimes(event);
  const thisYear = Number(toWallTime(now, zone).slice(0, 4));
  if ("date" in start) return formatDayRange(start.date, "date" in end ? addDays(end.date, -1) : start.date, thisYear);
  return formatTimeRange(toInstant(start, zone), toInstant(end, zone), zone, thisYear);
}

/** Converts an event to data for the model. The end of whole days is the last day. */
export function toEventData(event: Event, zone: string): Record<string, unknown> {
  const { start, end } = getTimes(event);
  const allDay = "date" in start;
  return {
    id: event.id,
    title: getTitle(event),
    start: allDay ? start.date : toOffsetTime(toInstant(start, zone), zone),
    end: "date" in end ? addDays(end.date, -1) : toOffsetTime(toInstant(end, zone), zone),
    all_day: allDay,
    time_zone: zone,
    location: event.location ?? undefined,
    guests: listGuests(event),
    recurring: Boolean(event.recurringEventId),
    kind: getKind(event),
    response: getOwnResponse(event),
    url: event.htmlLink ?? undefined,
  };
}

/** Formats events as a table. Declined invitations and entries that are not meetings have a note. */
export function formatEventTable(events: Event[], zone: string, now: number): string {
  const noted = events.some((event) => getNote(event) !== "");
  const rows = events.map((event) => [
    formatWhen(event, zone, now),
    getTitle(event),
    event.location ?? "",
    listGuests(event).join(", "),
    ...(noted ? [getNote(event)] : []),
  ]);
  return formatMarkdownTable(["When", "Title", "Where", "Guests", ...(noted ? ["Note"] : [])], rows);
}

function getNote(event: Event): string {
  const response = getOwnResponse(event);
  return [getKind(event), response === "accepted" ? undefined : response].filter(Boolean).join(", ");
}

/** Returns the kind of an entry that is not a meeting: "working location", "out of office", "focus time", "birthday". */
function getKind({ eventType }: Event): string | undefined {
  if (!eventType || eventType === "default") return undefined;
  return eventType.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Returns the user's answer to the invitation. An own event without guests has none. */
function getOwnResponse({ attendees }: Event): string | undefined {
  const ownResponse = attendees?.find(({ self }) => self === true)?.responseStatus ?? undefined;
  return ownResponse === "needsAction" ? "not answered" : ownResponse;
}

/** Formats an event in one line: "**Planning**, Fri Nov 27, 14:00 - 15:00". */
export function formatEventLine(event: Event, zone: string, now: number): string {
  return `**${escapeCell(getTitle(event))}**, ${formatWhen(event, zone, now)}`;
}

/** Describes an event for the approval of a call that names it: title, time and guests. */
export function describeEvent(event: Event, context: ToolContext): string {
  const guests = listGuests(event);
  const others = guests.length > MOST_GUESTS ? ` and ${guests.length - MOST_GUESTS} more` : "";
  const invited = guests.length > 0 ? `, with ${guests.slice(0, MOST_GUESTS).join(", ")}${others}` : "";
  const when = formatWhen(event, getTimeZone(context), context.clock.now());
  return `${quoteTitle(getTitle(event))}, ${when}${invited} (event ${event.id})`;
}

const MOST_GUESTS = 5;

export function getTitle({ summary }: Event): string {
  return summary?.trim() || "(no title)";
}

/** Extracts the title from what users type: "the meeting Planning", "a meeting called Planning". */
export function parseEventName(text: string): string {
  const line = toOneLine(text);
  return line.replace(/^(?:the|my|an?) (?:meeting|event|appointment) (?:(?:called|named|titled) )?(?=\S)/i, "");
}

/** Returns the title of a new event as given, without "a meeting called" before it. */
export function parseNewTitle(text: string): string {
  return toOneLine(text).replace(/^(?:the|my|an?) (?:meeting|event|appointment) (?:called|named|titled) (?=\S)/i, "");
}

/** Lists the names or addresses of the other attendees. */
export function listGuests({ attendees }: Event): string[] {
  return (attendees ?? [])
    .filter(({ self }) => self !== true)
    .map(({ displayName, email }) => displayName ?? email ?? "unknown");
}

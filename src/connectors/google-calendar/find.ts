import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { type ListRequest, readPages } from "../http/pages.ts";
import { isPartialName, requireMatch } from "../match.ts";
import { quoteTitle } from "../place.ts";
import { addDays, type CalendarTime, DAY_MS, parseCalendarTime, toInstant, toWallTime } from "../time.ts";
import type { ToolContext } from "../tool.ts";
import {
  buildEventPath,
  EVENTS_PATH,
  EVENTS_SCOPE,
  Event,
  formatWhen,
  getTimeZone,
  getTitle,
  hasStart,
  parseEventName,
} from "./event.ts";

const Page = z.looseObject({
  items: z.nullish(z.array(Event)),
  timeZone: z.nullish(z.string()),
  nextPageToken: z.nullish(z.string()),
});

/** A time span, in ms since the epoch. */
export type TimeSpan = { from: number; to: number };

/** Returns the events of the user's own calendar within a span, in order. Recurring events are listed one by one. */
export async function findEvents(
  context: ToolContext,
  { from, to }: TimeSpan,
  text: string | undefined,
  list: number | ListRequest,
): Promise<{ events: Event[]; more: boolean }> {
  const { items, more } = await readPages(async (pageToken, size) => {
    const page = await context.http.request({
      path: EVENTS_PATH,
      query: {
        singleEvents: true,
        orderBy: "startTime",
        timeMin: new Date(from).toISOString(),
        timeMax: new Date(to).toISOString(),
        maxResults: Math.min(size, 250),
        timeZone: getTimeZone(context),
        q: text?.trim() || undefined,
        pageToken,
      },
      answer: Page,
      scope: EVENTS_SCOPE,
    });
    return { items: (page.items ?? []).filter(takesPlace), next: page.nextPageToken };
  }, list);
  return { events: items, more };
}

function takesPlace(event: Event): boolean {
  return event.status !== "cancelled" && hasStart(event);
}

/** Converts two dates or times to a span. A date means the whole day, and the last day is included. */
export function parseSpan(
  { start, end }: { start?: string; end?: string },
  zone: string,
  now: number,
  days: number,
): TimeSpan {
  const first = start?.trim() ? parseCalendarTime(start, "start") : undefined;
  const last = end?.trim() ? parseCalendarTime(end, "end") : undefined;
  const from = first ? toInstant(first, zone) : now;
  const to = last ? getEnd(last, zone) : first && "date" in first ? getEnd(first, zone) : from + days * DAY_MS;
  if (to > from) return { from, to };
  throw new Problem("INVALID_REQUEST", "The end is not after the start.", { details: { field: "end" } });
}

/**
 * Finds an event to change from today on by ID, URL or title. Returns the next occurrence of a recurring event.
 *
 * @throws Problem INVALID_REQUEST when none or several have the title
 */
export async function findEvent(context: ToolContext, text: string, day: string | undefined): Promise<Event> {
  const id = findEventId(text);
  if (id) return context.http.request({ path: buildEventPath(id), answer: Event, scope: EVENTS_SCOPE });
  const zone = getTimeZone(context);
  const now = context.clock.now();
  const name = parseEventName(text);
  const today = toWallTime(now, zone).slice(0, 10);
  const start = day?.trim() || today;
  const span = day?.trim()
    ? parseSpan({ start }, zone, now, 1)
    : { from: toInstant({ date: today }, zone), to: now + 366 * DAY_MS };
  const { events } = await findEvents(context, span, name, 100);
  const when = day?.trim() ? ` on ${day.trim()}` : "";
  return requireMatch(
    events.filter((event) => isPartialName(name, getTitle(event))),
    name,
    {
      purpose: "change",
      noun: "upcoming event",
      where: when,
      field: "event",
      getName: getTitle,
      format: (event) => `${quoteTitle(getTitle(event))} (${formatWhen(event, zone, now)})`,
      getKey: ({ id, recurringEventId }) => recurringEventId ?? id,
      hints: { none: "Check the title, or specify the event by its ID.", several: "Specify the day of the event." },
    },
  );
}

/** Returns the ID from an event's URL (`eid` is ID and calendar in base64), or the text itself if it is one. */
function findEventId(text: string): string | undefined {
  const trimmed = text.trim();
  const [, eid] = /^https?:\/\/\S*[?&/]eid=([\w-]+)/.exec(trimmed) ?? [];
  if (eid) return Buffer.from(eid, "base64url").toString().split(" ")[0];
  return /^(?=.*\d)[a-v0-9]{16,1024}(_\d{8}(T\d{6}Z)?)?$/.test(trimmed) ? trimmed : undefined;
}

function getEnd(when: CalendarTime, zone: string): number {
  return toInstant("date" in when ? { date: addDays(when.date, 1) } : when, zone);
}

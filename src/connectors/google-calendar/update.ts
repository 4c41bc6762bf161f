import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { quoteText, toOneLine } from "../markup/markdown.ts";
import { listGiven, narrowPlace, quoteName } from "../place.ts";
import { defineTool, withDescription } from "../tool.ts";
import {
  buildEventPath,
  describeEvent,
  EVENTS_SCOPE,
  Event,
  formatEventLine,
  formatWhen,
  getTimes,
  getTimeZone,
  parseEventName,
  toEventData,
} from "./event.ts";
import { findEvent } from "./find.ts";
import { type GoogleTime, toMovedTimes } from "./times.ts";

const UpdateInput = z.object({
  event: withDescription(z.string(), "Title, id or URL of the event. Of a recurring event, the next one is changed."),
  start: withDescription(z.optional(z.string()), "New start: a date (the time of day stays) or a time, in ISO 8601."),
  end: withDescription(z.optional(z.string()), "New end, in ISO 8601. Default: the duration stays the same."),
  title: withDescription(z.optional(z.string()), "The new title."),
  location: withDescription(z.optional(z.string()), "New location."),
  description: withDescription(z.optional(z.string()), "New description."),
  day: withDescription(z.optional(z.string()), "Current day of the event, in ISO 8601, if several have the title."),
});
type UpdateInput = z.output<typeof UpdateInput>;

/** Source: Calendar API v3, PATCH /calendar/v3/calendars/{calendarId}/events/{eventId}. */
export const updateEventTool = defineTool({
  name: "google-calendar.update_event",
  description:
    "Move an event or meeting of the user's Google Calendar to another time, or change its title, location or description.",
  access: "write",
  input: UpdateInput,
  examples: [
    "move {event} to {start}",
    "move the meeting {event} to {start}",
    "move the event {event} to {start}",
    "reschedule {event} to {start}",
    "move my {event} on {day} to {start}",
    "reschedule the meeting {event} to {start}",
    "rename the event {event} to {title}",
    "change the title of the event {event} to {title}",
    "change the location of the event {event} to {location}",
  ],
  summary: describeCall,
  resource: () => "in your calendar",
  object: ({ event, day, ...changes }) =>
    narrowPlace(quoteName(event), [...(day ? [day.trim()] : []), ...listGiven(changes)].join(", ")),
  placeIsTarget: true,
  describeTarget: async ({ event, day }, context) => describeEvent(await findEvent(context, event, day), context),
  async run(input, context) {
    const zone = getTimeZone(context);
    const now = context.clock.now();
    const oldEvent = await findEvent(context, input.event, input.day);
    const moved = input.start?.trim() || input.end?.trim() ? toMovedTimes(getTimes(oldEvent), input, zone) : undefined;
    const body = {
      ...(moved ? { start: withoutOtherKind(moved.start), end: withoutOtherKind(moved.end) } : {}),
      ...(input.title?.trim() ? { summary: input.title.trim() } : {}),
      ...(input.location === undefined ? {} : { location: input.location.trim() }),
      ...(input.description === undefined ? {} : { description: input.description.trim() }),
    };
    if (Object.keys(body).length === 0) {
      throw new Problem("INVALID_REQUEST", "A change to the event is required.", {
        hint: "Specify a new time, title, location or description.",
      });
    }
    const event = await context.http.request({
      method: "PATCH",
      path: buildEventPath(oldEvent.id),
      query: { sendUpdates: "all" },
      body,
      answer: Event,
      scope: EVENTS_SCOPE,
    });
    const oldTime = moved ? ` (it was ${formatWhen(oldEvent, zone, now)})` : "";
    const url = event.htmlLink ?? undefined;
    const words = `${moved ? "Moved" : "Changed"} ${formatEventLine(event, zone, now)}${oldTime}.`;
    return { data: toEventData(event, zone), text: url ? `${words}\n\n${url}` : words, url };
  },
});

/** Clears the other kind of time. A PATCH keeps fields that it does not contain. */
function withoutOtherKind(time: GoogleTime): Record<string, string | null> {
  return "date" in time ? { ...time, dateTime: null, timeZone: null } : { ...time, date: null };
}

function describeCall(input: UpdateInput): string {
  const [start, end] = [input.start?.trim(), input.end?.trim()];
  const changes = [
    start ? `move it to ${start}${end ? ` until ${end}` : ""}` : end ? `let it end ${end}` : "",
    input.title?.trim() ? `call it “${toOneLine(input.title)}”` : "",
    input.location === undefined ? "" : `place “${toOneLine(input.location)}”`,
    input.description === undefined ? "" : `text ${quoteText(input.description, 200)}`,
  ].filter(Boolean);
  const day = input.day?.trim() ? ` of ${input.day.trim()}` : "";
  return `Change the event “${toOneLine(parseEventName(input.event))}”${day}: ${changes.join(", ") || "nothing"} (guests are notified)`;
}

const DeleteInput = z.object({
  event: withDescription(
    z.string(),
    "Title, id or URL of the event. Of a recurring event, only the next one is deleted.",
  ),
  day: withDescription(z.optional(z.string()), "Day of the event, in ISO 8601, if several have the title."),
});

/** Source: Calendar API v3, DELETE /calendar/v3/calendars/{calendarId}/events/{eventId}; returns 204. */
export const deleteEventTool = defineTool({
  name: "google-calendar.delete_event",
  description: "Delete or cancel an event or meeting of the user's Google Calendar.",
  access: "destructive",
  input: DeleteInput,
  examples: [
    "delete the event {event}",
    "delete the meeting {event}",
    "cancel {event}",
    "cancel the meeting {event}",
    "cancel the meeting {event} on {day}",
    "remove {event} from my calendar",
  ],
  summary: ({ event, day }) =>
    `Delete the event “${toOneLine(parseEventName(event))}”${day?.trim() ? ` of ${day.trim()}` : ""} (guests are notified)`,
  resource: () => "in your calendar",
  describeTarget: async ({ event, day }, context) => describeEvent(await findEvent(context, event, day), context),
  async run(input, context) {
    const event = await findEvent(context, input.event, input.day);
    await context.http.request({
      method: "DELETE",
      path: buildEventPath(event.id),
      query: { sendUpdates: "all" },
      answer: z.unknown(),
      scope: EVENTS_SCOPE,
    });
    const zone = getTimeZone(context);
    const text = `Deleted ${formatEventLine(event, zone, context.clock.now())}.`;
    return {
      data: { ...toEventData(event, zone), deleted: true },
      text,
      url: `${context.http.endpoints.web}/calendar/r`,
    };
  },
});

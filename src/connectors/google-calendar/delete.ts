import * as z from "zod/mini";
import { toOneLine } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import {
  buildEventPath,
  describeEvent,
  EVENTS_SCOPE,
  formatEventLine,
  getTimeZone,
  parseEventName,
  toEventData,
} from "./event.ts";
import { findEvent } from "./find.ts";

const Input = z.object({
  event: withDescription(
    z.string(),
    "Title, id or URL of the event. Of a recurring event, only the next one is deleted.",
  ),
  day: withDescription(z.optional(z.string()), "Day of the event, in ISO 8601, if several have the title."),
});
type Input = z.output<typeof Input>;

/** Source: Calendar API v3, DELETE /calendar/v3/calendars/{calendarId}/events/{eventId}; returns 204. */
export const deleteEventTool = defineTool({
  name: "google-calendar.delete_event",
  description: "Delete or cancel an event or meeting of the user's Google Calendar.",
  access: "destructive",
  input: Input,
  examples: [
    "delete the event {event}",
    "delete the meeting {event}",
    "cancel {event}",
    "cancel the meeting {event}",
    "cancel the meeting {event} on {day}",
    "remove {event} from my calendar",
  ],
  summary: ({ event, day }: Input) =>
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

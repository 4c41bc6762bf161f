import * as z from "zod/mini";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell, formatNoun } from "../markup/markdown.ts";
import { withDescription } from "../tool.ts";
import { formatEventTable, getTimeZone, toEventData } from "./event.ts";
import { findEvents, parseSpan } from "./find.ts";

const Input = z.object({
  start: withDescription(
    z.optional(z.string()),
    "First day or time, ISO 8601. Default: now. A date without a time means the whole day.",
  ),
  end: withDescription(
    z.optional(z.string()),
    "Last day or time, ISO 8601, inclusive. Default without a start: one week later.",
  ),
  text: withDescription(z.optional(z.string()), "Words in the title, location or description of the events."),
});
type Input = z.output<typeof Input>;

/** Days to look ahead: a week, or a year for a text search. */
const [WEEK, YEAR] = [7, 366];

/** Source: Calendar API v3, GET /calendar/v3/calendars/{calendarId}/events. */
export const listEventsTool = defineListTool({
  name: "google-calendar.list_events",
  description: "List or find events, meetings and appointments of the user's Google Calendar.",
  input: Input,
  limit: { usual: 25, most: 250 },
  examples: [
    "what is on my calendar",
    "what's on my calendar {start}",
    "show my calendar for {start}",
    "list my events from {start} to {end}",
    "which meetings do I have {start}",
    "what meetings do I have {start}",
    "what is my next meeting",
    "show my agenda for {start}",
    "find the event about {text}",
    "find meetings about {text}",
    "when is the meeting about {text}",
    "when is the next {text}",
    "when is my next {text}",
    "who is coming to {text} {start}",
    "who is invited to {text} {start}",
  ],
  summary: (input) => `List the events of my calendar${describeList(input)}`,
  async run(input, context, list) {
    const zone = getTimeZone(context);
    const now = context.clock.now();
    const span = parseSpan(input, zone, now, input.text?.trim() ? YEAR : WEEK);
    const { events, more } = await findEvents(context, span, input.text, list);
    const words = `${formatNoun(events.length, "event")} ${escapeCell(describeList(input))}`;
    const items = () => formatEventTable(events, zone, now);
    const text = formatList(list, { count: events.length, words, more, note: ` (${zone})`, items });
    const data = { events: events.map((event) => toEventData(event, zone)), time_zone: zone, more };
    return { data, text, url: `${context.http.endpoints.web}/calendar/r` };
  },
});

function describeList({ start, end, text }: Input): string {
  const about = text?.trim() ? ` about “${text.trim()}”` : "";
  const [from, to] = [start?.trim(), end?.trim()];
  if (from && to) return `${about} from ${from} to ${to}`;
  if (from) return `${about} ${/^\d{4}-\d\d-\d\d$/.test(from) ? "on" : "from"} ${from}`;
  return to ? `${about} until ${to}` : `${about || " in the next 7 days"}`;
}

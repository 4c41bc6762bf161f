import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { getOwnAddress } from "../google/oauth.ts";
import { isMe } from "../input-text.ts";
import { escapeCell } from "../markup/markdown.ts";
import { formatTimeRange, toWallTime } from "../time.ts";
import { defineTool, withDescription } from "../tool.ts";
import { getTimeZone } from "./event.ts";
import { parseSpan, type TimeSpan } from "./find.ts";

const Input = z.object({
  person: withDescription(
    z.optional(z.string()),
    '"me" (default), or the email address of a user, such as sam@example.com.',
  ),
  start: withDescription(
    z.optional(z.string()),
    "First day or time, ISO 8601. Default: now. A date without a time means the whole day.",
  ),
  end: withDescription(
    z.optional(z.string()),
    "Last day or time, ISO 8601, inclusive. Default without a start: one day later.",
  ),
});

const Answer = z.looseObject({
  calendars: z.record(
    z.string(),
    z.looseObject({
      busy: z.nullish(z.array(z.looseObject({ start: z.string(), end: z.string() }))),
      errors: z.nullish(z.array(z.looseObject({ reason: z.nullish(z.string()) }))),
    }),
  ),
});

/** Source: Calendar API v3, POST /calendar/v3/freeBusy, which is read-only. */
export const findFreeTimeTool = defineTool({
  name: "google-calendar.free_busy",
  description: "Show when a person is busy and free, according to Google Calendar.",
  access: "read",
  input: Input,
  examples: [
    "when am I free {start}",
    "when is {person} free {start}",
    "am I free {start}",
    "is {person} free {start}",
    "am I busy {start}",
    "is {person} busy {start}",
    "when is {person} available {start}",
    "is {person} free on {start}",
    "do I have time {start}",
  ],
  summary: (input) => `Check when ${isOwn(input.person) ? "I am" : `${escapeCell(input.person ?? "")} is`} free`,
  async run(input, context) {
    const zone = getTimeZone(context);
    const span = parseSpan(input, zone, context.clock.now(), 1);
    const id = isOwn(input.person) ? getOwnAddress(context.metadata) || "primary" : getAddress(input.person ?? "");
    const { calendars } = await context.http.request({
      method: "POST",
      path: "/calendar/v3/freeBusy",
      body: {
        timeMin: new Date(span.from).toISOString(),
        timeMax: new Date(span.to).toISOString(),
        timeZone: zone,
        items: [{ id }],
      },
      answer: Answer,
      reads: true,
      scope: "calendar.readonly",
    });
    const calendar = calendars[id] ?? Object.values(calendars)[0];
    if (!calendar || (calendar.errors?.length ?? 0) > 0) {
      throw new Problem("SERVICE_FAILED", `This account has no access to the calendar of ${id}.`, {
        hint: "Check the address, or ask the owner to share their availability.",
      });
    }
    const busy = mergeSpans(
      (calendar.busy ?? []).map(({ start, end }) => ({ from: Date.parse(start), to: Date.parse(end) })),
      span,
    );
    const free = findGaps(busy, span);
    const year = Number(toWallTime(context.clock.now(), zone).slice(0, 4));
    const formatSpan = ({ from, to }: TimeSpan) => formatTimeRange(from, to, zone, year);
    const toIsoSpan = ({ from, to }: TimeSpan) => ({ start: toWallTime(from, zone), end: toWallTime(to, zone) });
    const formatSpans = (spans: TimeSpan[]) => spans.map((span) => `- ${formatSpan(span)}`).join("\n") || "- never";
    const who = isOwn(input.person) ? "You" : escapeCell(id);
    const text = `${who}, ${formatSpan(span)} (${zone})\n\nBusy:\n\n${formatSpans(busy)}\n\nFree:\n\n${formatSpans(free)}`;
    return { data: { person: id, busy: busy.map(toIsoSpan), free: free.map(toIsoSpan), time_zone: zone }, text };
  },
});

/** Sorts spans, clips them to `within`, and merges those that touch. */
function mergeSpans(spans: TimeSpan[], within: TimeSpan): TimeSpan[] {
  const result: TimeSpan[] = [];
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    const span = { from: Math.max(from, within.from), to: Math.min(to, within.to) };
    const last = result.at(-1);
    if (span.to <= span.from) continue;
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else result.push(span);
  }
  return result;
}

function findGaps(busy: TimeSpan[], within: TimeSpan): TimeSpan[] {
  const edges = [within.from, ...busy.flatMap(({ from, to }) => [from, to]), within.to];
  const spans = edges.flatMap((from, index) => (index % 2 === 0 ? [{ from, to: edges[index + 1] ?? from }] : []));
  return spans.filter(({ from, to }) => to > from);
}

/** Without a person, the tool is about the user. */
function isOwn(person: string | undefined): boolean {
  return !person?.trim() || isMe(person);
}

function getAddress(person: string): string {
  const text = person.trim();
  if (/^[^\s@<>]+@[^\s@<>]+$/.test(text)) return text;
  throw new Problem("INVALID_REQUEST", `“${text}” is not an email address.`, {
    hint: "Specify the user by email address.",
    details: { field: "person" },
  });
}

import type { ScheduleView } from "#protocol/schedules";
import { createIdShortener } from "#protocol/short-id";
import type { Choice } from "#ui/picker/picker";
import { formatLocalTime } from "#ui/text/local-time";
import { formatStatus, toLine } from "#ui/text/words";
import { getAskChoices } from "../../ask/choices.ts";
import type { Kay } from "../../kay.ts";

/** How long the list shows missed runs, in ms: a week. */
const MISSED_MS = 7 * 24 * 60 * 60_000;

export const NO_SCHEDULES_TEXT = 'No schedules. Add one: kay every weekday 9:00 "what is open in KAY"';

export const SCHEDULE_COLUMNS = ["ID", "WHEN", "NEXT", "LAST", "MISSED", "WHAT"];

/** Formats schedules as rows of {@link SCHEDULE_COLUMNS}. */
export function toScheduleRows(kay: Kay, all: ScheduleView[]): string[][] {
  const shorten = createIdShortener(all.map(({ id }) => id));
  return all.map((schedule) => [
    toLine(shorten(schedule.id)),
    formatWhen(kay, schedule),
    schedule.paused ? "paused" : formatNext(schedule),
    schedule.last_run ? formatStatus(schedule.last_run.status) || "deleted" : "",
    findMissed(kay, schedule) ? String(schedule.missed?.count) : "",
    toLine(schedule.prompt),
  ]);
}

/** Returns a sentence for each schedule that missed runs in the last week. */
export function listMissedLines(kay: Kay, all: ScheduleView[]): string[] {
  const shorten = createIdShortener(all.map(({ id }) => id));
  return all.flatMap((schedule) => {
    const missed = findMissed(kay, schedule);
    if (!missed) return [];
    const runs = missed.count === 1 ? "1 run" : `${missed.count} runs`;
    const since = formatLocalTime(missed.since, schedule.time_zone);
    return [`${toLine(shorten(schedule.id))} missed ${runs} since ${since}: ${REASONS[missed.reason]}.`];
  });
}

function findMissed(kay: Kay, { missed }: ScheduleView): ScheduleView["missed"] {
  return missed && Date.parse(missed.until) > kay.clock.now() - MISSED_MS ? missed : undefined;
}

const REASONS = {
  backend_off: "the backend was off",
  signed_out: "you were signed out",
  still_running: "the previous run had not ended",
};

/** Formats the time, with its time zone if that is not the system's. */
function formatWhen(kay: Kay, { timing, time_zone }: ScheduleView): string {
  const isElsewhere = timing.includes(":") && time_zone !== getAskChoices(kay).time_zone;
  return toLine(isElsewhere ? `${timing} ${time_zone}` : timing);
}

/** Formats the next time in the zone of the schedule. */
export function formatNext({ next_at, time_zone }: ScheduleView): string {
  return next_at === null ? "never" : formatLocalTime(next_at, time_zone);
}

/** Converts schedules to choices. */
export function toScheduleChoices(kay: Kay, all: ScheduleView[]): Choice[] {
  return toScheduleRows(kay, all).map(([id = "", when = "", next = "", , , prompt = ""], index) => ({
    value: all[index]?.id ?? "",
    label: prompt,
    note: [id, when, next].join(" · "),
  }));
}

import { Problem } from "#protocol/errors";
import type { ScheduleView } from "#protocol/schedules";
import { toLine } from "#ui/text/words";
import { showBackground } from "../../ask/background.ts";
import { findById } from "../../backend/find-by-id.ts";
import type { BackendHandle } from "../../backend/handle.ts";
import type { Kay } from "../../kay.ts";
import { canPick, missingArgumentProblem, pickOne } from "../../prompt/pick.ts";
import {
  formatNext,
  listMissedLines,
  NO_SCHEDULES_TEXT,
  SCHEDULE_COLUMNS,
  toScheduleChoices,
  toScheduleRows,
} from "./list.ts";

/** Runs `kay every list`. */
export async function listSchedules(kay: Kay): Promise<void> {
  const schedules = await loadSchedules(await kay.openBackend({ signedIn: true }));
  if (kay.flags.json) return kay.out.writeJson({ schedules });
  if (schedules.length === 0) return kay.out.writeProgress(NO_SCHEDULES_TEXT);
  await kay.out.writeTable(SCHEDULE_COLUMNS, toScheduleRows(kay, schedules));
  for (const line of listMissedLines(kay, schedules)) kay.out.writeProgress(line);
}

/** Runs `kay every pause` and `kay every resume`. */
export async function pauseSchedule(kay: Kay, id: string | undefined, paused: boolean): Promise<void> {
  const target = await findSchedule(kay, id, paused ? "pause" : "resume");
  if (!target) return;
  const changed = await target.link.api.pauseSchedule(target.schedule.id, paused);
  if (kay.flags.json) return kay.out.writeJson(changed);
  kay.out.writeLine(
    paused ? `Paused ${formatSchedule(changed)}.` : `Resumed ${formatSchedule(changed)}. Next: ${formatNext(changed)}.`,
  );
}

/** Runs `kay every remove`. */
export async function removeSchedule(kay: Kay, id: string | undefined): Promise<void> {
  const target = await findSchedule(kay, id, "remove");
  if (!target) return;
  await target.link.api.removeSchedule(target.schedule.id);
  if (kay.flags.json) return kay.out.writeJson({ deleted: target.schedule.id });
  kay.out.writeLine(`Removed ${formatSchedule(target.schedule)}.`);
}

/** Runs `kay every run`: prints the conversation of the run. */
export async function runSchedule(kay: Kay, id: string | undefined): Promise<void> {
  const target = await findSchedule(kay, id, "run");
  if (target) showBackground(kay, await target.link.api.runSchedule(target.schedule.id));
}

function formatSchedule({ timing, prompt }: ScheduleView): string {
  return `“${toLine(prompt)}” (every ${toLine(timing)})`;
}

/** Finds the schedule with this ID, or lets the user choose. Returns undefined if there is none to choose. */
async function findSchedule(
  kay: Kay,
  id: string | undefined,
  action: "pause" | "resume" | "remove" | "run",
): Promise<{ link: BackendHandle; schedule: ScheduleView } | undefined> {
  if (id === undefined && !canPick(kay)) throw missingArgumentProblem("every", "schedule");
  const link = await kay.openBackend({ signedIn: true });
  const all = await loadSchedules(link);
  const open =
    action === "pause" || action === "resume"
      ? all.filter((schedule) => schedule.paused !== (action === "pause"))
      : all;
  if (id === undefined && open.length === 0) {
    kay.out.writeProgress(all.length === 0 ? NO_SCHEDULES_TEXT : `No schedule to ${action}.`);
    return undefined;
  }
  const target = id ?? (await pickOne(kay, `Which schedule do you want to ${action}?`, toScheduleChoices(kay, open)));
  const schedule = findById(target, all, ({ prompt }) => prompt);
  if (schedule) return { link, schedule };
  throw new Problem("NOT_FOUND", `No schedule has the ID ${JSON.stringify(toLine(target))}.`, {
    hint: "Run `kay every list` to list them.",
  });
}

/** Lists the schedules. @throws Problem NOT_FOUND when the backend has no schedules */
async function loadSchedules({ api }: BackendHandle): Promise<ScheduleView[]> {
  const schedules = await api.schedules();
  if (schedules) return schedules;
  throw new Problem("NOT_FOUND", "This backend has no schedules.", {
    hint: "Use the local backend: `kay config unset api-url`.",
  });
}

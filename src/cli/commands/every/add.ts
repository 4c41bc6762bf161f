import { Problem } from "#protocol/errors";
import { shortenId } from "#protocol/short-id";
import { resolveTimeZone } from "#protocol/time";
import { describeTiming, formatTiming, parseTiming } from "#protocol/timing";
import { truncateCells } from "#ui/screen/cells";
import { toLine } from "#ui/text/words";
import { type AllowOptions, checkLimitsSupported, readAllowList } from "../../ask/allow-list.ts";
import { getAskChoices, readAskChoices } from "../../ask/choices.ts";
import { readAnswerLimits } from "../../ask/output.ts";
import type { Kay } from "../../kay.ts";
import { readPipedInput } from "../../terminal/piped-input.ts";
import { isServiceInstalled } from "../serve/service.ts";
import { formatNext } from "./list.ts";

/** Options of a schedule. All but the time zone are options of `kay ask`. */
export type ScheduleOptions = Pick<AllowOptions, "allow" | "allowFile"> & {
  timezone?: string;
  model?: string;
  maxSteps?: string;
  approvalTimeout?: number;
};

/** Runs `kay every <when> "<prompt>"`. Prints the ID of the new schedule. */
export async function addSchedule(kay: Kay, words: string[], options: ScheduleOptions): Promise<void> {
  const { timing, rest } = splitWords(words);
  const request = { ...(await readAllowList(kay, options)), ...(await readAnswerLimits(kay, options)).fields };
  const zone = findTimeZone(options.timezone);
  if (zone === undefined && timing.includes(":")) checkSystemZone(kay);
  const prompt = await readPrompt(kay, rest);
  const link = await kay.openBackend({ signedIn: true });
  const features = (await link.api.capabilities())?.features ?? [];
  if (!features.includes("schedules"))
    throw new Problem("NOT_FOUND", "This backend has no schedules.", {
      hint: "Use the local backend: `kay config unset api-url`.",
    });
  const limits = { ...request, ...(await readAskChoices(kay, link)) };
  const time_zone = zone ?? limits.time_zone ?? "UTC";
  await checkLimitsSupported(link, { prompt, ...limits });
  const schedule = await link.api.addSchedule({ ...limits, timing, time_zone, prompt });
  if (kay.flags.json) return kay.out.writeJson(schedule);
  kay.out.writeLine(shortenId(schedule.id));
  const where = schedule.timing.includes(":") ? `, ${schedule.time_zone}` : "";
  kay.out.writeProgress(
    `Runs “${truncateCells(toLine(schedule.prompt), 60)}” ${describe(schedule.timing)}${toLine(where)}. Next run: ${formatNext(schedule)}.`,
  );
  if (link.embedded && !isServiceInstalled(kay))
    kay.out.writeProgress(
      "Your local backend runs it until you log out. `kay serve --install` starts it when you log in.",
    );
  else kay.out.writeProgress(`\`kay every remove ${shortenId(schedule.id)}\` removes it.`);
}

/** Describes a timing that the backend sent. A newer backend may have others. */
function describe(timing: string): string {
  try {
    return describeTiming(parseTiming(timing, "USAGE"));
  } catch {
    return `every ${toLine(timing)}`;
  }
}

/**
 * Splits the words into the timing and the prompt. Either may be quoted: before a quoted prompt, all words are the time.
 * Otherwise the time is the longest one that the words begin with.
 *
 * @throws Problem USAGE
 */
function splitWords(words: string[]): { timing: string; rest: string[] } {
  const [first = "", ...others] = words;
  const parse = (count: number) => formatTiming(parseTiming(words.slice(0, count).join(" "), "USAGE"));
  if (first.includes(" ") || others.length === 0) return { timing: parse(1), rest: others };
  if (others.at(-1)?.includes(" ")) return { timing: parse(words.length - 1), rest: words.slice(-1) };
  for (let count = Math.min(words.length, MOST_WORDS); count > 1; count--) {
    try {
      return { timing: parse(count), rest: checkStart(words.slice(count)) };
    } catch (error) {
      if (!(error instanceof Problem) || error.details.field !== "timing") throw error;
    }
  }
  return { timing: parse(1), rest: checkStart(others) };
}

/** Checks that a prompt without quotes does not begin with the rest of a time: `monday at 9 except in May`. */
function checkStart(prompt: string[]): string[] {
  const [first = ""] = prompt;
  if (!/^(and|or|but|except|not|to|until|till|between|from|starting|at|on|in)$/i.test(first)) return prompt;
  throw new Problem("USAGE", `“${first}” may belong to the time or to the prompt.`, {
    hint: 'Quote both: kay every "weekday at 9" "what is open in KAY"',
  });
}

/** The longest time in words, without quotes. */
const MOST_WORDS = 12;

/** Checks the time zone. @throws Problem USAGE */
function findTimeZone(zoneText: string | undefined): string | undefined {
  if (zoneText === undefined) return undefined;
  const zone = /^[A-Za-z]/.test(zoneText) ? resolveTimeZone(zoneText) : undefined;
  if (zone !== undefined) return zone;
  throw new Problem("USAGE", `${JSON.stringify(toLine(zoneText))} is not a time zone.`, {
    hint: "Use an IANA name such as Europe/Berlin.",
  });
}

/** Checks TZ, because an invalid one would count as UTC. @throws Problem USAGE */
function checkSystemZone(kay: Kay): void {
  const { TZ } = kay.env;
  if (!TZ?.trim() || getAskChoices(kay).time_zone !== undefined) return;
  throw new Problem("USAGE", `TZ is ${JSON.stringify(toLine(TZ))}, which is not a time zone.`, {
    hint: "Add --timezone with an IANA name such as Europe/Berlin.",
  });
}

async function readPrompt(kay: Kay, words: string[]): Promise<string> {
  const isPiped = words.length === 1 && words[0] === "-";
  const prompt = (isPiped ? await readPipedInput(kay, { patient: true }) : words.join(" ")).trim();
  if (/[\p{L}\p{N}\p{P}\p{S}]/u.test(prompt)) return prompt;
  throw new Problem("USAGE", "No prompt given.", {
    hint: 'Add a prompt: kay every weekday 9:00 "what is open in KAY"',
  });
}

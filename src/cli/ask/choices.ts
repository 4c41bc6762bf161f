import type { AskRequest } from "#protocol/ask";
import { resolveTimeZone } from "#protocol/time-zone";
import type { Kay } from "../kay.ts";

/** Returns what every request says about the user: the time zone, and the model if one was chosen here. */
export function getAskChoices({
  env,
  choices: { model },
}: Pick<Kay, "env" | "choices">): Pick<AskRequest, "time_zone" | "model"> {
  const zone = findTimeZone(env.TZ);
  return { ...(zone ? { time_zone: zone } : {}), ...(model === undefined ? {} : { model }) };
}

/** Returns the zone of TZ if that names one, else the zone of the system. `:Europe/Berlin` is a form of POSIX. */
function findTimeZone(variable: string | undefined): string | undefined {
  const named = variable?.trim().replace(/^:/, "");
  return named ? resolveTimeZone(named) : new Intl.DateTimeFormat().resolvedOptions().timeZone || undefined;
}

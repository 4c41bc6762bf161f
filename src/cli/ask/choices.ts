import type { AskRequest } from "#protocol/ask";
import { Problem } from "#protocol/errors";
import { parseApprovalTimeout, resolveTimeZone } from "#protocol/time";
import { toLine } from "#ui/text/words";
import type { BackendHandle } from "../backend/handle.ts";
import type { Kay } from "../kay.ts";

/** Returns the fields of every request: the user's time zone, and the choices made in this process. */
export function getAskChoices({
  env,
  choices: { model, approvalTimeout, plan },
}: Pick<Kay, "env" | "choices">): Pick<AskRequest, "time_zone" | "model" | "approval_timeout" | "confirm" | "plan"> {
  const zone = findTimeZone(env.TZ);
  return {
    ...(zone ? { time_zone: zone } : {}),
    ...(model === undefined ? {} : { model }),
    ...(approvalTimeout === undefined ? {} : { approval_timeout: approvalTimeout }),
    // A backend that does not know `plan` asks before every call.
    ...(plan ? { confirm: true, plan } : {}),
  };
}

/** Returns the choices of {@link getAskChoices}, and the standing instructions and defaults of this folder and profile. */
export async function readAskChoices(
  kay: Kay,
  link: BackendHandle,
): Promise<
  Pick<AskRequest, "time_zone" | "instructions" | "defaults" | "model" | "approval_timeout" | "confirm" | "plan">
> {
  const { readStandingContext } = await import("../context/standing.ts");
  return { ...getAskChoices(kay), ...(await readStandingContext(kay, link)) };
}

/** Parses `--approval-timeout` to seconds. @throws Problem USAGE */
export function parseApprovalOption(text: string): number {
  const seconds = parseApprovalTimeout(text);
  if (seconds !== undefined) return seconds;
  throw new Problem("USAGE", `${JSON.stringify(toLine(text))} is not a time between 10s and 7d.`, {
    hint: "Set --approval-timeout to a time such as 30m, 24h or 7d.",
  });
}

/** Returns the time zone in TZ if it is valid, otherwise that of the system. `:Europe/Berlin` is a POSIX form. */
function findTimeZone(variable: string | undefined): string | undefined {
  const choice = variable?.trim().replace(/^:/, "");
  return choice ? resolveTimeZone(choice) : new Intl.DateTimeFormat().resolvedOptions().timeZone || undefined;
}

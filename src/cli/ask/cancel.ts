import { quoteShellWord } from "#protocol/shell";
import { reduceView } from "#ui/view/reduce";
import type { View } from "#ui/view/view";
import type { BackendHandle } from "../backend/handle.ts";
import type { Kay } from "../kay.ts";
import { isTimedOut, timedOutProblem } from "../time-limit.ts";
import { getPartialAnswer, getReceipts } from "./document.ts";
import { takeUntilEnd } from "./follow.ts";

/** How long the backend may take to accept a cancellation, in ms. After a timeout, it also has to end the work. */
const LIMIT_MS = 2_000;
const OVER_TIME_LIMIT_MS = 5_000;

/** Returns the time for canceling and for the command to end, in ms ({@link Kay.shutdownGraceMs}). */
export function getCancelGraceMs({ flags }: Pick<Kay, "flags">): number {
  return (flags.timeout === undefined ? LIMIT_MS : OVER_TIME_LIMIT_MS) + 500;
}

/**
 * Cancels the generation at the backend after Ctrl+C or a timeout. After the terminal is closed (SIGHUP), it keeps
 * running, so that the conversation can be resumed.
 *
 * @returns the error to fail with instead of `error`; after a timeout, it reports what was done and what may continue
 */
export async function cancelGeneration(
  kay: Kay,
  link: BackendHandle,
  view: View | undefined,
  error?: unknown,
): Promise<unknown> {
  if (!view?.generation_id) return isTimedOut(kay) ? timedOutProblem(kay, UNSEEN) : error;
  const isOver = ENDED.includes(view.status ?? "");
  if (isOver) return error;
  if (kay.signal.reason === "SIGHUP") {
    // A backend without this call stops it after a while.
    await link.api.detachGeneration(view.generation_id).catch(() => {});
    return error;
  }
  const controller = new AbortController();
  const limit = kay.clock.sleep(isTimedOut(kay) ? OVER_TIME_LIMIT_MS : LIMIT_MS, controller.signal).then(
    () => undefined,
    () => undefined,
  );
  const reported = link.api.cancelGeneration(view.generation_id).then(
    () => true,
    () => false,
  );
  const heard = (await Promise.race([reported, limit])) ?? false;
  const last =
    isTimedOut(kay) && heard ? await Promise.race([toLastView(link, view, controller.signal), limit]) : undefined;
  controller.abort();
  return isTimedOut(kay) ? getEnd(kay, last ?? view, heard) : error;
}

/** Returns the view with the backend's last parts, until it has ended the generation. */
async function toLastView(link: BackendHandle, view: View, signal: AbortSignal): Promise<View> {
  let now = view;
  try {
    const parts = link.api.events(view.session_id ?? "", { after: view.last, signal });
    for await (const part of takeUntilEnd(parts, view.last)) now = reduceView(now, part);
  } catch {
    // Reports what is known by now.
  }
  return now;
}

function getEnd(kay: Kay, view: View, heard: boolean) {
  const receipts = getReceipts(view);
  const isDone = ENDED.includes(view.status ?? "");
  const outcome = isDone
    ? " and was canceled."
    : heard
      ? ", and is being canceled."
      : ". It may continue at the backend.";
  const look = `\`kay sessions show ${quoteShellWord(view.session_id ?? "latest")}\` shows what was done.`;
  const mayHaveWritten = !isDone || receipts.some(({ effect }) => WRITTEN.has(effect));
  return timedOutProblem(kay, {
    what: outcome,
    details: getPartialAnswer(view),
    mayHaveWritten,
    ...(mayHaveWritten ? { hint: look } : {}),
  });
}

const ENDED = ["completed", "cancelled", "error"];

/** Effects of writes that changed or may have changed something. */
const WRITTEN = new Set(["sent", "settled", "unknown"]);

const UNSEEN = {
  what: ", before the backend reported anything.",
  hint: "Run `kay sessions show latest` to see whether it started.",
  mayHaveWritten: true,
};

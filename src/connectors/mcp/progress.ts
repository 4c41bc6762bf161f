import type { Progress } from "@modelcontextprotocol/client";
import { cleanLine } from "#protocol/clean";

/**
 * Minimum time between two progress lines in ms, and their maximum number per call. A server may report as often as it
 * likes.
 */
const PAUSE_MS = 500;
const MAX_LINES = 200;

/** Passes a server's progress on to the user, at most one line per interval. */
export function createProgressReporter(tell: (words: string) => void): {
  heard(progress: Progress): void;
  end(): void;
} {
  let last = "";
  let next = "";
  let count = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const say = () => {
    timer = undefined;
    if (next === "" || next === last || count === MAX_LINES) return;
    last = next;
    count++;
    tell(next);
    timer = setTimeout(say, PAUSE_MS).unref();
  };
  return {
    heard: (progress) => {
      next = formatProgress(progress);
      if (timer === undefined) say();
    },
    end: () => clearTimeout(timer),
  };
}

/** Formats progress as "reading (3 of 5)". A number without a total is omitted. */
function formatProgress({ message, progress, total }: Progress): string {
  const cleaned = message === undefined ? "" : cleanLine(message, 200);
  const part =
    total !== undefined && total > 0 && progress >= 0 && progress <= total ? formatFraction(progress, total) : "";
  return cleaned && part ? `${cleaned} (${part})` : cleaned || part;
}

function formatFraction(progress: number, total: number): string {
  const counts = Number.isSafeInteger(progress) && Number.isSafeInteger(total);
  return counts ? `${progress} of ${total}` : `${Math.floor((100 * progress) / total)} %`;
}

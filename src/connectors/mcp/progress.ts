import type { Progress } from "@modelcontextprotocol/client";
import { cleanLine } from "#protocol/clean";

/** Milliseconds between two words to a person, and how many there are in one call: a server may report as often as it likes. */
const PAUSE_MS = 500;
const MOST_TOLD = 200;

/** What a server reports of its work, as far as a person wants to hear it: the latest of each moment. */
export function createProgressReporter(tell: (words: string) => void): {
  heard(progress: Progress): void;
  end(): void;
} {
  let last = "";
  let next = "";
  let told = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const say = () => {
    timer = undefined;
    if (next === "" || next === last || told === MOST_TOLD) return;
    last = next;
    told++;
    tell(next);
    timer = setTimeout(say, PAUSE_MS).unref();
  };
  return {
    heard: (progress) => {
      next = getWords(progress);
      if (timer === undefined) say();
    },
    end: () => clearTimeout(timer),
  };
}

/** "reading (3 of 5)", as far as it says so. A number without an end tells nobody anything. */
function getWords({ message, progress, total }: Progress): string {
  const said = message === undefined ? "" : cleanLine(message, 200);
  const part = total !== undefined && total > 0 && progress >= 0 && progress <= total ? getPart(progress, total) : "";
  return said && part ? `${said} (${part})` : said || part;
}

function getPart(progress: number, total: number): string {
  const counts = Number.isSafeInteger(progress) && Number.isSafeInteger(total);
  return counts ? `${progress} of ${total}` : `${Math.floor((100 * progress) / total)} %`;
}

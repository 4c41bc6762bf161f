import { loadHighlightingForPart } from "#ui/markdown/highlight";
import type { TimedPart } from "#ui/view/reduce";
import type { Kay } from "../kay.ts";

/** Parts within this time in ms form one event, so that frequent drawing does not slow the stream. */
const GATHER_MS = 16;

/** `drop` discards parts that were not delivered yet. */
type PartBuffer = { add(part: TimedPart): void; drop(): void };

/** Delivers parts that arrive close together in one call. */
export function gatherParts(kay: Kay, flush: (parts: TimedPart[]) => void): PartBuffer {
  let parts: TimedPart[] = [];
  const add = (part: TimedPart) => {
    parts.push(part);
    if (parts.length > 1) return;
    const batch = parts;
    const load = () => Promise.all(batch.map((item) => loadHighlightingForPart(item.part)));
    const wait = kay.clock.sleep(GATHER_MS).then(load);
    void wait.then(() => {
      if (parts !== batch) return;
      parts = [];
      flush(batch);
    });
  };
  return {
    add,
    drop: () => {
      parts = [];
    },
  };
}

/** Maximum length of an answer for `/copy`, in characters. */
const MAX_ANSWER = 200_000;

/** Adds a part to the newest answer. Text that was dropped here is in the scrollback. */
export function addToAnswer(answer: string, part: TimedPart["part"]): string {
  if (part.type === "start") return "";
  if (part.type === "text-start") return answer === "" ? "" : `${answer}\n\n`;
  return part.type === "text-delta" && answer.length < MAX_ANSWER ? answer + part.delta : answer;
}

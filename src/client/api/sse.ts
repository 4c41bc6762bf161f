import { createParser } from "eventsource-parser";
import { Problem } from "#protocol/errors";

/**
 * One event of a stream. `bare` marks JSON outside any event; `cut` marks an event that may be incomplete because the
 * stream ended.
 */
export type SseEvent = { id?: string; data: string; bare?: true; cut?: true };

/** Reads bytes as they arrive. `feed` returns the complete events, `end` the rest. */
export type EventReader = { feed(bytes: Uint8Array): SseEvent[]; end(): SseEvent[] };

/** Largest event, in characters. */
const EVENT_LIMIT = 8 * 1024 * 1024;

/**
 * Creates a reader of Server-Sent Events (HTML, 9.2) for bytes that may be split anywhere. Beyond the standard, it also
 * returns a last event without a blank line, and bare JSON.
 *
 * @param origin name of the sender in errors
 * @throws Problem BAD_ANSWER when an event or a line is too long
 */
export function createEventReader(origin: string): EventReader {
  const decoder = new TextDecoder();
  const plain = createLineNormalizer();
  let events: SseEvent[] = [];
  // Start and length of the incomplete line.
  let head = "";
  let length = 0;
  const bareJson = createBareJsonCollector((data) => events.push({ data, bare: true }));
  const check = (size: number) => {
    if (size > EVENT_LIMIT) throw new Problem("BAD_ANSWER", `${origin} sent an event larger than 8 MiB.`);
  };
  const parser = createParser({
    maxBufferSize: EVENT_LIMIT,
    onEvent: ({ id, data }) => events.push({ ...(id === undefined ? {} : { id }), data }),
    onError: ({ type }) => check(type === "max-buffer-size-exceeded" ? Number.POSITIVE_INFINITY : 0),
  });
  const parse = (text: string) => {
    parser.feed(text);
    const start = text.lastIndexOf("\n") + 1;
    if (start > 0) [head, length] = ["", 0];
    if (head.length < HEAD_LENGTH) head += text.slice(start, start + HEAD_LENGTH);
    length += text.length - start;
    check(length);
  };
  const take = (text: string) => {
    let rest = text;
    while (rest !== "") {
      const start = bareJson.size() > 0 ? 0 : findBareStart(rest, head);
      if (start !== 0) parse(start < 0 ? rest : rest.slice(0, start));
      rest = start < 0 ? "" : bareJson.collect(rest.slice(start));
      check(bareJson.size());
    }
  };
  const takeEvents = () => {
    const batch = events;
    events = [];
    return batch;
  };
  return {
    feed(bytes) {
      take(plain(decoder.decode(bytes, { stream: true })));
      return takeEvents();
    },
    end() {
      take(plain(decoder.decode()));
      bareJson.end();
      const events = takeEvents();
      parser.feed("\n\n");
      // A cut number is a wrong number, so an event that ends with an incomplete `id` is dropped.
      const partialEvents = head === "" || head.startsWith("data") ? takeEvents() : [];
      return [...events, ...partialEvents.map((event): SseEvent => ({ ...event, cut: true }))];
    },
  };
}

/** Collects lines outside any event until they form JSON or an event starts. `collect` returns the rest of the text. */
function createBareJsonCollector(onJson: (json: string) => void): {
  size(): number;
  collect(text: string): string;
  end(): void;
} {
  let lines = "";
  let line = "";
  const end = () => {
    if (lines !== "") onJson(lines);
    lines = "";
  };
  return {
    size: () => lines.length + line.length,
    collect(text) {
      const stop = text.indexOf("\n") + 1;
      line += stop === 0 ? text : text.slice(0, stop);
      if (stop === 0) return "";
      const current = line;
      line = "";
      if (lines !== "" && (current === "\n" || FIELD.test(current))) {
        end();
        return `${current}${text.slice(stop)}`;
      }
      lines += current;
      if (lines.length < BARE_LIMIT && current.trimEnd().endsWith("}") && isJson(lines)) end();
      return text.slice(stop);
    },
    end() {
      lines += line;
      line = "";
      end();
    },
  };
}

/** Longer bare JSON is parsed only at its end, to limit the cost of trying after each line. */
const BARE_LIMIT = 65_536;
/** A field of the standard, which JSON never starts with. */
const FIELD = /^(data|event|id|retry)?:/;
/** Long enough to distinguish the fields. */
const HEAD_LENGTH = 5;

/**
 * Creates a function that converts all line endings to `\n` without delay, even if `\r\n` is split between two texts.
 */
function createLineNormalizer(): (text: string) => string {
  let afterReturn = false;
  return (text) => {
    if (text === "") return text;
    const rest = afterReturn && text.startsWith("\n") ? text.slice(1) : text;
    afterReturn = text.endsWith("\r");
    return rest.includes("\r") ? rest.replaceAll(/\r\n?/g, "\n") : rest;
  };
}

/**
 * Finds the start of a line of JSON, or -1. Event lines never start with a brace. `head` is the start of the current
 * line.
 */
function findBareStart(text: string, head: string): number {
  if (head === "" && text.startsWith("{")) return 0;
  const end = text.indexOf("\n{");
  return end < 0 ? -1 : end + 1;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

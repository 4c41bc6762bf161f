import { createParser } from "eventsource-parser";
import { Problem } from "#protocol/errors";

/**
 * One event of a stream. `bare` is a line of JSON that stood there instead of an event (case H09); `cut` one that the end of the stream may
 * have cut.
 */
export type SseEvent = { id?: string; data: string; bare?: true; cut?: true };

/** Reads bytes as they come: the events that are whole by now, and at the end what is left. */
export type EventReader = { feed(bytes: Uint8Array): SseEvent[]; end(): SseEvent[] };

/** Largest event that is read, in characters: 8 Mi (case H21). */
const EVENT_LIMIT = 8 * 1024 * 1024;

/**
 * Server-Sent Events (HTML, 9.2) from bytes that may be cut anywhere: a byte order mark, all line endings at once, comments and unknown
 * fields. Beyond the standard, a last event without its blank line is given too, and bare JSON.
 *
 * @param origin for the sentence
 * @throws Problem BAD_ANSWER for an event, or a line, beyond the limit
 */
export function createEventReader(origin: string): EventReader {
  const decoder = new TextDecoder();
  const plain = plainLineEndings();
  let events: SseEvent[] = [];
  // Of the line that is not whole yet: its beginning, and its length.
  let head = "";
  let length = 0;
  const bare = bareJson((data) => events.push({ data, bare: true }));
  const check = (size: number) => {
    if (size > EVENT_LIMIT) throw new Problem("BAD_ANSWER", `${origin} sent an event of more than 8 MiB.`);
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
      const start = bare.size() > 0 ? 0 : bareStart(rest, head);
      if (start !== 0) parse(start < 0 ? rest : rest.slice(0, start));
      rest = start < 0 ? "" : bare.collect(rest.slice(start));
      check(bare.size());
    }
  };
  const taken = () => {
    const given = events;
    events = [];
    return given;
  };
  return {
    feed(bytes) {
      take(plain(decoder.decode(bytes, { stream: true })));
      return taken();
    },
    end() {
      take(plain(decoder.decode()));
      bare.end();
      const whole = taken();
      parser.feed("\n\n");
      // A number that is cut is another number: an event whose id is the last thing that came is none.
      const cut = head === "" || head.startsWith("data") ? taken() : [];
      return [...whole, ...cut.map((event): SseEvent => ({ ...event, cut: true }))];
    },
  };
}

/** Lines that belong to no event, until they are JSON, or until a line of an event comes. `collect` gives back what is not theirs. */
function bareJson(found: (json: string) => void): { size(): number; collect(text: string): string; end(): void } {
  let lines = "";
  let line = "";
  const end = () => {
    if (lines !== "") found(lines);
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

/** Bare JSON of more characters is read at its end only, so that looking for that at each of its lines costs little. */
const BARE_LIMIT = 65_536;
/** A field of the standard, with which no JSON begins. */
const FIELD = /^(data|event|id|retry)?:/;
/** Enough to tell the fields apart. */
const HEAD_LENGTH = 5;

/** All line endings as `\n`, each as soon as it is there: the `\n` after a `\r` at the end of the text before is none of its own. */
function plainLineEndings(): (text: string) => string {
  let afterReturn = false;
  return (text) => {
    if (text === "") return text;
    const rest = afterReturn && text.startsWith("\n") ? text.slice(1) : text;
    afterReturn = text.endsWith("\r");
    return rest.includes("\r") ? rest.replaceAll(/\r\n?/g, "\n") : rest;
  };
}

/** Where a line of JSON begins, or -1. No line of an event begins with a brace. `head` is the beginning of the line before the text. */
function bareStart(text: string, head: string): number {
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

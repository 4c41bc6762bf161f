import { mapEvents } from "#net/map-events";
import { peekBody } from "#net/peek-body";
import { isRecord, type JsonRecord, tryParseJson } from "#protocol/json";

/** How the answers of one API are repaired before its SDK checks them: a wrong field would end the answer. */
export type AnswerRepair = {
  /** Returns the events to read instead of one. */
  repairEvent(event: JsonRecord): JsonRecord[];
  /** Returns the events of an answer that came whole, because the server ignores `stream`. */
  splitAnswer(answer: JsonRecord): JsonRecord[];
};

/**
 * Adds the repair to a fetch function. Drops keepalives that are sent as data, and an event that the end of the stream
 * cut. Such a stream ends without a reason, which is reported later.
 */
export function createRepairFetch(fetch: typeof globalThis.fetch, create: () => AnswerRepair): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (!response.ok) return response;
    if (!response.body) return new Response("", { headers: { "content-type": "text/event-stream" } });
    const { repairEvent, splitAnswer } = create();
    const headers = new Headers(response.headers);
    headers.delete("content-length");
    headers.delete("content-encoding");
    headers.set("content-type", "text/event-stream");
    const { start, whole } = await peekBody(response.body as ReadableStream<Uint8Array<ArrayBuffer>>);
    if (!/^\uFEFF?\s*[[{]/.test(start)) {
      const events = whole.pipeThrough(mapEvents((data, isCut, name) => repairData(data, isCut, name, repairEvent)));
      return new Response(events, { status: response.status, headers });
    }
    const answers = parseValues(await new Response(whole).text());
    const data = [...answers.flatMap(splitAnswer).map((event) => JSON.stringify(event)), DONE];
    return new Response(data.map((event) => `data: ${event}\n\n`).join(""), { status: response.status, headers });
  };
}

/** Reads the objects of a body of JSON: one, a list, or one in each line. */
function parseValues(text: string): JsonRecord[] {
  const value = parseEvent(text);
  return (value === undefined ? text.split("\n").map(parseEvent) : [value]).flat().filter(isRecord);
}

const DONE = "[DONE]";

function repairData(data: string, isCut: boolean, name: string | undefined, repair: AnswerRepair["repairEvent"]) {
  const text = data.trim();
  if (/^\[done\]$/i.test(text)) return [DONE];
  if (!/^[[{]/.test(text)) {
    // A gateway may report an error as text (or as a text of JSON). Other text is a keepalive.
    const error = tryParseJson(text) ?? text;
    return name === "error" && error ? repair({ error: String(error) }).map((event) => JSON.stringify(event)) : [];
  }
  const events = [parseEvent(text)].flat().filter(isRecord);
  if (events.length > 0) return events.flatMap(repair).map((event) => JSON.stringify(event));
  return isCut ? [] : [text];
}

/** Parses an event. Python servers write numbers that JSON does not have. */
function parseEvent(text: string): unknown {
  return tryParseJson(text) ?? tryParseJson(text.replace(/([:[,] ?)-?(?:NaN|Infinity)(?= ?[,}\]])/g, "$1null"));
}

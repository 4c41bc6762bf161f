import { mapEvents } from "#net/map-events";
import { isRecord, type JsonRecord, tryParseJson } from "#protocol/parse-json";

/** How the answers of one API are repaired before its SDK checks them: a wrong field would end the answer. */
export type AnswerRepair = {
  /** Returns the events to read instead of one. */
  repairEvent(event: JsonRecord): JsonRecord[];
  /** Returns the events of an answer that came whole, because the server ignores `stream`. */
  splitAnswer(answer: JsonRecord): JsonRecord[];
};

/**
 * Adds the repair to a fetch function. Keepalives that are sent as data are dropped, and so is an event that the end of
 * the stream cut: its end has no reason then, which is reported.
 */
export function createRepairFetch(fetch: typeof globalThis.fetch, create: () => AnswerRepair): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (!response.ok || !response.body) return response;
    const { repairEvent, splitAnswer } = create();
    const headers = new Headers(response.headers);
    headers.delete("content-length");
    headers.delete("content-encoding");
    const type = headers.get("content-type") ?? "";
    if (!/^application\/json\b/i.test(type)) {
      const events = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(
        mapEvents((data, isCut) => repairData(data, isCut, repairEvent)),
      );
      return new Response(events, { status: response.status, headers });
    }
    const text = await response.text();
    const answer = parseLoose(text);
    headers.set("content-type", "text/event-stream");
    const events = isRecord(answer) ? splitAnswer(answer) : [];
    const data = [...events.map((event) => JSON.stringify(event)), DONE];
    return new Response(data.map((each) => `data: ${each}\n\n`).join(""), { status: response.status, headers });
  };
}

const DONE = "[DONE]";

function repairData(data: string, isCut: boolean, repair: AnswerRepair["repairEvent"]): string[] {
  const text = data.trim();
  if (/^\[done\]$/i.test(text)) return [DONE];
  if (!text.startsWith("{")) return [];
  const event = parseLoose(text);
  if (isRecord(event)) return repair(event).map((each) => JSON.stringify(each));
  return isCut ? [] : [text];
}

/** Python servers write numbers that JSON does not have. */
function parseLoose(text: string): unknown {
  return tryParseJson(text) ?? tryParseJson(text.replace(/([:[,] ?)-?(?:NaN|Infinity)(?= ?[,}\]])/g, "$1null"));
}

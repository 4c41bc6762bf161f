import { mapEvents } from "#net/map-events";
import { peekBody } from "#net/peek-body";
import { parseMessage } from "./message.ts";
import type { MessageRepair } from "./repair.ts";

/**
 * Repairs the messages in a successful response, before the library checks them: a JSON body or a stream of events,
 * whichever its type says. Any other response stays as it is.
 *
 * @param id the message that the response is to, if any
 */
export async function repairResponse(response: Response, repair: MessageRepair, id?: unknown): Promise<Response> {
  const type = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (!response.body) return response;
  if (!response.ok) return copyResponse(response, hideInBody(response.body as ReadableStream<Uint8Array>, repair), "");
  const body = response.body as ReadableStream<Uint8Array<ArrayBuffer>>;
  if (type === EVENTS) {
    const { start, whole } = id === undefined ? { start: "", whole: body } : await peekBody(body);
    if (!JSON_START.test(start)) return toEventResponse(response, whole, repair, id);
    return toJsonResponse(response, await new Response(whole).text(), repair, id);
  }
  if (type !== JSON_TYPE && !UNSPECIFIC.has(type)) return response;
  const text = await response.text();
  if (/^\uFEFF?(?:event|data|id|retry)?:/.test(text))
    return toEventResponse(response, new Response(text).body ?? body, repair, id);
  const isMessage = type === JSON_TYPE || (JSON_START.test(text) && text.includes('"jsonrpc"'));
  return isMessage
    ? toJsonResponse(response, text, repair, id)
    : copyResponse(response, repair.hideSecrets(text), type);
}

const JSON_TYPE = "application/json";
const EVENTS = "text/event-stream";
const JSON_START = /^\uFEFF?\s*[[{]/;

/** Types under which some servers send JSON or events. */
const UNSPECIFIC = new Set([
  "",
  "text/plain",
  "text/html",
  "application/octet-stream",
  "application/json-rpc",
  "text/json",
]);

/** Event names with a meaning: the first event of the older transport. */
const EVENT_NAMES = new Set(["endpoint"]);

function toEventResponse(response: Response, body: ReadableStream, repair: MessageRepair, id: unknown): Response {
  const events = mapEvents((data, isCut) => {
    const text = repairText(data, repair, id);
    return isCut && !JSON_START.test(text) ? [] : [text];
  }, EVENT_NAMES);
  return copyResponse(response, body.pipeThrough(events), EVENTS);
}

function toJsonResponse(response: Response, text: string, repair: MessageRepair, id: unknown): Response {
  return copyResponse(response, repairText(text, repair, id), JSON_TYPE);
}

/** Repairs a text of JSON. Anything else stays as it is, and the library reports it. */
function repairText(body: string, repair: MessageRepair, id: unknown): string {
  const text = repair.hideSecrets(body);
  try {
    return JSON.stringify(repair.repairMessages(parseMessage(text), id));
  } catch {
    return text;
  }
}

/** Hides secrets in the body of an error once it is whole. */
function hideInBody(body: ReadableStream<Uint8Array>, repair: MessageRepair): ReadableStream {
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
  let text = "";
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk) {
        text += decoder.decode(chunk, { stream: true });
      },
      flush(controller) {
        controller.enqueue(encoder.encode(repair.hideSecrets(text + decoder.decode())));
      },
    }),
  );
}

function copyResponse(
  { status, statusText, headers }: Response,
  body: string | ReadableStream,
  type: string,
): Response {
  const copied = new Headers(headers);
  copied.delete("content-length");
  copied.delete("content-encoding");
  if (type !== "") copied.set("content-type", type);
  return new Response(body, { status, statusText, headers: copied });
}

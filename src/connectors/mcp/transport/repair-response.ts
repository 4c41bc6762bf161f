import { mapEvents } from "#net/map-events";
import { parseMessage } from "./message.ts";
import type { MessageRepair } from "./repair.ts";

/**
 * Repairs the messages in a successful response, before the library checks them: a JSON body or a stream of events. Any
 * other response stays as it is.
 */
export async function repairResponse(response: Response, repair: MessageRepair): Promise<Response> {
  const type = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (!response.ok || !response.body) return response;
  if (type === undefined || UNSPECIFIC.has(type)) return await readUnspecific(response, repair);
  if (type === "application/json") return copyResponse(response, repairText(await response.text(), repair));
  if (type !== "text/event-stream") return response;
  const events = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(
    mapEvents((data, isCut) => (isCut ? [] : [repairText(data, repair)])),
  );
  return copyResponse(response, events);
}

/** Types under which some servers send JSON. */
const UNSPECIFIC = new Set(["", "text/plain", "application/octet-stream", "application/json-rpc", "text/json"]);

/** Takes a body without a telling type as JSON if it is a protocol message. */
async function readUnspecific(response: Response, repair: MessageRepair): Promise<Response> {
  const text = await response.text();
  if (!/^\uFEFF?\s*[[{]/.test(text) || !text.includes('"jsonrpc"')) return copyResponse(response, text);
  const repaired = copyResponse(response, repairText(text, repair));
  repaired.headers.set("content-type", "application/json");
  return repaired;
}

/** Repairs a text of JSON. Anything else is left to the library, which words what is wrong with it. */
function repairText(text: string, repair: MessageRepair): string {
  try {
    return JSON.stringify(repair.repairMessages(parseMessage(text)));
  } catch {
    return text;
  }
}

function copyResponse({ status, statusText, headers }: Response, body: string | ReadableStream): Response {
  const copied = new Headers(headers);
  copied.delete("content-length");
  copied.delete("content-encoding");
  return new Response(body, { status, statusText, headers: copied });
}

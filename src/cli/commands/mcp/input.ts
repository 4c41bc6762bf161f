import { isRecord, toRecord, tryParseJson } from "#protocol/json";

/** Longest message of the host in characters. The library ends the connection at 10 MB. */
const MAX_MESSAGE_LENGTH = 8 * 1024 * 1024;

/** Codes of JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR_CODE = -32_700;
const INVALID_REQUEST_CODE = -32_600;

/** An error that answers what was no request. `id` is that of the message, if it has one. */
export type InputError = { jsonrpc: "2.0"; id: string | number | null; error: { code: number; message: string } };

/**
 * Reads the lines of a host and yields its messages, each as a line. Splits batches, which the library does not know.
 * The last line may lack its end. What is no message is answered with `onError`, so that the host does not wait for it.
 */
export async function* readHostMessages(
  chunks: AsyncIterable<Uint8Array>,
  onError: (error: InputError) => void,
): AsyncGenerator<string> {
  // It drops a byte-order mark at the start.
  const decoder = new TextDecoder();
  let line = "";
  let isTooLong = false;
  const take = function* () {
    if (isTooLong) onError(toError(null, INVALID_REQUEST_CODE, "The message is longer than 8 MiB."));
    else yield* readLine(line.trim(), onError);
    line = "";
    isTooLong = false;
  };
  for await (const chunk of chunks) {
    for (const [index, piece] of decoder.decode(chunk, { stream: true }).split("\n").entries()) {
      if (index > 0) yield* take();
      isTooLong ||= line.length + piece.length > MAX_MESSAGE_LENGTH;
      line = isTooLong ? "" : line + piece;
    }
  }
  yield* take();
}

function* readLine(line: string, onError: (error: InputError) => void): Generator<string> {
  if (line === "") return;
  const value = tryParseJson(line);
  if (value === undefined) return onError(toError(null, PARSE_ERROR_CODE, "The line is not JSON."));
  const messages = Array.isArray(value) && value.length > 0 ? value : [value];
  for (const message of messages) {
    if (isMessage(message)) yield `${messages.length === 1 && message === value ? line : JSON.stringify(message)}\n`;
    else onError(toError(toRecord(message).id, INVALID_REQUEST_CODE, "The message is not a JSON-RPC 2.0 message."));
  }
}

function isMessage(message: unknown): boolean {
  if (!isRecord(message) || message.jsonrpc !== "2.0") return false;
  const { id, method, params } = message;
  const hasId = typeof id === "string" || Number.isSafeInteger(id);
  if (typeof method !== "string") return hasId && (isRecord(message.result) || isRecord(message.error));
  return (hasId || id === undefined) && (params === undefined || isRecord(params));
}

function toError(id: unknown, code: number, message: string): InputError {
  return { jsonrpc: "2.0", id: typeof id === "string" || typeof id === "number" ? id : null, error: { code, message } };
}

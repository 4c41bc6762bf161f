import { isRecord, type JsonRecord } from "#protocol/json";
import type { AnswerRepair } from "./repair-fetch.ts";

/**
 * Creates the repair of Anthropic's Messages API, which other vendors offer too. Events and blocks that kay does not know
 * are left out, as the API asks of its clients; missing starts and ends of blocks are added.
 */
export function createMessagesRepair(): AnswerRepair {
  const openBlocks = new Set<unknown>();
  const start = (index: unknown, block: JsonRecord): JsonRecord => {
    openBlocks.add(index);
    return { type: "content_block_start", index, content_block: block };
  };
  const stop = (index: unknown): JsonRecord[] =>
    openBlocks.delete(index) ? [{ type: "content_block_stop", index }] : [];
  const repairEvent = (event: JsonRecord): JsonRecord[] => {
    const { type, index = 0, message, usage } = event;
    const delta = repairDelta(event.delta);
    const block = isRecord(event.content_block) ? event.content_block : {};
    switch (type) {
      case "message_start": {
        // A gateway that asked another server after the first one failed.
        if (openBlocks.size > 0)
          return [{ type: "error", error: toError("it began again in the middle of its answer") }];
        const { id, model, usage: counts } = isRecord(message) ? message : {};
        return [{ type, message: { ...pickTexts({ id, model }), usage: { input_tokens: 0, ...toUsage(counts) } } }];
      }
      case "content_block_start": {
        const empty = BLOCKS[String(block.type)];
        if (!empty) return [];
        const { text, thinking } = block;
        const piece = text ? { type: "text_delta", text } : thinking ? { type: "thinking_delta", thinking } : undefined;
        // The SDK ignores text in the start of a block.
        const fields = Object.fromEntries(Object.entries(block).filter(([, value]) => value !== null));
        const stopEvents = stop(index);
        const startEvent = start(index, piece ? { ...fields, ...empty } : { ...empty, ...fields });
        return [...stopEvents, startEvent, ...(piece ? [{ type: "content_block_delta", index, delta: piece }] : [])];
      }
      case "content_block_delta": {
        if (!isRecord(delta)) return [];
        const empty = DELTAS[String(delta.type)];
        if (empty === undefined || (empty === null && !openBlocks.has(index))) return [];
        return [...(openBlocks.has(index) ? [] : [start(index, empty as JsonRecord)]), { type, index, delta }];
      }
      case "content_block_stop":
        return stop(index);
      case "message_delta": {
        const { stop_reason, stop_sequence } = isRecord(delta) ? delta : {};
        const end = {
          type,
          delta: pickTexts({ stop_reason, stop_sequence }),
          usage: { output_tokens: 0, ...toUsage(usage) },
        };
        return [...[...openBlocks].flatMap(stop), end];
      }
      case "message_stop":
        return [event];
      default:
        return event.error ? [{ type: "error", error: toError(event.error) }] : [];
    }
  };
  const splitAnswer = (answer: JsonRecord): JsonRecord[] => {
    const { content, stop_reason, usage } = answer;
    if (!Array.isArray(content)) return repairEvent(answer);
    const events = [
      { type: "message_start", message: answer },
      ...content.filter(isRecord).flatMap((block, index) => [
        { type: "content_block_start", index, content_block: block },
        { type: "content_block_stop", index },
      ]),
      { type: "message_delta", delta: { stop_reason }, usage },
      { type: "message_stop" },
    ];
    return events.flatMap(repairEvent);
  };
  return { repairEvent, splitAnswer };
}

/** The blocks that an answer to kay can have, with the fields that some servers leave out. */
const BLOCKS: Record<string, JsonRecord> = {
  text: { text: "" },
  thinking: { thinking: "" },
  redacted_thinking: { data: "" },
  tool_use: { input: {} },
};

/** The pieces of blocks, and the block that a piece without a started one belongs to. */
const DELTAS: Record<string, JsonRecord | null> = {
  text_delta: { type: "text", text: "" },
  thinking_delta: { type: "thinking", thinking: "" },
  signature_delta: null,
  input_json_delta: null,
};

/** A server may send a whole input as an object. */
function repairDelta(delta: unknown): unknown {
  if (!isRecord(delta) || !isRecord(delta.partial_json)) return delta;
  return { ...delta, partial_json: JSON.stringify(delta.partial_json) };
}

function toError(error: unknown): JsonRecord {
  const { type, message } = isRecord(error) ? error : { type: undefined, message: error };
  return { type: String(type ?? "api_error"), message: typeof message === "string" ? message : JSON.stringify(error) };
}

function toUsage(usage: unknown): JsonRecord {
  return Object.fromEntries(
    Object.entries(isRecord(usage) ? usage : {}).filter(([, value]) => typeof value === "number"),
  );
}

function pickTexts(fields: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === "string"));
}

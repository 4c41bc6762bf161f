import { isRecord, type JsonRecord } from "#protocol/json";
import type { AnswerRepair } from "./repair-fetch.ts";

/** An output item of an answer, and the text of it that has arrived. */
type Item = { type: string; id: string; callId: string; name: string; index: number; given: string; isDone: boolean };

/**
 * Creates the repair of OpenAI's Responses API, which gateways and local servers offer too. Items get the same ID and index
 * in all of their events, and one that was not started, not ended, or only given at the end of the answer is completed.
 */
export function createResponsesRepair(): AnswerRepair {
  const items: Item[] = [];
  const latest = new Map<unknown, Item>();

  const find = (type: string, id: unknown, index: unknown): Item | undefined => {
    const open = items.filter((item) => item.type === type && !item.isDone);
    return (
      open.find((item) => id && [item.id, item.callId].includes(String(id))) ??
      open.find((item) => item === latest.get(index))
    );
  };
  const start = (type: string, given: JsonRecord, index: unknown): [Item, JsonRecord[]] => {
    const position = items.length;
    const id = toText(given.id ?? given.item_id) || `item_${position}`;
    const item: Item = {
      type,
      id,
      callId: toText(given.call_id) || id,
      name: toText(given.name),
      index: position,
      given: "",
      isDone: false,
    };
    items.push(item);
    latest.set(index, item);
    const parts =
      type === "reasoning" ? [{ type: SUMMARY_PART, item_id: id, output_index: position, summary_index: 0 }] : [];
    return [
      item,
      [{ type: "response.output_item.added", output_index: position, item: toItem(item, given) }, ...parts],
    ];
  };
  const add = (type: string, event: JsonRecord, given: unknown): JsonRecord[] => {
    const delta =
      typeof given === "string" ? given : isRecord(given) ? toText(given.text) || JSON.stringify(given) : "";
    if (delta === "") return [];
    const existing = find(type, event.item_id, event.output_index);
    const [item, startEvents] = existing ? [existing, []] : start(type, event, event.output_index);
    // A remark and the answer behind it are two messages.
    const isContinuation =
      type === "message" && item.given === "" && items.some((other) => other.type === type && other.given !== "");
    item.given += delta;
    const words = isContinuation ? `\n\n${delta}` : delta;
    return [
      ...startEvents,
      { type: DELTAS[type], item_id: item.id, output_index: item.index, summary_index: 0, delta: words },
    ];
  };
  /** Adds the whole text of an item if none of its pieces arrived. */
  const fill = (type: string, event: JsonRecord, whole: unknown): JsonRecord[] => {
    const existing = find(type, event.item_id, event.output_index);
    return existing && existing.given !== "" ? [] : add(type, event, whole);
  };
  const end = (given: JsonRecord, index: unknown): JsonRecord[] => {
    const type = toText(given.type);
    const existing = find(type, given.call_id ?? given.id, index) ?? find(type, given.id, index);
    const [item, startEvents] = existing ? [existing, []] : start(type, given, index);
    const whole = readWhole(given);
    const deltaEvents = fill(type, { item_id: item.id, output_index: index }, whole);
    // The pieces of Copilot are encrypted.
    if (type === "function_call" && typeof whole === "string" && whole !== "") item.given = whole;
    item.isDone = true;
    const refusalEvents = isRefusal(given)
      ? [{ type: "response.refusal.done", item_id: item.id, refusal: item.given }]
      : [];
    const doneEvent = {
      type: "response.output_item.done",
      output_index: item.index,
      item: { ...toItem(item, given), status: "completed" },
    };
    return [...startEvents, ...deltaEvents, ...refusalEvents, doneEvent];
  };
  const finish = (type: string, given: unknown): JsonRecord[] => {
    const { output, incomplete_details: details, usage, error } = isRecord(given) ? given : {};
    const outputItems = [output ?? []].flat().filter(isKnownItem);
    const unfinished = outputItems.filter(({ type, id, call_id }, at) => {
      const [match] = items.filter(
        (item) => item.type === type && (item.index === at || [item.id, item.callId].includes(toText(call_id ?? id))),
      );
      return !match?.isDone;
    });
    const endEvents = unfinished.flatMap((item) => end(item, outputItems.indexOf(item)));
    const open = items
      .filter(({ isDone }) => !isDone)
      .flatMap((item) => end({ type: item.type, id: item.id }, item.index));
    if (type === "response.failed") return [{ type, sequence_number: 0, response: { error: toError(error) } }];
    const reason = isRecord(details) ? details.reason : details;
    const response = { incomplete_details: typeof reason === "string" ? { reason } : null, usage: toUsage(usage) };
    return [...endEvents, ...open, { type, response }];
  };

  const repairEvent = (event: JsonRecord): JsonRecord[] => {
    const { response, item } = event;
    const type = toText(event.type);
    switch (type) {
      case "response.created": {
        const { id, created_at: at, model } = isRecord(response) ? response : {};
        return [{ type, response: { id: toText(id), created_at: Number(at) || 0, model: toText(model) } }];
      }
      case "response.output_item.added":
        if (!isKnownItem(item) || find(toText(item.type), item.call_id ?? item.id, undefined)) return [];
        return start(toText(item.type), item, event.output_index)[1];
      case "response.output_item.done":
        return isKnownItem(item) ? end(item, event.output_index) : [];
      case "response.output_text.delta":
        return add("message", event, event.delta);
      case "response.output_text.done":
        return fill("message", event, event.text);
      case "response.function_call_arguments.delta":
        return add("function_call", event, event.delta);
      case "response.function_call_arguments.done":
        return fill("function_call", event, event.arguments);
      case "response.reasoning_text.delta":
      case "response.reasoning_summary_text.delta":
        return add("reasoning", event, event.delta);
      case "response.refusal.delta":
        return add("message", event, event.delta).map((deltaEvent) =>
          deltaEvent.type === DELTAS.message ? { ...deltaEvent, type } : deltaEvent,
        );
      case "response.refusal.done":
        return [{ type, item_id: "", refusal: toText(event.refusal) }];
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        return finish(type, response);
      case "error":
        return [{ type, sequence_number: 0, ...toError(event.error ?? event) }];
      default:
        if (Array.isArray(event.choices)) return [event];
        return event.error ? [{ type: "error", sequence_number: 0, ...toError(event.error) }] : [];
    }
  };
  const splitAnswer = (answer: JsonRecord): JsonRecord[] => {
    if (!Array.isArray(answer.output)) return repairEvent(answer);
    const type = /^(?:failed|incomplete)$/.test(toText(answer.status))
      ? `response.${answer.status}`
      : "response.completed";
    return [
      { type: "response.created", response: answer },
      { type, response: answer },
    ].flatMap(repairEvent);
  };
  return { repairEvent, splitAnswer };
}

const SUMMARY_PART = "response.reasoning_summary_part.added";

const DELTAS: Record<string, string> = {
  message: "response.output_text.delta",
  function_call: "response.function_call_arguments.delta",
  reasoning: "response.reasoning_summary_text.delta",
};

/** Whether kay uses an item of this type. */
function isKnownItem(item: unknown): item is JsonRecord {
  return isRecord(item) && Object.hasOwn(DELTAS, toText(item.type));
}

function toItem({ type, id, callId, name, given }: Item, more: JsonRecord): JsonRecord {
  if (type === "function_call") return { type, id, call_id: callId, name: toText(more.name) || name, arguments: given };
  const { encrypted_content: encrypted, phase } = more;
  return {
    type,
    id,
    ...(typeof encrypted === "string" ? { encrypted_content: encrypted } : {}),
    // Models from GPT-5.3 on want it back: https://developers.openai.com/api/docs/guides/prompt-guidance
    ...(phase === "commentary" || phase === "final_answer" ? { phase } : {}),
  };
}

function isRefusal({ content }: JsonRecord): boolean {
  return [content].flat().some((part) => isRecord(part) && part.type === "refusal");
}

/** Returns the text or arguments of an item that arrived whole. */
function readWhole({ content, summary, arguments: input }: JsonRecord): unknown {
  if (input !== undefined) return input;
  const parts: unknown[] = [content ?? summary ?? []].flat();
  return parts.map((part) => (isRecord(part) ? toText(part.text ?? part.refusal) : toText(part))).join("");
}

function toError(error: unknown): JsonRecord {
  const { code, message } = isRecord(error) ? error : { code: null, message: error };
  return {
    code: toText(code) || null,
    message: typeof message === "string" && message !== "" ? message : JSON.stringify(error ?? "no reason"),
  };
}

function toUsage(usage: unknown): JsonRecord | null {
  if (!isRecord(usage)) return null;
  const count = (value: unknown) => (Number.isFinite(Number(value)) ? Number(value) : 0);
  return { input_tokens: count(usage.input_tokens), output_tokens: count(usage.output_tokens) };
}

function toText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

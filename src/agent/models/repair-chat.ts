import { parseServiceFault } from "#connectors/http/service-fault";
import { isRecord, type JsonRecord } from "#protocol/json";
import type { AnswerRepair } from "./repair-fetch.ts";

/** Creates the repair of the Chat Completions API, which many servers offer with fields that differ. */
export function createChatRepair(): AnswerRepair {
  const joinNames = createNameJoiner();
  const dropWhole = createWholeFilter();
  const repair = (chunk: JsonRecord) =>
    repairChunk(dropWhole(isOllamaChunk(chunk) ? toChunk(chunk) : chunk)).map(joinNames);
  return { repairEvent: repair, splitAnswer: repair };
}

/** Whether it is a line of Ollama's own API (docs/api.md, "Generate a chat completion"). */
function isOllamaChunk({ choices, message, done }: JsonRecord): boolean {
  return choices === undefined && isRecord(message) && typeof done === "boolean";
}

function toChunk({ message, done, done_reason: reason, model }: JsonRecord): JsonRecord {
  return { model, choices: [{ delta: message, finish_reason: done ? (reason ?? "stop") : null }] };
}

/** Creates a function that drops the whole message behind its pieces: it has the same words once more. */
function createWholeFilter(): (chunk: JsonRecord) => JsonRecord {
  let isStreamed = false;
  return (chunk) => {
    if (!Array.isArray(chunk.choices)) return chunk;
    const choices = chunk.choices.map((choice) => {
      if (!isRecord(choice)) return choice;
      const { content, tool_calls: calls } = isRecord(choice.delta) ? choice.delta : {};
      isStreamed ||= Boolean(content || calls);
      return isStreamed ? { ...choice, message: undefined } : choice;
    });
    return { ...chunk, choices };
  };
}

/**
 * Creates a function that holds back the name of a call until its arguments or its end arrive: the SDK reads the name
 * from the first piece, but some servers send it in several.
 */
function createNameJoiner(): (chunk: JsonRecord) => JsonRecord {
  const pendingCalls = new Map<unknown, JsonRecord>();
  let last: unknown;
  const join = (call: JsonRecord): JsonRecord[] => {
    last = call.index ?? call.id ?? last;
    const previous = pendingCalls.get(last);
    const { name: piece = "", arguments: input } = call.function as { name?: string; arguments?: string };
    const previousName = String((previous?.function as JsonRecord | undefined)?.name ?? "");
    const name = piece.startsWith(previousName) ? piece : previousName + piece;
    const joinedCall = {
      ...previous,
      ...call,
      function: { ...(call.function as JsonRecord), ...(name ? { name } : {}) },
    };
    pendingCalls.delete(last);
    const finishedCalls = flush();
    if (input || !name) return [...finishedCalls, joinedCall];
    pendingCalls.set(last, joinedCall);
    return finishedCalls;
  };
  const flush = (): JsonRecord[] => {
    const calls = [...pendingCalls.values()];
    pendingCalls.clear();
    return calls;
  };
  return (chunk) => ({
    ...chunk,
    ...(Array.isArray(chunk.choices)
      ? {
          choices: chunk.choices.map((choice: JsonRecord) => {
            const delta = choice.delta as JsonRecord;
            const calls = ((delta.tool_calls ?? []) as JsonRecord[]).flatMap(join);
            if (choice.finish_reason !== null) calls.push(...flush());
            const { tool_calls: _, ...rest } = delta;
            return { ...choice, delta: { ...rest, ...(calls.length > 0 ? { tool_calls: calls } : {}) } };
          }),
        }
      : {}),
  });
}

function repairChunk({ id, created, model, choices, usage, error, x_groq: groq, ...rest }: JsonRecord): JsonRecord[] {
  const list = Array.isArray(choices) ? choices.filter(isRecord) : [];
  const fault = [error, isRecord(groq) && groq.error, ...list.map((choice) => choice.error)].find(Boolean);
  if (fault) return [{ error: nameUpstream(fault) }];
  const counts = toCounts(usage);
  // Neither an answer nor its usage: an error in the server's own form, or a keepalive.
  if (!Array.isArray(choices) && !counts)
    return parseServiceFault(JSON.stringify(rest)).message === "" ? [] : [{ ...rest }];
  const facts = Object.entries({ id: toText(id), created: toNumber(created), model: toText(model) });
  return [
    {
      ...Object.fromEntries(facts.filter(([, value]) => value !== undefined)),
      choices: list.map(repairChoice),
      ...(counts ? { usage: counts } : {}),
    },
  ];
}

/**
 * OpenRouter's own sentence is "Provider returned error"; the provider's is in `metadata.raw`, which the SDK drops.
 * Source: https://openrouter.ai/docs/api-reference/errors
 */
function nameUpstream(fault: unknown): unknown {
  const { raw } = isRecord(fault) && isRecord(fault.metadata) ? fault.metadata : {};
  if (!isRecord(fault) || !raw) return fault;
  const text = typeof raw === "string" ? raw : JSON.stringify(raw);
  const message = parseServiceFault(text).message || (/^\s*[[{<]/.test(text) ? fault.message : text);
  return { ...fault, message };
}

/** `text` is the answer in the API before Chat Completions. */
function repairChoice({ delta, message, text, finish_reason: reason }: JsonRecord): JsonRecord {
  const piece = [delta, message].find(isRecord) ?? { content: text };
  const end = reason === true || typeof reason === "number" ? "stop" : reason;
  return { index: 0, delta: repairDelta(piece), finish_reason: typeof end === "string" && end !== "" ? end : null };
}

function repairDelta(delta: JsonRecord): JsonRecord {
  const { content, refusal, tool_calls, function_call } = delta;
  const thought = joinTexts(delta.reasoning_content ?? delta.reasoning ?? delta.reasoning_text ?? delta.thinking);
  const calls = [tool_calls ?? function_call ?? []].flat().filter(isRecord).map(repairCall);
  return {
    content: typeof content === "string" ? content : [content ?? []].flat().flatMap(repairPart),
    ...(thought ? { reasoning_content: thought } : {}),
    ...(typeof refusal === "string" ? { refusal } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

/** Thoughts of Mistral stay apart. */
function repairPart(part: unknown): JsonRecord[] {
  if (isRecord(part) && part.type === "thinking") return [part as JsonRecord];
  const text = joinTexts(part);
  return text ? [{ type: "text", text }] : [];
}

/** Returns the text of a value that is a text, an object with one, or a list of them. */
function joinTexts(value: unknown): string {
  if (Array.isArray(value)) return value.map(joinTexts).join("");
  if (isRecord(value)) return joinTexts(value.text ?? value.content ?? value.thinking);
  return typeof value === "string" ? value : "";
}

/** `function_call`, as before 2023-11, has the fields of the function itself. */
function repairCall(call: JsonRecord): JsonRecord {
  const { name, arguments: input } = isRecord(call.function) ? call.function : call;
  const [index, id] = [toNumber(call.index), toText(call.id)];
  const { google } = isRecord(call.extra_content) ? call.extra_content : {};
  return {
    ...(index === undefined ? {} : { index }),
    ...(id ? { id } : {}),
    function: {
      ...(typeof name === "string" ? { name } : {}),
      ...(input === undefined || input === null
        ? {}
        : { arguments: typeof input === "string" ? input : JSON.stringify(input) }),
    },
    ...(isRecord(google) && typeof google.thought_signature === "string" ? { extra_content: { google } } : {}),
  };
}

/** Returns the counts of tokens, including those within details. */
function toCounts(usage: unknown): JsonRecord | undefined {
  if (!isRecord(usage)) return undefined;
  const counts = Object.entries(usage).flatMap(([name, value]): [string, unknown][] => {
    const count = isRecord(value) ? toCounts(value) : toNumber(value);
    return count === undefined ? [] : [[name, count]];
  });
  return Object.fromEntries(counts);
}

function toNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

function toText(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

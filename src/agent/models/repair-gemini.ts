import { isRecord, type JsonRecord } from "#protocol/json";
import type { AnswerRepair } from "./repair-fetch.ts";

/**
 * Creates the repair of Gemini's API as proxies offer it: with names in snake case and reasons as numbers, as Google's
 * Python library writes them, within `response`, or with parts that are no list.
 */
export function createGeminiRepair(): AnswerRepair {
  return { repairEvent, splitAnswer: repairEvent };
}

function repairEvent(jsonRecord: JsonRecord): JsonRecord[] {
  const event = toCamelCase(isRecord(jsonRecord.response) ? jsonRecord.response : jsonRecord);
  const { candidates, usageMetadata, promptFeedback, responseId } = event;
  const error = jsonRecord.error ?? event.error;
  if (error) return [{ error: toError(error) }];
  const [candidate] = toRecords(candidates);
  const feedback = isRecord(promptFeedback) ? toCamelCase(promptFeedback) : {};
  if (!candidate && !isRecord(usageMetadata) && typeof feedback.blockReason !== "string") return [];
  return [
    {
      ...(typeof responseId === "string" ? { responseId } : {}),
      ...(candidate ? { candidates: [repairCandidate(toCamelCase(candidate))] } : {}),
      ...(isRecord(usageMetadata) ? { usageMetadata: toCounts(toCamelCase(usageMetadata)) } : {}),
      ...(typeof feedback.blockReason === "string" ? { promptFeedback: { blockReason: feedback.blockReason } } : {}),
    },
  ];
}

function repairCandidate({ content, finishReason, output }: JsonRecord): JsonRecord {
  const parts = isRecord(content) ? (content.parts ?? content.text) : (content ?? output);
  const reason = typeof finishReason === "number" ? (REASONS[finishReason] ?? "OTHER") : finishReason;
  return {
    content: { parts: [parts ?? []].flat().flatMap(repairPart) },
    ...(typeof reason === "string" && reason !== "" && reason !== REASONS[0] ? { finishReason: reason } : {}),
  };
}

/** https://ai.google.dev/api/generate-content#FinishReason */
const REASONS = ["FINISH_REASON_UNSPECIFIED", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION"];

/** Leaves out parts that kay cannot use: pictures, and calls that Gemini ran itself. */
function repairPart(candidate: unknown): JsonRecord[] {
  if (typeof candidate === "string") return [{ text: candidate }];
  if (!isRecord(candidate)) return [];
  const { text, thought, thoughtSignature, functionCall } = toCamelCase(candidate);
  const signature = typeof thoughtSignature === "string" ? { thoughtSignature } : {};
  if (isRecord(functionCall)) return [{ functionCall: repairCall(toCamelCase(functionCall)), ...signature }];
  return typeof text === "string" ? [{ text, thought: thought === true, ...signature }] : [];
}

function repairCall({ id, name, args, arguments: input, ...streamed }: JsonRecord): JsonRecord {
  return {
    ...(typeof id === "string" && id !== "" ? { id } : {}),
    ...(typeof name === "string" ? { name } : {}),
    ...((args ?? input) ? { args: args ?? input } : {}),
    ...streamed,
  };
}

function toError(error: unknown): JsonRecord {
  const { code, message, status } = isRecord(error) ? error : { message: error };
  return {
    code: typeof code === "number" ? code : null,
    message: typeof message === "string" ? message : JSON.stringify(error),
    status: typeof status === "string" ? status : "",
  };
}

function toCounts(usage: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => typeof value === "number"));
}

function toRecords(value: unknown): JsonRecord[] {
  return [value].flat().filter(isRecord);
}

function toCamelCase(record: JsonRecord): JsonRecord {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [
      key.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()),
      value,
    ]),
  );
}

import type { Streaming } from "#net/ports";
import { Problem } from "#protocol/errors";
import { StreamPart } from "#protocol/events";
import { tryParseJson } from "#protocol/json";
import { hideSecrets } from "#protocol/redact";
import { type AnswerContext, parseJsonObject, toProblem } from "./failure.ts";
import { createPartHider } from "./hide-secrets.ts";
import { createEventReader, type SseEvent } from "./sse.ts";

/** A part and its number in the log, if any; or the mark that the stream ended on purpose. */
export type PartRead = { number?: number; part: StreamPart } | "done";

/** Maximum size of one stream in bytes: more than a thousand long turns. */
const STREAM_LIMIT = 256 * 1024 * 1024;

/**
 * Yields the parts of a stream. Parts of unknown types are ignored; other unreadable data causes one warning per
 * stream. An error in another shape becomes an `error` part.
 */
export async function* readParts(
  { body, secrets }: Pick<Streaming, "body" | "secrets">,
  context: AnswerContext,
  warn: (text: string) => void = () => {},
): AsyncGenerator<PartRead> {
  const reader = createEventReader(context.host);
  const readEvents = createPartReader(context, warn);
  const hider = createPartHider<StreamPart>(secrets);
  const endText = (): PartRead[] => hider.end().map((part) => ({ part }));
  const read = (events: SseEvent[]) =>
    readEvents(events.map((event) => ({ ...event, data: hideSecrets(event.data, secrets) }))).flatMap((item) => {
      if (item === "done") return [...endText(), item];
      const parts = hider.take(item.part);
      return parts.map((part, index): PartRead => (index === parts.length - 1 ? { ...item, part } : { part }));
    });
  let problem: Problem | null = null;
  let size = 0;
  try {
    for await (const bytes of body) {
      size += bytes.length;
      if (size > STREAM_LIMIT) throw new Problem("BAD_ANSWER", `${context.host} sent a stream larger than 256 MiB.`);
      yield* read(reader.feed(bytes));
    }
  } catch (error) {
    // The connection broke off, but what arrived before counts.
    if (!(error instanceof Problem) || ["BAD_ANSWER", "CANCELLED"].includes(error.code)) throw error;
    problem = error;
  }
  yield* read(reader.end());
  yield* endText();
  if (problem) throw problem;
}

function createPartReader(context: AnswerContext, warn: (text: string) => void): (events: SseEvent[]) => PartRead[] {
  let warned = false;
  const warnOnce = (kind: string): [] => {
    if (!warned) warn(`The backend sent ${kind}, which was ignored.`);
    warned = true;
    return [];
  };
  const readOne = ({ id, data, cut }: SseEvent): PartRead[] => {
    if (data.trim() === "[DONE]") return ["done"];
    const value = tryParseJson(data);
    if (value === undefined) return cut || data.trim() === "" ? [] : warnOnce("an event that is not JSON");
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
    const body = withDelta(value as Record<string, unknown>);
    const result = StreamPart._zod.run({ value: body, issues: [] }, { async: false });
    if (result instanceof Promise) throw new TypeError("protocol schemas must be synchronous");
    const number = /^\d{1,15}$/.test(id ?? "") ? { number: Number(id) } : {};
    if (result.issues.length === 0) return [{ ...number, part: result.value as StreamPart }];
    if (isErrorBody(body)) return [{ ...number, part: toErrorPart(data, context) }];
    return isKnown(body.type) ? warnOnce(`an invalid part (${body.type})`) : [];
  };
  return (events) => events.flatMap(readOne);
}

/** Renames `text`, which other backends use for a piece of text, to `delta`. */
function withDelta(body: Record<string, unknown>): Record<string, unknown> {
  const piece = body.type === "text-delta" || body.type === "reasoning-delta";
  return piece && body.delta === undefined ? { ...body, delta: body.text } : body;
}

function isKnown(type: unknown): type is string {
  return typeof type === "string" && StreamPart._zod.propValues?.type?.has(type) === true;
}

function isErrorBody(body: Record<string, unknown>): boolean {
  return body.error !== undefined || body.status === "error" || body.type === "error";
}

/** Converts an error in another shape to an `error` part. */
function toErrorPart(data: string, context: AnswerContext): StreamPart {
  const body = parseJsonObject(data) ?? {};
  const message = body.message ?? body.errorText ?? "The request was rejected.";
  const error = typeof body.error === "object" ? { message, ...body.error } : body.error;
  const answer = { status: 200, headers: {}, body: JSON.stringify({ ...body, message, error }) };
  const problem = toProblem(answer, { ...context, route: "ask" });
  // An unknown code means that the model failed, because nothing else fails within a stream.
  const code = problem.code === "BAD_ANSWER" ? "MODEL_FAILED" : problem.code;
  return { type: "error", errorText: problem.message, code };
}

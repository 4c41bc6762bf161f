import { Problem } from "#protocol/errors";
import type { METRICS, MetricName } from "./metrics.ts";

type NameOfKind<K extends string> = {
  [N in MetricName]: (typeof METRICS)[N]["kind"] extends K ? N : never;
}[MetricName];
type LabelValues<N extends MetricName> = { [L in (typeof METRICS)[N]["labels"][number]]: string };

/** Attributes of a span. Never a user's text, an input, an output or a secret. */
type Attributes = Record<string, string | number | boolean>;

/** A running span of a trace. */
export type Span = {
  /** Runs `work` as a part of this span, so that spans started meanwhile become its children. */
  run<T>(work: () => T): T;
  set(attributes: Attributes): void;
  /** @param failure a code of the table of errors, or a name of a class */
  end(failure?: string): void;
  /** The header value to pass to other processes (W3C Trace Context). */
  traceparent: string;
};

/** Where a span belongs: below `parent` (a `traceparent`), or below the current span; `null` starts a new trace. */
export type SpanPlace = { kind?: "server" | "client"; attributes?: Attributes; parent?: string | null };

/** Metrics and traces of the backend, for its operator. A backend without it measures nothing. */
export type Observe = {
  /** Adds to a counter or a gauge. */
  count<N extends NameOfKind<"counter" | "gauge">>(name: N, labels: LabelValues<N>, by?: number): void;
  /** @param seconds how long something took */
  measure<N extends NameOfKind<"histogram">>(name: N, labels: LabelValues<N>, seconds: number): void;
  /** Seconds on a monotonic clock. */
  seconds(): number;
  /** Absent when tracing is off. */
  traces?: {
    begin(name: string, place?: SpanPlace): Span;
    /** The current span's `traceparent`. */
    current(): string | undefined;
    /** The AI SDK's telemetry integration; pass it to every model call. */
    model: object;
  };
};

/** Runs `work` in a span. `failed` returns the failure code of a result, if it is one. */
export async function traceSpan<T>(
  observe: Observe | undefined,
  name: string,
  place: SpanPlace,
  work: (span?: Span) => Promise<T>,
  getFailure: (result: T) => string | undefined = () => undefined,
): Promise<T> {
  const span = observe?.traces?.begin(name, place);
  if (!span) return await work();
  try {
    const result = await span.run(() => work(span));
    span.end(getFailure(result));
    return result;
  } catch (error) {
    span.end(getFailureCode(error));
    throw error;
  }
}

/** Runs a generator in a span. `failed` returns the failure code of an event, if it is one. */
export async function* traceEvents<E, R>(
  observe: Observe | undefined,
  name: string,
  work: AsyncGenerator<E, R>,
  getFailure: (event: E) => string | undefined,
): AsyncGenerator<E, R> {
  const span = observe?.traces?.begin(name);
  if (!span) return yield* work;
  let failure: string | undefined;
  try {
    for (;;) {
      const next = await span.run(() => work.next());
      if (next.done) return next.value;
      failure ??= getFailure(next.value);
      yield next.value;
    }
  } catch (error) {
    failure = getFailureCode(error);
    throw error;
  } finally {
    span.end(failure);
    // The consumer may have stopped reading early.
    await work.return(undefined as R);
  }
}

/** Returns a name for an error that is safe to publish: its code, or its class name. */
export function getFailureCode(error: unknown): string {
  if (error instanceof Problem) return error.code;
  return error instanceof Error ? error.name : "unknown";
}

/** Returns the trace ID of a `traceparent`. */
export function getTraceId(traceparent: string | undefined): string | undefined {
  return traceparent?.split("-")[1];
}

/** Returns a received `traceparent` if it is valid (W3C Trace Context, version 00). */
export function parseTraceparent(text: string | null | undefined): string | undefined {
  const match = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(text ?? "");
  return match && !/^0+$/.test(match[1] ?? "") && !/^0+$/.test(match[2] ?? "") ? match[0] : undefined;
}

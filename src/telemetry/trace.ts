import { Problem } from "#protocol/errors";
import type { METRICS, MetricName } from "./metrics.ts";

type NameOf<K extends string> = { [N in MetricName]: (typeof METRICS)[N]["kind"] extends K ? N : never }[MetricName];
type LabelsOf<N extends MetricName> = { [L in (typeof METRICS)[N]["labels"][number]]: string };

/** What is told of a piece of work; never a text that somebody wrote, an input, an output or a secret. */
type Attributes = Record<string, string | number | boolean>;

/** A piece of work in a trace. */
export type Span = {
  /** Run something as a part of it: what begins meanwhile is below it. */
  run<T>(work: () => T): T;
  set(attributes: Attributes): void;
  /** @param failure a code of the table of errors, or a name of a class */
  end(failure?: string): void;
  /** As other processes are told of it (W3C Trace Context). */
  traceparent: string;
};

/** Where a piece of work is in its trace: below `parent` (a `traceparent`), else below what runs now; `null` begins a trace. */
export type SpanPlace = { kind?: "server" | "client"; attributes?: Attributes; parent?: string | null };

/** What the backend tells of its work to whoever operates it. Absent from {@link BackendPorts}, nobody listens and nothing is measured. */
export type Observe = {
  /** Add to a counter or a gauge. */
  count<N extends NameOf<"counter" | "gauge">>(name: N, labels: LabelsOf<N>, by?: number): void;
  /** @param seconds how long something took */
  measure<N extends NameOf<"histogram">>(name: N, labels: LabelsOf<N>, seconds: number): void;
  /** Seconds on a clock that only goes on. */
  seconds(): number;
  /** Only where traces are wanted. */
  traces?: {
    begin(name: string, place?: SpanPlace): Span;
    /** What runs now, as `traceparent`. */
    current(): string | undefined;
    /** The integration of the AI SDK that tells of its calls; it has to be given to each. */
    model: object;
  };
};

/** Do something as a piece of a trace; `failed` looks at what it came to. */
export async function traceSpan<T>(
  observe: Observe | undefined,
  name: string,
  place: SpanPlace,
  work: (span?: Span) => Promise<T>,
  failed: (result: T) => string | undefined = () => undefined,
): Promise<T> {
  const span = observe?.traces?.begin(name, place);
  if (!span) return await work();
  try {
    const result = await span.run(() => work(span));
    span.end(failed(result));
    return result;
  } catch (error) {
    span.end(getFailureCode(error));
    throw error;
  }
}

/** The same for something that yields while it works; `failed` looks at each thing it yields. */
export async function* traceEvents<E, R>(
  observe: Observe | undefined,
  name: string,
  work: AsyncGenerator<E, R>,
  failed: (event: E) => string | undefined,
): AsyncGenerator<E, R> {
  const span = observe?.traces?.begin(name);
  if (!span) return yield* work;
  let failure: string | undefined;
  try {
    for (;;) {
      const next = await span.run(() => work.next());
      if (next.done) return next.value;
      failure ??= failed(next.value);
      yield next.value;
    }
  } catch (error) {
    failure = getFailureCode(error);
    throw error;
  } finally {
    span.end(failure);
    // Whoever reads may have left in the middle.
    await work.return(undefined as R);
  }
}

/** What an error is called where only names may be told. */
export function getFailureCode(error: unknown): string {
  if (error instanceof Problem) return error.code;
  return error instanceof Error ? error.name : "unknown";
}

/** The trace's id of a `traceparent`. */
export function getTraceId(traceparent: string | undefined): string | undefined {
  return traceparent?.split("-")[1];
}

/** A `traceparent` that came from outside, if it is one (W3C Trace Context, version 00). */
export function parseTraceparent(text: string | null | undefined): string | undefined {
  const found = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(text ?? "");
  return found && !/^0+$/.test(found[1] ?? "") && !/^0+$/.test(found[2] ?? "") ? found[0] : undefined;
}

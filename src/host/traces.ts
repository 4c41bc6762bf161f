import { OpenTelemetry } from "@ai-sdk/otel";
import { context, type Span as OtelSpan, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Fetch } from "#net/ports";
import type { Log } from "#telemetry/log";
import type { Observe, Span, SpanPlace } from "#telemetry/trace";
import { createExporter } from "./export-traces.ts";

/** Milliseconds that what is not sent yet gets when the process ends. */
const FLUSH_LIMIT = 3_000;

type Env = Record<string, string | undefined>;

/** Traces as the backend tells them, what passes its requests on, and their end. */
export type Traces = {
  traces: NonNullable<Observe["traces"]>;
  /** The same way out; each request is a piece of what asked for it. `place` stands for hosts that a person chose. */
  around(fetch: Fetch, place?: string): Fetch;
  close(): Promise<void>;
};

/**
 * Traces over OTLP/HTTP (JSON) to the collector that the standard variables name, through kay's own way out. They tell what was done and how long
 * it took: what was said, given to a tool or answered by it is in none (`export-traces.ts` sees to that once more).
 *
 * @returns undefined where no collector is named, or OTEL_SDK_DISABLED says so
 */
export function createTraces(env: Env, ports: { fetch: Fetch; log: Log; version: string }): Traces | undefined {
  const exporter = createExporter(env, ports);
  if (!exporter || env.OTEL_SDK_DISABLED?.toLowerCase() === "true") return undefined;
  const processor = new BatchSpanProcessor({ exporter });
  const provider = new TracerProvider({
    sampler: getSampler(env),
    resource: getResource(env, ports.version),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer("kay", ports.version);
  // The SDK of the models asks for what runs now by this global.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const begin = (name: string, { kind, attributes, parent }: SpanPlace = {}): Span => {
    const above = parent === undefined ? context.active() : parent === null ? ROOT_CONTEXT : below(parent);
    const span = tracer.startSpan(name, { kind: KINDS[kind ?? "internal"], attributes }, above);
    return getSpan(span, trace.setSpan(above, span));
  };
  const current = () => getTraceparent(trace.getActiveSpan());
  return {
    traces: { begin, current, model: new OpenTelemetry({ tracer, usage: false, providerMetadata: false }) },
    around: (fetch, place) => async (url, init) => {
      if (current() === undefined) return await fetch(url, init);
      const method = init?.method ?? "GET";
      const attributes = { "http.request.method": method, "server.address": place ?? new URL(url).hostname };
      const span = begin(method, { kind: "client", attributes });
      try {
        const response = await span.run(() => fetch(url, init));
        span.set({ "http.response.status_code": response.status });
        span.end(response.status >= 400 ? String(response.status) : undefined);
        return response;
      } catch (error) {
        span.end(error instanceof Error ? error.name : "unknown");
        throw error;
      }
    },
    close: async () => {
      await Promise.race([provider.shutdown().catch(() => {}), exporter.over(FLUSH_LIMIT)]);
      context.disable();
    },
  };
}

const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT };

function getSpan(span: OtelSpan, inside: ReturnType<typeof trace.setSpan>): Span {
  return {
    run: (work) => context.with(inside, work),
    set: (attributes) => void span.setAttributes(attributes),
    end: (failure) => {
      if (failure !== undefined) span.setAttribute("error.type", failure).setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
    traceparent: getTraceparent(span) ?? "",
  };
}

function getTraceparent(span: OtelSpan | undefined): string | undefined {
  if (!span) return undefined;
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

function below(traceparent: string): ReturnType<typeof trace.setSpan> {
  const [, traceId = "", spanId = "", flags = "00"] = traceparent.split("-");
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
  });
}

/** As the specification has its names; one that it does not have counts as the default. */
function getSampler(env: Env): Sampler {
  const given = Number(env.OTEL_TRACES_SAMPLER_ARG ?? "1");
  const ratio = new TraceIdRatioBasedSampler(given >= 0 && given <= 1 ? given : 1);
  const samplers: Record<string, Sampler> = {
    always_on: new AlwaysOnSampler(),
    always_off: new AlwaysOffSampler(),
    traceidratio: ratio,
    parentbased_always_off: new ParentBasedSampler({ root: new AlwaysOffSampler() }),
    parentbased_traceidratio: new ParentBasedSampler({ root: ratio }),
  };
  return samplers[env.OTEL_TRACES_SAMPLER ?? ""] ?? new ParentBasedSampler({ root: new AlwaysOnSampler() });
}

function getResource(env: Env, version: string): ReturnType<typeof defaultResource> {
  const given = (env.OTEL_RESOURCE_ATTRIBUTES ?? "").split(",").flatMap((pair) => {
    const [name = "", value = ""] = pair.split("=").map((part) => part.trim());
    return name && value ? [[name, value] as const] : [];
  });
  const named = Object.fromEntries(given);
  const service = env.OTEL_SERVICE_NAME || named["service.name"] || "kay";
  return defaultResource().merge(
    resourceFromAttributes({ "service.version": version, ...named, "service.name": service }),
  );
}

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

/** Time for the remaining spans when the process ends, in ms. */
const FLUSH_LIMIT_MS = 3_000;

type Env = Record<string, string | undefined>;

/** Tracer of the backend, with a wrapper for its HTTP clients. */
export type Traces = {
  traces: NonNullable<Observe["traces"]>;
  /** Returns a fetch that records a span for each request. `host` replaces host names that a user chose. */
  instrument(fetch: Fetch, host?: string): Fetch;
  close(): Promise<void>;
};

/**
 * Creates traces that go to the collector in the standard OTEL variables, over OTLP/HTTP (JSON). Spans contain
 * operations and durations, never prompts, tool inputs, or answers; `export-traces.ts` removes any other attribute.
 *
 * @returns undefined if no collector is configured, or if OTEL_SDK_DISABLED is true
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
  // The AI SDK reads the active span from this global.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const beginSpan = (name: string, { kind, attributes, parent }: SpanPlace = {}): Span => {
    const above = parent === undefined ? context.active() : parent === null ? ROOT_CONTEXT : toParentContext(parent);
    const span = tracer.startSpan(name, { kind: KINDS[kind ?? "internal"], attributes }, above);
    return toSpan(span, trace.setSpan(above, span));
  };
  const getCurrent = () => getTraceparent(trace.getActiveSpan());
  return {
    traces: {
      begin: beginSpan,
      current: getCurrent,
      model: new OpenTelemetry({ tracer, usage: false, providerMetadata: false }),
    },
    instrument: (fetch, host) => async (url, init) => {
      if (getCurrent() === undefined) return await fetch(url, init);
      const method = init?.method ?? "GET";
      const attributes = { "http.request.method": method, "server.address": host ?? new URL(url).hostname };
      const span = beginSpan(method, { kind: "client", attributes });
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
      await Promise.race([provider.shutdown().catch(() => {}), exporter.abortAfter(FLUSH_LIMIT_MS)]);
      context.disable();
    },
  };
}

const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT };

function toSpan(span: OtelSpan, spanContext: ReturnType<typeof trace.setSpan>): Span {
  return {
    run: (work) => context.with(spanContext, work),
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

function toParentContext(traceparent: string): ReturnType<typeof trace.setSpan> {
  const [, traceId = "", spanId = "", flags = "00"] = traceparent.split("-");
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
  });
}

/** Returns the sampler with the name the OpenTelemetry specification gives it, or the default for an unknown name. */
function getSampler(env: Env): Sampler {
  const argument = Number(env.OTEL_TRACES_SAMPLER_ARG ?? "1");
  const ratio = new TraceIdRatioBasedSampler(argument >= 0 && argument <= 1 ? argument : 1);
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
  const attributes = (env.OTEL_RESOURCE_ATTRIBUTES ?? "").split(",").flatMap((pair) => {
    const [name = "", value = ""] = pair.split("=").map((part) => part.trim());
    return name && value ? [[name, value] as const] : [];
  });
  const attributesByName = Object.fromEntries(attributes);
  const service = env.OTEL_SERVICE_NAME || attributesByName["service.name"] || "kay";
  return defaultResource().merge(
    resourceFromAttributes({ "service.version": version, ...attributesByName, "service.name": service }),
  );
}

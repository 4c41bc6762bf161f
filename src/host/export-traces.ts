import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import type { Fetch } from "#net/ports";
import type { Log } from "#telemetry/log";

type Env = Record<string, string | undefined>;

/** Sends spans. `abortAfter` waits `ms` milliseconds, then aborts the requests that are still open. */
export type Exporter = SpanExporter & { abortAfter(ms: number): Promise<void> };

/** Time limit of one request in ms, unless OTEL_EXPORTER_OTLP_TIMEOUT sets another. */
const TIMEOUT_MS = 10_000;

/**
 * Creates an exporter that sends spans to a collector as OTLP/HTTP with JSON. Spans that cannot be sent are dropped,
 * and the first of consecutive failures is logged.
 *
 * @returns undefined if no collector is configured
 */
export function createExporter(env: Env, { fetch, log }: { fetch: Fetch; log: Log }): Exporter | undefined {
  const url = getEndpoint(env);
  if (url === undefined) return undefined;
  const headers = {
    ...parsePairs(env.OTEL_EXPORTER_OTLP_HEADERS),
    ...parsePairs(env.OTEL_EXPORTER_OTLP_TRACES_HEADERS),
  };
  const limit = Number(env.OTEL_EXPORTER_OTLP_TIMEOUT) || TIMEOUT_MS;
  const closing = new AbortController();
  let isFailing = false;
  const send = async (spans: ReadableSpan[]): Promise<void> => {
    const body = JsonTraceSerializer.serializeRequest(spans.map(removeTexts));
    const response = await fetch(url, {
      method: "POST",
      redirect: "manual",
      headers: { ...headers, "content-type": "application/json" },
      body: new TextDecoder().decode(body),
      signal: AbortSignal.any([AbortSignal.timeout(limit), closing.signal]),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the collector answered ${response.status}`);
  };
  return {
    export(spans, callback) {
      send(spans).then(
        () => {
          isFailing = false;
          callback({ code: 0 });
        },
        (error: unknown) => {
          if (!isFailing) log("warn", "traces.not_sent", { collector: new URL(url).host, error });
          isFailing = true;
          callback({ code: 1 });
        },
      );
    },
    shutdown: async () => {},
    abortAfter: async (ms) => {
      await new Promise((resolve) => setTimeout(resolve, ms).unref());
      closing.abort();
    },
  };
}

/**
 * Returns the URL for traces. The general endpoint needs the path `/v1/traces`, the endpoint for traces is complete.
 */
function getEndpoint(env: Env): string | undefined {
  const tracesUrl = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?.trim();
  const baseUrl = env.OTEL_EXPORTER_OTLP_ENDPOINT?.trim();
  const url = tracesUrl || (baseUrl && `${baseUrl.replace(/(?<!\/)\/+$/, "")}/v1/traces`);
  return url && URL.canParse(url) ? url : undefined;
}

/** Parses `name=value,…` with percent-encoded values. */
function parsePairs(text = ""): Record<string, string> {
  return Object.fromEntries(
    text.split(",").flatMap((pair) => {
      const index = pair.indexOf("=");
      return index > 0 ? [[pair.slice(0, index).trim(), decodePercent(pair.slice(index + 1).trim())]] : [];
    }),
  );
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Attributes that may leave this machine: names, numbers, and IDs. Libraries may put secrets into any other. */
const ALLOWED_ATTRIBUTES =
  /^(kay\.\w+|http\.(request\.method|route|response\.status_code)|server\.(address|port)|db\.system\.name|error\.type|gen_ai\.(operation|provider|tool)\.name|gen_ai\.(request|response)\.model|gen_ai\.response\.finish_reasons|gen_ai\.usage\.\w+(\.\w+)*)$/;

/** Returns the span without error messages, events, links, and attributes that are not on the allow list. */
function removeTexts(span: ReadableSpan): ReadableSpan {
  return Object.create(span, {
    attributes: {
      value: Object.fromEntries(Object.entries(span.attributes).filter(([name]) => ALLOWED_ATTRIBUTES.test(name))),
    },
    status: { value: { code: span.status.code } },
    events: { value: [] },
    links: { value: [] },
  });
}

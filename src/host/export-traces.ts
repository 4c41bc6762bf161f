import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import type { Fetch } from "#net/ports";
import type { Log } from "#telemetry/log";

type Env = Record<string, string | undefined>;

/** Sends spans; `over` resolves after so many milliseconds, and what is on its way then is left. */
export type Exporter = SpanExporter & { over(ms: number): Promise<void> };

/** Milliseconds one sending may take, where OTEL_EXPORTER_OTLP_TIMEOUT says nothing. */
const TIMEOUT = 10_000;

/**
 * Sends spans to a collector as OTLP/HTTP with JSON. What cannot be sent is dropped and said once, until it works again: the backend works
 * without it.
 *
 * @returns undefined where no collector is named
 */
export function createExporter(env: Env, { fetch, log }: { fetch: Fetch; log: Log }): Exporter | undefined {
  const url = getEndpoint(env);
  if (url === undefined) return undefined;
  const headers = { ...pairs(env.OTEL_EXPORTER_OTLP_HEADERS), ...pairs(env.OTEL_EXPORTER_OTLP_TRACES_HEADERS) };
  const limit = Number(env.OTEL_EXPORTER_OTLP_TIMEOUT) || TIMEOUT;
  const closed = new AbortController();
  let isFailing = false;
  const send = async (spans: ReadableSpan[]): Promise<void> => {
    const body = JsonTraceSerializer.serializeRequest(spans.map(bare));
    const response = await fetch(url, {
      method: "POST",
      redirect: "manual",
      headers: { ...headers, "content-type": "application/json" },
      body: new TextDecoder().decode(body),
      signal: AbortSignal.any([AbortSignal.timeout(limit), closed.signal]),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the collector answered ${response.status}`);
  };
  return {
    export(spans, done) {
      send(spans).then(
        () => {
          isFailing = false;
          done({ code: 0 });
        },
        (error: unknown) => {
          if (!isFailing) log("warn", "traces.not_sent", { collector: new URL(url).host, error });
          isFailing = true;
          done({ code: 1 });
        },
      );
    },
    shutdown: async () => {},
    over: async (ms) => {
      await new Promise((resolve) => setTimeout(resolve, ms).unref());
      closed.abort();
    },
  };
}

/** The address for traces is used as it is; the general one is that of the collector. */
function getEndpoint(env: Env): string | undefined {
  const own = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?.trim();
  const all = env.OTEL_EXPORTER_OTLP_ENDPOINT?.trim();
  const url = own || (all && `${all.replace(/\/+$/, "")}/v1/traces`);
  return url && URL.canParse(url) ? url : undefined;
}

/** `name=value,…`, values escaped as in a URL. */
function pairs(text = ""): Record<string, string> {
  return Object.fromEntries(
    text.split(",").flatMap((pair) => {
      const at = pair.indexOf("=");
      return at > 0 ? [[pair.slice(0, at).trim(), decode(pair.slice(at + 1).trim())]] : [];
    }),
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Attributes that leave: names, numbers and ids. Of whatever else a library puts into a span nobody can say that it is no secret. */
const TOLD =
  /^(kay\.\w+|http\.(request\.method|route|response\.status_code)|server\.(address|port)|db\.system\.name|error\.type|gen_ai\.(operation|provider|tool)\.name|gen_ai\.(request|response)\.model|gen_ai\.response\.finish_reasons|gen_ai\.usage\.\w+(\.\w+)*)$/;

/** A span without texts: no message of an error, no event, and no attribute but those that are known to be harmless. */
function bare(span: ReadableSpan): ReadableSpan {
  return Object.create(span, {
    attributes: { value: Object.fromEntries(Object.entries(span.attributes).filter(([name]) => TOLD.test(name))) },
    status: { value: { code: span.status.code } },
    events: { value: [] },
    links: { value: [] },
  });
}

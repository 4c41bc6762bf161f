import type { BackendStatus } from "#backend/ports";
import type { Fetch, PublicFetch } from "#net/ports";
import type { Log } from "#telemetry/log";
import type { Observe } from "#telemetry/trace";
import type { Metrics, PoolCounts } from "./metrics.ts";

/** Metrics and traces of one process. */
export type Telemetry = {
  observe: Observe;
  metrics: Metrics;
  /** Adds traces to the HTTP clients. Host names that users chose are not recorded. */
  instrument(clients: HttpClients): HttpClients;
  /** Sends the remaining spans, within seconds. */
  close(): Promise<void>;
};

type HttpClients = { fetch: Fetch; guarded: PublicFetch };

type Ports = {
  env: Record<string, string | undefined>;
  /** HTTP client for the trace collector. */
  fetch: Fetch;
  log: Log;
  version: string;
  pool: PoolCounts;
  status(): Promise<BackendStatus | undefined>;
};

/** Opens metrics, and traces if a collector is configured. Only then are their libraries loaded. */
export async function openTelemetry({ env, fetch, log, version, pool, status }: Ports): Promise<Telemetry> {
  const { createMetrics } = await import("./metrics.ts");
  const metrics = createMetrics({ status, pool, version });
  const isTraced = Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
  const traces = isTraced ? (await import("./traces.ts")).createTraces(env, { fetch, log, version }) : undefined;
  return {
    metrics,
    observe: {
      count: metrics.count,
      measure: metrics.measure,
      seconds: () => performance.now() / 1_000,
      ...(traces ? { traces: traces.traces } : {}),
    },
    instrument: ({ fetch, guarded }) => {
      if (!traces) return { fetch, guarded };
      return {
        fetch: traces.instrument(fetch),
        guarded: { ...guarded, fetch: traces.instrument(guarded.fetch, "own") },
      };
    },
    close: async () => {
      metrics.close();
      await traces?.close();
    },
  };
}

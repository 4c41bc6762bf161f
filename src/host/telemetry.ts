import type { BackendStatus } from "#backend/ports";
import type { Fetch, PublicFetch } from "#net/ports";
import type { Log } from "#telemetry/log";
import type { Observe } from "#telemetry/trace";
import type { Metrics, PoolCounts } from "./metrics.ts";

/** What a process measures of its work. */
export type Telemetry = {
  observe: Observe;
  metrics: Metrics;
  /** The ways out, whose requests are seen. Of the hosts that people chose nothing is told. */
  ways(ways: Ways): Ways;
  /** Sends what is not sent yet, within seconds. */
  close(): Promise<void>;
};

type Ways = { fetch: Fetch; guarded: PublicFetch };

type Ports = {
  env: Record<string, string | undefined>;
  /** The way to a collector of traces. */
  fetch: Fetch;
  log: Log;
  version: string;
  pool: PoolCounts;
  status(): Promise<BackendStatus | undefined>;
};

/** Metrics, and traces where a collector is named. Their libraries are loaded only here. */
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
    ways: ({ fetch, guarded }) => {
      if (!traces) return { fetch, guarded };
      return { fetch: traces.around(fetch), guarded: { ...guarded, fetch: traces.around(guarded.fetch, "own") } };
    },
    close: async () => {
      metrics.close();
      await traces?.close();
    },
  };
}

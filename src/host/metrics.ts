import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { BackendStatus } from "#backend/ports";
import { METRICS, type MetricName } from "#telemetry/metrics";
import type { Observe } from "#telemetry/trace";

/** Connection counts of this node's database pool. */
export type PoolCounts = { totalCount: number; idleCount: number; waitingCount: number };

/** Values that are read when the metrics are requested. */
export type MetricSources = { status(): Promise<BackendStatus | undefined>; pool: PoolCounts; version: string };

/** Metrics in the Prometheus text format, including the default metrics of Node.js. */
export type Metrics = Pick<Observe, "count" | "measure"> & {
  text(): Promise<Response>;
  close(): void;
};

/** Interval of the samples of event loop lag. At its default of 10 ms, they are most of the work of a backend at rest. */
const LAG_SAMPLE_MS = 100;

/** Creates metrics with a separate registry, so that several backends can share one process. */
export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_SAMPLE_MS });
  const byName = new Map<MetricName, Counter | Gauge | Histogram>(
    Object.entries(METRICS).map(([name, metric]) => [name as MetricName, createMetric(name, metric, registry)]),
  );
  return {
    count: (name, labels, by = 1) => {
      const metric = byName.get(name);
      if (metric instanceof Counter || metric instanceof Gauge) metric.inc(labels, by);
    },
    measure: (name, labels, seconds) => {
      const metric = byName.get(name);
      if (metric instanceof Histogram) metric.observe(labels, seconds);
    },
    text: async () => {
      setGauges(byName, await sources.status(), sources);
      return new Response(await registry.metrics(), { headers: { "content-type": registry.contentType } });
    },
    close: () => registry.clear(),
  };
}

type MetricDefinition = (typeof METRICS)[MetricName];

function createMetric(name: string, { kind, help, labels, ...rest }: MetricDefinition, registry: Registry) {
  const all = { name, help, labelNames: [...labels], registers: [registry] };
  if (kind === "counter") return new Counter(all);
  if (kind === "gauge") return new Gauge(all);
  return new Histogram({ ...all, buckets: "buckets" in rest ? [...rest.buckets] : [] });
}

/** Sets the gauges that no event updates. Without the database, gauges that depend on it have no value. */
function setGauges(
  byName: Map<MetricName, Counter | Gauge | Histogram>,
  status: BackendStatus | undefined,
  { pool, version }: MetricSources,
): void {
  const getGauge = (name: MetricName) => byName.get(name) as Gauge;
  getGauge("kay_info").set({ version }, 1);
  getGauge("kay_database_connections").set({ state: "open" }, pool.totalCount);
  getGauge("kay_database_connections").set({ state: "idle" }, pool.idleCount);
  getGauge("kay_database_connections").set({ state: "waiting" }, pool.waitingCount);
  getGauge("kay_working").set(status?.working ?? 0);
  getGauge("kay_followers").set(status?.followers ?? 0);
  getGauge("kay_database_up").set(status?.shared ? 1 : 0);
  getGauge("kay_generations").reset();
  getGauge("kay_nodes").reset();
  if (!status?.shared) return;
  getGauge("kay_nodes").set(status.shared.nodes);
  for (const [state, count] of Object.entries(status.shared.generations))
    getGauge("kay_generations").set({ status: state }, count);
}

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { BackendStatus } from "#backend/ports";
import { METRICS, type MetricName } from "#telemetry/metrics";
import type { Observe } from "#telemetry/trace";

/** Connections of the pool of a node. */
export type PoolCounts = { totalCount: number; idleCount: number; waitingCount: number };

/** What is looked at when somebody asks for the metrics. */
export type MetricSources = { status(): Promise<BackendStatus | undefined>; pool: PoolCounts; version: string };

/** Metrics in the text format of Prometheus, besides what the libraries tell of the process and of Node. */
export type Metrics = Pick<Observe, "count" | "measure"> & {
  text(): Promise<Response>;
  close(): void;
};

/** Metrics with a registry of their own: several backends in one process do not meet. */
export function createMetrics(looked: MetricSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const made = new Map<MetricName, Counter | Gauge | Histogram>(
    Object.entries(METRICS).map(([name, metric]) => [name as MetricName, make(name, metric, registry)]),
  );
  return {
    count: (name, labels, by = 1) => {
      const metric = made.get(name);
      if (metric instanceof Counter || metric instanceof Gauge) metric.inc(labels, by);
    },
    measure: (name, labels, seconds) => {
      const metric = made.get(name);
      if (metric instanceof Histogram) metric.observe(labels, seconds);
    },
    text: async () => {
      set(made, await looked.status(), looked);
      return new Response(await registry.metrics(), { headers: { "content-type": registry.contentType } });
    },
    close: () => registry.clear(),
  };
}

type Described = (typeof METRICS)[MetricName];

function make(name: string, { kind, help, labels, ...rest }: Described, registry: Registry) {
  const all = { name, help, labelNames: [...labels], registers: [registry] };
  if (kind === "counter") return new Counter(all);
  if (kind === "gauge") return new Gauge(all);
  return new Histogram({ ...all, buckets: "buckets" in rest ? [...rest.buckets] : [] });
}

/** What is not told when it happens, as it is now. A database that is away leaves out what only it knows. */
function set(
  made: Map<MetricName, Counter | Gauge | Histogram>,
  status: BackendStatus | undefined,
  { pool, version }: MetricSources,
): void {
  const gauge = (name: MetricName) => made.get(name) as Gauge;
  gauge("kay_info").set({ version }, 1);
  gauge("kay_database_connections").set({ state: "open" }, pool.totalCount);
  gauge("kay_database_connections").set({ state: "idle" }, pool.idleCount);
  gauge("kay_database_connections").set({ state: "waiting" }, pool.waitingCount);
  gauge("kay_working").set(status?.working ?? 0);
  gauge("kay_followers").set(status?.followers ?? 0);
  gauge("kay_database_up").set(status?.shared ? 1 : 0);
  gauge("kay_generations").reset();
  gauge("kay_nodes").reset();
  if (!status?.shared) return;
  gauge("kay_nodes").set(status.shared.nodes);
  for (const [state, count] of Object.entries(status.shared.generations))
    gauge("kay_generations").set({ status: state }, count);
}

/** Definition of a metric. `docs/operating.md` has the same table. */
type Metric = {
  kind: "counter" | "gauge" | "histogram";
  help: string;
  labels: readonly string[];
  buckets?: readonly number[];
};

/** Histogram buckets, in seconds. */
const SHORT = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const LONG = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const WORK = [0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 86_400];

/**
 * Every metric, by its Prometheus name. Label values have a bounded set and never hold an ID, a user or a text: routes
 * are templates, tools are built-in names (`own` stands for every custom one), and codes come from the error table.
 */
export const METRICS = {
  kay_http_requests_total: defineCounter("answered requests", ["method", "route", "status"]),
  kay_http_request_seconds: defineHistogram("time until the response starts", ["method", "route"], SHORT),
  kay_rate_limited_total: defineCounter("requests rejected by a rate limit", ["limit"]),
  kay_streams: defineGauge("open event streams on this node", []),
  kay_event_delay_seconds: defineHistogram("time from writing an event to sending it to a client", [], SHORT),
  kay_generation_seconds: defineHistogram("time from a request to its end, including pauses", ["status"], WORK),
  kay_generation_errors_total: defineCounter("generations that ended with an error", ["code"]),
  kay_steps_total: defineCounter("completed steps", []),
  kay_model_call_seconds: defineHistogram("duration of one model call", ["model", "outcome"], LONG),
  kay_model_failures_total: defineCounter("failed model calls", ["model", "code"]),
  kay_model_tokens_total: defineCounter("tokens, if the provider reports them", ["model", "direction"]),
  kay_tool_calls_total: defineCounter("tool calls", ["tool", "outcome"]),
  kay_tool_call_seconds: defineHistogram("duration of one tool call, without waiting for the user", ["tool"], LONG),
  kay_effects_total: defineCounter("writes, by the state they reached", ["state"]),
  kay_interactions_total: defineCounter("requests to users: opened, answered, expired, cancelled", ["event"]),
  kay_webhooks_total: defineCounter("reports from agent servers", ["outcome"]),
  kay_service_refreshes_total: defineCounter("refreshes of service tokens", ["service", "outcome"]),
  kay_sign_in_refreshes_total: defineCounter("refreshes of user sign-ins", ["outcome"]),
  kay_working: defineGauge("generations running on this node", []),
  kay_followers: defineGauge("clients that follow a conversation on this node, including pending requests", []),
  kay_generations: defineGauge("unfinished generations on all nodes", ["status"]),
  kay_nodes: defineGauge("live nodes", []),
  kay_database_up: defineGauge("1 while the database responds", []),
  kay_database_connections: defineGauge("connections in this node's pool, and callers waiting for one", ["state"]),
  kay_info: defineGauge("always 1, labeled with the version", ["version"]),
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof METRICS;

function defineCounter<const L extends readonly string[]>(help: string, labels: L) {
  return { kind: "counter", help, labels } as const;
}

function defineGauge<const L extends readonly string[]>(help: string, labels: L) {
  return { kind: "gauge", help, labels } as const;
}

function defineHistogram<const L extends readonly string[]>(help: string, labels: L, buckets: readonly number[]) {
  return { kind: "histogram", help, labels, buckets } as const;
}

/** What is measured: how it is read, what it tells an operator, and by what it is divided. `docs/operating.md` has the same table. */
type Metric = {
  kind: "counter" | "gauge" | "histogram";
  help: string;
  labels: readonly string[];
  buckets?: readonly number[];
};

/** Seconds. */
const SHORT = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const LONG = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const WORK = [0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 86_400];

/**
 * Everything that the backend counts, by the name it has for Prometheus. No label is an id, a person or a text: routes are templates, tools
 * those that kay has (`own` stands for every one that somebody described), codes those of the table of errors.
 */
export const METRICS = {
  kay_http_requests_total: counter("requests that were answered", ["method", "route", "status"]),
  kay_http_request_seconds: histogram("time until an answer begins", ["method", "route"], SHORT),
  kay_rate_limited_total: counter("requests refused for their number, by the limit they met", ["limit"]),
  kay_streams: gauge("streams of events that clients read from this node", []),
  kay_event_delay_seconds: histogram("from the moment an event is written until it is sent to a client", [], SHORT),
  kay_generation_seconds: histogram("from a request to its end, pauses included", ["status"], WORK),
  kay_generation_errors_total: counter("generations that ended with an error", ["code"]),
  kay_steps_total: counter("steps that were done", []),
  kay_model_call_seconds: histogram("one call of the model", ["model", "outcome"], LONG),
  kay_model_failures_total: counter("calls of the model that failed", ["model", "code"]),
  kay_model_tokens_total: counter("tokens, where the provider tells them", ["model", "direction"]),
  kay_tool_calls_total: counter("calls of tools", ["tool", "outcome"]),
  kay_tool_call_seconds: histogram("one call of a tool, without the wait for a person", ["tool"], LONG),
  kay_effects_total: counter("writes, by the state they came into", ["state"]),
  kay_interactions_total: counter("requests to people: opened, answered, expired, cancelled", ["event"]),
  kay_webhooks_total: counter("reports of agent servers", ["outcome"]),
  kay_service_refreshes_total: counter("refreshes of services' tokens", ["service", "outcome"]),
  kay_sign_in_refreshes_total: counter("refreshes of people's sign-ins", ["outcome"]),
  kay_working: gauge("generations that this node works on", []),
  kay_followers: gauge("who follows a conversation at this node, requests that wait for an answer included", []),
  kay_generations: gauge("generations that are not over, at all nodes", ["status"]),
  kay_nodes: gauge("nodes that live", []),
  kay_database_up: gauge("1 while the database answers", []),
  kay_database_connections: gauge("connections of this node's pool, and who waits for one", ["state"]),
  kay_info: gauge("1, with the version", ["version"]),
} as const satisfies Record<string, Metric>;

/** Name of a metric. */
export type MetricName = keyof typeof METRICS;

function counter<const L extends readonly string[]>(help: string, labels: L) {
  return { kind: "counter", help, labels } as const;
}

function gauge<const L extends readonly string[]>(help: string, labels: L) {
  return { kind: "gauge", help, labels } as const;
}

function histogram<const L extends readonly string[]>(help: string, labels: L, buckets: readonly number[]) {
  return { kind: "histogram", help, labels, buckets } as const;
}

import { createServiceHttp, type ServiceHttpOptions } from "#connectors/http/client";
import type { Service } from "#connectors/service";
import type { ServiceHttp } from "#connectors/service-http";
import type { ToolContext } from "#connectors/tool";

/** What "now" is. */
const NOON = Date.parse("2026-11-27T12:00:00Z");

/**
 * One request that a test expects, and its answer: a status and JSON, raw text with its type, or a fault of the
 * network.
 */
export type Expected = {
  request: string;
  body?: unknown;
  status?: number;
  json?: unknown;
  text?: string;
  headers?: Record<string, string>;
  fault?: Error;
};

/** Requests to the outside, in order. */
type Asked = { request: string; body?: unknown; token?: string | null; headers: Record<string, string> };

/** The outside as a strict list: each request must be the next expected one, and `done` fails if some are missing. */
export function outside(...expected: Expected[]) {
  const requests: Asked[] = [];
  const remaining = [...expected];
  async function fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const headers = Object.fromEntries(new Headers(init.headers));
    const request = `${init.method ?? "GET"} ${decodeURI(url)}`;
    const body = typeof init.body === "string" ? JSON.parse(init.body) : undefined;
    requests.push({ request, body, token: headers.authorization?.replace("Bearer ", ""), headers });
    const next = remaining.shift();
    if (!next) throw new Error(`unexpected request ${request}`);
    if (next.request !== request) throw new Error(`expected ${next.request}, got ${request}`);
    if (next.body !== undefined && JSON.stringify(next.body) !== JSON.stringify(body)) {
      throw new Error(`expected ${JSON.stringify(next.body)}, got ${JSON.stringify(body)}`);
    }
    if (next.fault) throw next.fault;
    return answer(next);
  }
  function checkDone(): void {
    if (remaining.length > 0) throw new Error(`not asked: ${remaining.map(({ request }) => request).join(", ")}`);
  }
  return { fetch, asked: requests, done: checkDone };
}

/** The HTTP core over a fake outside; pauses are only recorded. */
export function httpOver(
  world: { fetch: ServiceHttpOptions["fetch"] },
  service: Service,
  options: Partial<ServiceHttpOptions> = {},
): { http: ServiceHttp; pauses: number[] } {
  const pauses: number[] = [];
  const http = createServiceHttp({
    fetch: world.fetch,
    endpoints: service.endpoints,
    service,
    token: async () => "T0",
    clock: { now: () => NOON },
    sleep: async (milliseconds) => void pauses.push(milliseconds),
    ...options,
  });
  return { http, pauses };
}

/** Runs a tool of a service by name like the agent: validates the input, then runs it. */
export function runTool(service: Service, name: string, input: Record<string, unknown>, context: ToolContext) {
  const tool = service.tools.find((candidate) => candidate.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool.run(tool.input.parse(input), context);
}

/** Runs a tool against the requests that it must make, in this order. Returns its result, and the requests as they came. */
export async function runExpecting(
  service: Service,
  metadata: Record<string, unknown>,
  name: string,
  input: Record<string, unknown>,
  ...expected: Expected[]
) {
  const world = outside(...expected);
  const result = await runTool(service, name, input, contextOver(world, service, metadata));
  world.done();
  return { result, asked: world.asked };
}

/** Creates a function that does the same for the tools of one service; `base` precedes paths without an origin. */
export function createRunner(service: Service, metadata: Record<string, unknown>, base = "") {
  return async (name: string, input: Record<string, unknown>, ...expected: Expected[]) => {
    const requests = expected.map((expectation) => ({
      ...expectation,
      request: expectation.request.replace(" /", ` ${base}/`),
    }));
    return (await runExpecting(service, metadata, name, input, ...requests)).result;
  };
}

/** Returns the sentence with which a tool describes a call. */
export function summarize(service: Service, name: string, input: Record<string, unknown>): string | undefined {
  return service.tools.find((tool) => tool.name === name)?.summary(input);
}

/** The first pattern that fits a request answers it: with JSON or a text, and a status if it is no 200. */
export type Route = [request: RegExp, body: unknown, status?: number];

/** What the connection of a service holds. */
const METADATA: Record<string, Record<string, unknown>> = {
  jira: { cloud_id: "c", url: "https://acme.atlassian.net" },
  confluence: { cloud_id: "c", url: "https://acme.atlassian.net" },
  bitbucket: { workspace: "acme", url: "https://bitbucket.org/acme" },
  github: { url: "https://github.com", login: "dana" },
  hubspot: { url: "https://app.hubspot.com/contacts/1", currency: "EUR" },
  slack: { url: "https://acme.slack.com" },
  gmail: { url: "https://mail.google.com", email: "dana@x.test" },
  "google-calendar": { time_zone: "Europe/Berlin" },
  linkedin: { url: "https://www.linkedin.com", person: "urn:li:person:p1" },
};

/** Runs a tool of a connected service over routes. Requests without one are not found. */
export function runConnected(service: Service, name: string, input: Record<string, unknown>, ...routes: Route[]) {
  const fetch = async (url: string, init: RequestInit = {}) => {
    const request = `${init.method ?? "GET"} ${decodeURIComponent(url)}`;
    const [, body, status = 200] = routes.find(([pattern]) => pattern.test(request)) ?? [0, { request }, 404];
    return new Response(typeof body === "string" ? body : JSON.stringify(body), { status });
  };
  const context = contextOver({ fetch }, service, METADATA[service.name] ?? {});
  return runTool(service, `${service.name}.${name}`, input, context);
}

/** A tool's context over a fake outside. */
export function contextOver(
  world: { fetch: ServiceHttpOptions["fetch"] },
  service: Service,
  metadata: Record<string, unknown>,
): ToolContext {
  return {
    http: httpOver(world, service).http,
    metadata,
    signal: new AbortController().signal,
    idempotencyKey: "effect_1",
    clock: { now: () => NOON },
  };
}

function answer({ status = 200, json, text, headers }: Expected): Response {
  if (json !== undefined) {
    return new Response(JSON.stringify(json), { status, headers: { "content-type": "application/json", ...headers } });
  }
  return new Response(text ?? null, { status, headers });
}

import { withLogFields } from "#telemetry/log";
import { getTraceId, parseTraceparent, type Span, traceSpan } from "#telemetry/trace";
import type { BackendPorts } from "../ports.ts";

/** Polled routes, which would make up most traces: probes, and clients that wait for a consent. */
const UNTRACED = ["/health", "/ready", "/capabilities", "/auth/status/:state"];

/** A request, its ID, and the template of the matched route. */
export type RequestContext = { request: Request; requestId: string; route: string };

/**
 * Handles a request so that an operator can follow it: log lines carry its ID, and it is counted, timed and, if traces
 * are on, traced below the sender's span. A failure that the sender did not cause is always logged.
 */
export function logRequest(
  ports: Pick<BackendPorts, "observe" | "clock" | "log">,
  { request, requestId, route }: RequestContext,
  work: () => Promise<Response>,
): Promise<Response> {
  const { observe, clock, log } = ports;
  const { method } = request;
  const start = { at: clock.now(), seconds: observe?.seconds() ?? 0 };
  const answerAndLog = async (span?: Span): Promise<Response> => {
    const response = await work();
    const { status } = response;
    span?.set({ "http.response.status_code": status });
    observe?.count("kay_http_requests_total", { method: toMethodLabel(method), route, status: String(status) });
    observe?.measure(
      "kay_http_request_seconds",
      { method: toMethodLabel(method), route },
      observe.seconds() - start.seconds,
    );
    log(status >= 500 ? "info" : "debug", "request", {
      method,
      path: getLoggedPath(request, route),
      status,
      ...(status >= 500 ? await getCode(response) : {}),
      ms: clock.now() - start.at,
    });
    return response;
  };
  const fields = { request: requestId };
  if (!observe?.traces || UNTRACED.includes(route)) return withLogFields(fields, answerAndLog);
  const place = {
    kind: "server",
    attributes: { "http.request.method": toMethodLabel(method), "http.route": route, "kay.request": requestId },
    parent: parseTraceparent(request.headers.get("traceparent")) ?? null,
  } as const;
  return traceSpan(observe, `${toMethodLabel(method)} ${route}`, place, (span) =>
    withLogFields({ ...fields, trace: getTraceId(span?.traceparent) }, () => answerAndLog(span)),
  );
}

/** Returns the error that a response reports. */
async function getCode(response: Response): Promise<{ code?: unknown }> {
  const body = await response
    .clone()
    .json()
    .catch(() => null);
  return { code: (body as { code?: unknown } | null)?.code };
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

function toMethodLabel(method: string): string {
  return METHODS.includes(method) ? method : "other";
}

/** Returns the path for the log. Uses the template of routes whose path holds a state, a key or a code. */
function getLoggedPath(request: Request, route: string): string {
  return /^\/(?:auth\/status|requests|answer\/device|mcp\/authorize|mcp\/requests)\//.test(route)
    ? route
    : new URL(request.url).pathname;
}

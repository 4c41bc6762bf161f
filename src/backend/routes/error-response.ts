import { Problem, toProblemBody } from "#protocol/errors";
import type { Log } from "#telemetry/log";
import { getFaultLevel, toDatabaseProblem } from "../store/database.ts";

/**
 * The one place where an error becomes an answer. Expected ones say what they are; of anything else only the request's id leaves, the rest
 * goes to the log.
 */
export function toErrorResponse(error: unknown, log: Log, requestId: string): Response {
  const problem = asProblem(error, log, requestId);
  if (problem.cause !== undefined && error instanceof Problem) {
    log(problem.status < 500 ? "debug" : "warn", "request.refused", {
      request: requestId,
      problem: problem.code,
      cause: problem.cause,
    });
  }
  const { retry_after: retryAfter, allow } = problem.details;
  return Response.json(toProblemBody(problem), {
    status: problem.status,
    headers: {
      ...(typeof retryAfter === "number" ? { "retry-after": String(retryAfter) } : {}),
      ...(Array.isArray(allow) ? { allow: allow.join(", ") } : {}),
    },
  });
}

function asProblem(error: unknown, log: Log, requestId: string): Problem {
  if (error instanceof Problem) return error;
  log(getFaultLevel(error), "request.fault", { request: requestId, cause: error });
  return (
    toDatabaseProblem(error) ??
    new Problem("INTERNAL", `Something went wrong inside kay (request ${requestId}).`, {
      details: { request_id: requestId },
    })
  );
}

import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { authRequiredProblem } from "../http/errors.ts";
import { toOwnFaultProblem } from "../http/own-fault.ts";
import { wasNeverSent } from "../http/retry.ts";

/** Returns whether an error means that the connection is closed, so that a retry needs a new one. */
export function isClosedProblem(error: unknown): boolean {
  return error instanceof Problem && closedProblems.has(error);
}

const closedProblems = new WeakSet<Problem>();

/** Marks a problem as caused by a closed connection. */
export function markClosed(problem: Problem): Problem {
  closedProblems.add(problem);
  return problem;
}

/** Creates the error for a write whose response was lost. */
export function unknownOutcomeProblem(title: string, problem: Problem): Problem {
  return new Problem("OUTCOME_UNKNOWN", `${problem.message} The request may have been processed.`, {
    hint: `Check ${title} before you try again.`,
    cause: problem,
  });
}

/** Creates the error for a request that the user cancelled. */
export function cancelledProblem(title: string, cause: unknown): Problem {
  return new Problem("CANCELLED", `The request to ${title} was cancelled.`, { cause });
}

/** The server that an error is about. `ending` says how its program ended; `own` is the last failure in kay's words. */
export type FaultSource = { name: string; title: string; ending?: string; own?: unknown };

/** A failure of a connection. `lost`: the request may have been processed. `gone`: the connection is unusable. */
export type McpFault = { problem: Problem; lost: boolean; gone: boolean };

/** Converts an error of the library, a request or a program to a problem. */
export function toMcpFault(error: unknown, { name, title, ending, own }: FaultSource): McpFault {
  const serviceFailedProblem = (sentence: string) => new Problem("SERVICE_FAILED", sentence, { cause: error });
  if (ending !== undefined) return { problem: serviceFailedProblem(`${title} ${ending}.`), lost: true, gone: true };
  const known = findProblem(error) ?? (own instanceof Problem ? own : undefined);
  if (known) return { problem: known, lost: known.code === "SERVICE_FAILED", gone: false };
  const machine = toOwnFaultProblem("SERVICE_FAILED", title, error);
  if (machine) return { problem: machine, lost: false, gone: true };
  if (error instanceof ProtocolError) return { problem: refusalProblem(title, error), lost: false, gone: false };
  if (error instanceof SdkHttpError) return toHttpFault(error, name, title);
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return { problem: serviceFailedProblem(`${title} did not answer in time.`), lost: true, gone: false };
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult)
    return { problem: serviceFailedProblem(`${title} returned an unexpected response.`), lost: true, gone: false };
  if (isUnexpectedContent(error) || (error instanceof SdkError && isUnexpectedContent(error.cause)))
    return { problem: serviceFailedProblem(`${title} does not respond like an MCP server.`), lost: true, gone: true };
  if (wasNeverSent(error) || wasNeverSent(own))
    return { problem: serviceFailedProblem(`${title} could not be reached.`), lost: false, gone: true };
  return { problem: serviceFailedProblem(`The connection to ${title} was lost.`), lost: true, gone: true };
}

/** Returns whether the response was not a protocol message, such as a web page. */
function isUnexpectedContent(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.ClientHttpUnexpectedContent;
}

function refusalProblem(title: string, error: ProtocolError): Problem {
  const message = cleanLine(error.message, 300).replace(/[.\s]+$/, "");
  return new Problem("SERVICE_FAILED", message ? `${title}: ${message}.` : `${title} refused the request.`, {
    hint: "",
    cause: error,
  });
}

/** Converts an HTTP error. 404 means that the session has ended and nothing was done (MCP, "Session Management"). */
function toHttpFault(error: SdkHttpError, name: string, title: string): McpFault {
  const { status } = error;
  if (status === 401) return { problem: authRequiredProblem({ name, title }), lost: false, gone: true };
  if (status === 429)
    return {
      problem: new Problem("RATE_LIMITED", `${title} is receiving too many requests.`, { cause: error }),
      lost: false,
      gone: false,
    };
  const problem = new Problem("SERVICE_FAILED", `${title} refused the request (HTTP ${status}).`, { cause: error });
  return { problem, lost: status >= 500 && status !== 501 && status !== 503, gone: status === 404 || status >= 500 };
}

function findProblem(error: unknown): Problem | undefined {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 8; inner = inner.cause, depth++)
    if (inner instanceof Problem) return inner;
  return undefined;
}

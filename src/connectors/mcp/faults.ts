import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { authRequiredProblem } from "../http/errors.ts";
import { toOwnFaultProblem } from "../http/own-fault.ts";
import { wasNeverSent } from "../http/retry.ts";

/** Whether something failed because its link is over, so that it may be tried again over a new one. */
export function isClosedProblem(error: unknown): boolean {
  return error instanceof Problem && gone.has(error);
}

const gone = new WeakSet<Problem>();

/** Says of a problem that its link is over. */
export function markClosed(problem: Problem): Problem {
  gone.add(problem);
  return problem;
}

/** What becomes of a write whose answer was lost. */
export function unknownOutcomeProblem(title: string, problem: Problem): Problem {
  return new Problem("OUTCOME_UNKNOWN", `${problem.message} The request may have been processed.`, {
    hint: `Look in ${title} before you repeat it.`,
    cause: problem,
  });
}

/** What becomes of a request that its person ended. */
export function cancelledProblem(title: string, cause: unknown): Problem {
  return new Problem("CANCELLED", `The request to ${title} was cancelled.`, { cause });
}

/** The server that an error is about. `ending` is how its program ended, `own` the last failure of a request in kay's own words. */
export type FaultSource = { name: string; title: string; ending?: string; own?: unknown };

/**
 * What went wrong with a link. `lost`: the request may have arrived, and nobody knows what came of it. `gone`: the link is of no use any more.
 * `refused`: the server itself said no.
 */
export type McpFault = { problem: Problem; lost: boolean; gone: boolean };

/** An error of the library, of a request or of a program, as an error of the table. */
export function toMcpFault(error: unknown, { name, title, ending, own }: FaultSource): McpFault {
  const failed = (sentence: string) => new Problem("SERVICE_FAILED", sentence, { cause: error });
  if (ending !== undefined) return { problem: failed(`${title} ${ending}.`), lost: true, gone: true };
  const known = problemIn(error) ?? (own instanceof Problem ? own : undefined);
  if (known) return { problem: known, lost: known.code === "SERVICE_FAILED", gone: false };
  const machine = toOwnFaultProblem("SERVICE_FAILED", title, error);
  if (machine) return { problem: machine, lost: false, gone: true };
  if (error instanceof ProtocolError) return { problem: refusal(title, error), lost: false, gone: false };
  if (error instanceof SdkHttpError) return httpFault(error, name, title);
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return { problem: failed(`${title} did not answer in time.`), lost: true, gone: false };
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult)
    return { problem: failed(`${title} returned an unexpected response.`), lost: true, gone: false };
  if (isStrange(error) || (error instanceof SdkError && isStrange(error.cause)))
    return { problem: failed(`${title} does not answer as an MCP server does.`), lost: true, gone: true };
  if (wasNeverSent(error) || wasNeverSent(own))
    return { problem: failed(`${title} could not be reached.`), lost: false, gone: true };
  return { problem: failed(`The connection to ${title} broke.`), lost: true, gone: true };
}

/** A page for browsers, or something else that is no message of the protocol. */
function isStrange(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.ClientHttpUnexpectedContent;
}

function refusal(title: string, error: ProtocolError): Problem {
  const said = cleanLine(error.message, 300).replace(/[.\s]+$/, "");
  return new Problem("SERVICE_FAILED", said ? `${title}: ${said}.` : `${title} refused the request.`, {
    hint: "",
    cause: error,
  });
}

/** 404 says that the session is over, and nothing was done (MCP, "Session Management"). */
function httpFault(error: SdkHttpError, name: string, title: string): McpFault {
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

function problemIn(error: unknown): Problem | undefined {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 8; inner = inner.cause, depth++)
    if (inner instanceof Problem) return inner;
  return undefined;
}

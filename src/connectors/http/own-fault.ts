import { Problem } from "#protocol/errors";

/** Codes of problems with this machine's proxy or certificates. Nothing was sent, and a retry does not help. */
const OWN_CODES = new Set(["PROXY_INVALID", "TLS_FAILED", "UNREACHABLE"]);

/** Returns the local problem as the reason why `target` (`OpenAI gpt-5`, `Jira`) could not be reached. */
export function toOwnFaultProblem(
  code: "SERVICE_FAILED" | "MODEL_FAILED",
  target: string,
  error: unknown,
): Problem | undefined {
  const problem = listCauses(error).find((cause) => cause instanceof Problem && OWN_CODES.has(cause.code)) as
    | Problem
    | undefined;
  return (
    problem &&
    new Problem(code, `${target} could not be reached. ${problem.message}`, { hint: problem.hint, cause: error })
  );
}

/**
 * Returns the next step for a network failure, which no status page shows.
 *
 * @param name the service that `kay doctor` checks. Without it, `kay doctor` also checks the connection to the model
 */
export function findNetworkHint(error: unknown, name = ""): string | undefined {
  const codes = listCauses(error).map((cause) => String((cause as { code?: unknown }).code));
  const reason = codes.map((code) => REASONS[code]).find((reason) => reason !== undefined);
  return reason && `${reason} \`kay doctor${name && ` ${name}`}\` checks each step.`;
}

/** Returns what a service did, as the end of a sentence. The codes are those of undici and llhttp. */
export function describeNetworkFault(error: unknown): string {
  const codes = listCauses(error).map((cause) => String((cause as { code?: unknown }).code));
  if (codes.some((code) => /^HPE_|^UND_ERR_(?:HEADERS_OVERFLOW|RES_)/.test(code)))
    return "returned a response that is not valid HTTP";
  return codes.some((code) => CLOSED.has(code)) ? "closed the connection without a response" : "could not be reached";
}

const CLOSED = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

const PROXY = "Check the network, and set HTTPS_PROXY if you need a proxy.";
const NO_NAME = `No address was found for its name. ${PROXY}`;
const NO_ROUTE = `This machine has no route to it. ${PROXY}`;

const REASONS: Record<string, string | undefined> = {
  ENOTFOUND: NO_NAME,
  EAI_AGAIN: NO_NAME,
  EAI_FAIL: NO_NAME,
  ENETUNREACH: NO_ROUTE,
  ENETDOWN: NO_ROUTE,
  EHOSTUNREACH: NO_ROUTE,
  EADDRNOTAVAIL: NO_ROUTE,
  ETIMEDOUT: `Its address did not answer in time. ${PROXY}`,
  UND_ERR_CONNECT_TIMEOUT: `Its address did not answer in time. ${PROXY}`,
  ECONNREFUSED: "Nothing answers at its address. Check that it runs and that the address is right.",
};

/** Lists an error and its causes. The model SDK wraps the last error in its retry error. */
function listCauses(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let current = error; current instanceof Error && causes.length < 8; ) {
    causes.push(current);
    current = (current as { lastError?: unknown }).lastError ?? current.cause;
  }
  return causes;
}

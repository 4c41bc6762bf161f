import { Problem } from "#protocol/errors";

/**
 * Finds a proxy or certificate problem of this machine in an error's causes. Nothing was sent, and a retry does not
 * help.
 */
function findOwnFault(error: unknown): Problem | undefined {
  let current = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth++) {
    if (current instanceof Problem && ["PROXY_INVALID", "TLS_FAILED"].includes(current.code)) return current;
    // The model SDK wraps the last error in its retry error.
    current = (current as { lastError?: unknown }).lastError ?? current.cause;
  }
  return undefined;
}

/** Returns the local problem as the reason why `target` (`OpenAI gpt-5`, `Jira`) could not be reached. */
export function toOwnFaultProblem(
  code: "SERVICE_FAILED" | "MODEL_FAILED",
  target: string,
  error: unknown,
): Problem | undefined {
  const own = findOwnFault(error);
  return own && new Problem(code, `${target} could not be reached. ${own.message}`, { hint: own.hint, cause: error });
}

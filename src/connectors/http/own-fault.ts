import { Problem } from "#protocol/errors";

/**
 * What is wrong at the backend's own machine, its proxy or its certificate authorities, somewhere below an error of an HTTP client: nothing was
 * sent, and no other attempt cures it.
 */
function ownFault(error: unknown): Problem | undefined {
  let current = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth++) {
    if (current instanceof Problem && ["PROXY_INVALID", "TLS_FAILED"].includes(current.code)) return current;
    // The SDK of models wraps the last error of several attempts.
    current = (current as { lastError?: unknown }).lastError ?? current.cause;
  }
  return undefined;
}

/** The same as the failure to reach something: `OpenAI gpt-5`, `Jira`. */
export function toOwnFaultProblem(
  code: "SERVICE_FAILED" | "MODEL_FAILED",
  what: string,
  error: unknown,
): Problem | undefined {
  const own = ownFault(error);
  return own && new Problem(code, `${what} could not be reached. ${own.message}`, { hint: own.hint, cause: error });
}

/**
 * The closed table of errors: every way kay can fail, on one screen. The backend answers with `status`; the command
 * line exits with `exit` and prints `hint` below the message. A code that is not listed is a bug.
 *
 * `status` 0 marks errors that only the client can have. They never travel.
 */
export const ERRORS = {
  // the request
  INVALID_REQUEST: { status: 400, exit: 2, hint: "Run `kay help` to see how the command is used." },
  UNKNOWN_SERVICE: { status: 400, exit: 2, hint: "Run `kay connections` to see every service." },
  SERVICE_NOT_CONFIGURED: { status: 409, exit: 1, hint: "Ask the administrator of your backend to configure it." },
  SITE_REQUIRED: { status: 400, exit: 2, hint: "Connect again with `kay connect <service> --site <name>`." },
  ACCOUNT_MISMATCH: {
    status: 409,
    exit: 4,
    hint: "Choose that account in the browser and run `kay connect <service>` again.",
  },
  SESSION_INVALID: { status: 400, exit: 4, hint: "Run `kay connect <service>` to start again." },
  STATE_INVALID: { status: 400, exit: 1, hint: "Run `kay connect <service>` again for a fresh link." },
  STATE_USED: { status: 410, exit: 1, hint: "Run `kay connect <service>` again for a fresh link." },
  NOT_FOUND: { status: 404, exit: 1, hint: "Run `kay help` to list the commands." },
  METHOD_NOT_ALLOWED: { status: 405, exit: 1, hint: "" },
  HOST_REFUSED: { status: 403, exit: 1, hint: "Start the backend with `kay serve --host <name>` to accept that name." },
  ORIGIN_REFUSED: { status: 403, exit: 1, hint: "" },
  LOCAL_SECRET_REQUIRED: { status: 403, exit: 1, hint: "Run `kay doctor`." },
  /** The address of a custom service is not allowed on this backend. */
  ADDRESS_REFUSED: {
    status: 403,
    exit: 1,
    hint: "Use a service with a public address, or the local backend: `kay config unset api-url`.",
  },
  /** An MCP server changed a tool after it was approved. Nothing was called. */
  TOOL_CHANGED: { status: 409, exit: 1, hint: "Review the change with `kay services approve <service>`." },
  PAYLOAD_TOO_LARGE: { status: 413, exit: 2, hint: "Send a smaller request." },
  RATE_LIMITED: { status: 429, exit: 6, hint: "Try again in a moment." },

  // signing in
  TOKEN_MISSING: { status: 401, exit: 4, hint: "Run `kay connect <service>`." },
  TOKEN_INVALID: { status: 401, exit: 4, hint: "Run `kay connect <service>`." },
  TOKEN_EXPIRED: { status: 401, exit: 4, hint: "Run `kay connect <service>`." },
  REFRESH_INVALID: { status: 401, exit: 4, hint: "Run `kay connect <service>` to sign in again." },
  REFRESH_REUSED: { status: 401, exit: 4, hint: "Run `kay connect <service>` to sign in again." },
  VERIFIER_INVALID: { status: 401, exit: 4, hint: "Run `kay connect <service>` again for a fresh link." },
  NOT_SIGNED_IN: { status: 401, exit: 4, hint: "Run `kay connect <service>`." },
  /** A script token was sent for something that only a signed-in user may do. Not 401, because a refresh does not help. */
  SIGN_IN_REQUIRED: { status: 403, exit: 4, hint: "Unset KAY_TOKEN, and run the command in a signed-in terminal." },
  NOT_CONNECTED: { status: 409, exit: 4, hint: "Run `kay connect <service>`." },
  /**
   * A tool needs a service that is not connected. `integrations` in the details lists them. Not 401, because a refresh
   * does not help.
   */
  AUTH_REQUIRED: { status: 403, exit: 4, hint: "Run `kay connect <service>`, then ask again." },

  // consent
  AUTHORIZATION_DENIED: { status: 0, exit: 5, hint: "Run `kay connect <service>` to try again." },
  AUTHORIZATION_FAILED: { status: 0, exit: 1, hint: "Run `kay connect <service>` to try again." },
  AUTHORIZATION_EXPIRED: { status: 0, exit: 1, hint: "Run `kay connect <service>` again for a fresh link." },

  // asking
  SESSION_NOT_FOUND: { status: 404, exit: 1, hint: "Run `kay ask` to start a new conversation." },
  CONFIRMATION_REQUIRED: { status: 0, exit: 8, hint: "Run `kay confirm <token> --approve` or `--deny`." },
  CONFIRMATION_NOT_FOUND: { status: 404, exit: 1, hint: "Ask again to get a new confirmation." },
  CONFIRMATION_USED: {
    status: 409,
    exit: 1,
    hint: "Check the result before you ask again.",
  },
  CONFIRMATION_EXPIRED: { status: 410, exit: 1, hint: "Ask again to get a new confirmation." },
  INTERACTION_NOT_FOUND: { status: 404, exit: 1, hint: "Run `kay pending` to list open requests." },
  INTERACTION_CLOSED: { status: 409, exit: 1, hint: "Run `kay pending` to list open requests." },
  /** A tool wants to ask, but no client that follows the conversation can answer. The tool may ask in text instead. */
  INTERACTION_UNAVAILABLE: { status: 409, exit: 1, hint: "Run `kay ask` in a terminal." },
  /** Stopped at an open approval, form or connection request. The JSON names the request and how to answer it. */
  INTERACTION_REQUIRED: { status: 0, exit: 8, hint: "Run `kay pending`, then `kay answer <id>`." },
  GENERATION_NOT_FOUND: { status: 404, exit: 1, hint: "Run `kay pending` to list open requests." },
  /** The generation is not waiting for a connection, or the service is not connected yet. */
  GENERATION_CLOSED: { status: 409, exit: 1, hint: "Run `kay pending` to list open requests." },
  APPROVAL_NOT_FOUND: { status: 404, exit: 1, hint: "Run `kay approvals list` to list your approvals." },
  CONTEXT_TOO_LONG: { status: 422, exit: 1, hint: "Start a new conversation, or ask for less at once." },
  /** Neither the answer nor its correction matches the requested schema. */
  OUTPUT_INVALID: {
    status: 422,
    exit: 1,
    hint: "Rephrase the prompt or simplify the schema. Use --json to see the rejected answer.",
  },
  /** The request used all the model calls that it or the backend allows. */
  STEP_LIMIT: { status: 422, exit: 1, hint: "Ask for less at once, or allow more steps (`kay ask --max-steps`)." },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    exit: 1,
    hint: "Wait for the first request with this key, or use a new key.",
  },
  MODEL_NOT_CONFIGURED: {
    status: 503,
    exit: 1,
    hint: "Set the provider's API key, or `kay config unset model` for the offline planner.",
  },
  MODEL_FAILED: { status: 502, exit: 1, hint: "Try again, or choose another model with `kay config set model`." },
  AGENT_NOT_CONFIGURED: { status: 400, exit: 1, hint: "Ask the administrator of your backend to set KAY_AGENT_URL." },
  AGENT_FAILED: {
    status: 502,
    exit: 1,
    hint: "Try again in a moment. If it keeps failing, contact the administrator of your backend.",
  },
  SERVICE_FAILED: { status: 502, exit: 1, hint: "Check the service's status page and try again." },
  DENIED: { status: 0, exit: 5, hint: "" },
  CANCELLED: { status: 0, exit: 5, hint: "" },

  // this machine
  USAGE: { status: 0, exit: 2, hint: "" },
  INPUT_REQUIRED: { status: 0, exit: 2, hint: "" },
  /** The command succeeded, but the `--jq` expression failed on its output. */
  FILTER_FAILED: { status: 0, exit: 1, hint: "Try the expression on the output of `--json`." },
  BROKEN_SETTINGS: { status: 0, exit: 1, hint: "" },
  STORE_UNREADABLE: { status: 0, exit: 1, hint: "" },
  STORE_BUSY: { status: 0, exit: 1, hint: "Another kay process is signing in. Try again in a moment." },
  KEYCHAIN_LOCKED: { status: 0, exit: 1, hint: "Unlock the keychain and try again." },
  KEYCHAIN_UNAVAILABLE: { status: 0, exit: 1, hint: "Run `kay doctor`." },
  INSECURE_URL: { status: 0, exit: 2, hint: "Use an https:// URL, or http:// for localhost." },
  BACKEND_START_FAILED: { status: 0, exit: 1, hint: "" },
  NOT_READY: { status: 503, exit: 6, hint: "Try again in a moment, or use another node." },
  BACKEND_BUSY: { status: 409, exit: 1, hint: "Try again in a moment." },
  DATABASE_UNAVAILABLE: { status: 503, exit: 6, hint: "Set DATABASE_URL to a running Postgres server." },

  // the network
  UNREACHABLE: { status: 0, exit: 6, hint: "Check the address and the network, then try again." },
  TIMED_OUT: { status: 0, exit: 6, hint: "Try again in a moment." },
  BAD_GATEWAY: { status: 0, exit: 6, hint: "Try again in a moment." },
  BAD_ANSWER: { status: 0, exit: 1, hint: "Check that the URL points to a kay backend: `kay config get api-url`." },
  REDIRECT_REFUSED: { status: 0, exit: 1, hint: "Set the final address with `kay config set api-url`." },
  PROXY_INVALID: { status: 0, exit: 2, hint: "" },
  TLS_FAILED: {
    status: 0,
    exit: 6,
    hint: "If you trust this server, set KAY_CA_FILE to its CA certificate (PEM).",
  },
  /** A write was sent, but its answer was lost. Never retried automatically. */
  OUTCOME_UNKNOWN: { status: 502, exit: 1, hint: "Check whether it took effect before you retry." },

  // a bug in kay
  INTERNAL: {
    status: 500,
    exit: 1,
    hint: "This is a bug. Run `kay doctor --bundle` and attach the report to an issue.",
  },
} as const satisfies Record<string, { status: number; exit: number; hint: string }>;

/** A code of the closed table of errors. */
export type ErrorCode = keyof typeof ERRORS;

/** Whether a received value is a known error code. */
export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(ERRORS, code);
}

/** Options of a {@link Problem}: a better hint, extra fields for the JSON body, and the cause (for logs only). */
export type ProblemOptions = { hint?: string | undefined; details?: Record<string, unknown>; cause?: unknown };

/**
 * An expected error: a code of the table, one sentence for the user, and what to do next. Anything else thrown is a
 * bug.
 *
 * @example throw new Problem("NOT_SIGNED_IN", "You are not signed in.");
 */
export class Problem extends Error {
  readonly code: ErrorCode;
  readonly hint: string;
  readonly details: Record<string, unknown>;

  constructor(code: ErrorCode, message: string, options: ProblemOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "Problem";
    this.code = code;
    this.hint = options.hint ?? ERRORS[code].hint;
    this.details = options.details ?? {};
  }

  /** Exit code of the command line (docs/scripting.md). */
  get exit(): (typeof ERRORS)[ErrorCode]["exit"] {
    return ERRORS[this.code].exit;
  }

  /** HTTP status of the backend's answer; 500 for errors that only a client can have. */
  get status(): number {
    return ERRORS[this.code].status || 500;
  }
}

/**
 * The reason of a signal that aborts because the user canceled the work. With any other reason, the process may be
 * ending while another one continues the work.
 */
export class Cancellation extends Error {
  override name = "AbortError";
}

/**
 * Returns the error body of an HTTP answer. Extra fields, such as `session_reset_required`, come from `details`. A hint
 * of the table is left out, because the client has the table.
 */
export function toProblemBody({ code, message, hint, details }: Problem): Record<string, unknown> {
  return { error: code, code, message, ...(hint === ERRORS[code].hint ? {} : { hint }), ...details };
}

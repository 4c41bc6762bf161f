import type { ErrorHandler } from "hono";

type Status = 400 | 401 | 403 | 404 | 409 | 410;

const NAMES: Record<Status, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ALREADY_EXISTS",
  410: "FAILED_PRECONDITION",
};

/** An error of a Google API: `{"error": {"code", "message", "errors", "status", "details"?}}`. */
export class GoogleError extends Error {
  readonly status: Status;
  readonly reason: string;
  readonly details: unknown[] | undefined;

  constructor(status: Status, reason: string, message: string, details?: unknown[]) {
    super(message);
    this.name = "GoogleRefusal";
    this.status = status;
    this.reason = reason;
    this.details = details;
  }
}

export const handleErrors: ErrorHandler = (error, c) => {
  if (!(error instanceof GoogleError)) throw error;
  const { status: code, reason, message, details } = error;
  const errors = [{ message, domain: "global", reason }];
  return c.json({ error: { code, message, errors, status: NAMES[code], ...(details ? { details } : {}) } }, code);
};

export function invalidError(message: string): GoogleError {
  return new GoogleError(400, "invalid", message);
}

export function notFoundError(message = "Requested entity was not found."): GoogleError {
  return new GoogleError(404, "notFound", message);
}

import { ApiError } from "../api.ts";

const NAMES = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ALREADY_EXISTS",
};

/** An error of a Google API: `{"error": {"code", "message", "errors", "status", "details"?}}`. */
export function googleError(code: keyof typeof NAMES, reason: string, message: string, details?: unknown[]): ApiError {
  const errors = [{ message, domain: "global", reason }];
  return new ApiError(code, message, {
    error: { code, message, errors, status: NAMES[code], ...(details ? { details } : {}) },
  });
}

export function invalidError(message: string): ApiError {
  return googleError(400, "invalid", message);
}

export function notFoundError(message = "Requested entity was not found."): ApiError {
  return googleError(404, "notFound", message);
}

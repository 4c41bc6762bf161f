import { randomUUID } from "node:crypto";
import type { JsonRecord } from "#protocol/json";
import { ApiError } from "../api.ts";

/**
 * An error of HubSpot: `{status: "error", message, correlationId, category}`. Source:
 * https://developers.hubspot.com/docs/api-reference/error-handling
 */
export function hubspotError(
  status: 400 | 401 | 403 | 404 | 409,
  category: string,
  message: string,
  details: JsonRecord = {},
): ApiError {
  return new ApiError(status, message, {
    status: "error",
    message,
    correlationId: randomUUID(),
    ...details,
    category,
  });
}

/** Invalid properties; HubSpot writes the list into the message as JSON. */
export function wrongPropertiesError(faults: { name: string; message: string; error: string }[]): ApiError {
  const list = faults.map(({ name, message, error }) => ({ isValid: false, message, error, name }));
  return badRequestError(`Property values were not valid: ${JSON.stringify(list)}`);
}

export function notFoundError(): ApiError {
  return hubspotError(404, "OBJECT_NOT_FOUND", "resource not found");
}

/** A body that is not JSON, or has another form than documented. */
export function invalidInputError(): ApiError {
  return badRequestError("Invalid input JSON");
}

export function badRequestError(message: string): ApiError {
  return hubspotError(400, "VALIDATION_ERROR", message);
}

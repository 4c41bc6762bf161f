import { randomUUID } from "node:crypto";
import type { ErrorHandler } from "hono";

type Status = 400 | 401 | 403 | 404 | 405 | 409;

/**
 * An error of HubSpot: `{status: "error", message, correlationId, category}`. Source:
 * https://developers.hubspot.com/docs/api-reference/error-handling
 */
export class HubspotError extends Error {
  readonly status: Status;
  readonly category: string;
  readonly more: Record<string, unknown>;

  constructor(status: Status, category: string, message: string, more: Record<string, unknown> = {}) {
    super(message);
    this.name = "HubspotRefusal";
    this.status = status;
    this.category = category;
    this.more = more;
  }
}

export const handleErrors: ErrorHandler = (error, c) => {
  if (!(error instanceof HubspotError)) throw error;
  const { status, message, category, more } = error;
  return c.json({ status: "error", message, correlationId: randomUUID(), ...more, category }, status);
};

/** Invalid properties; HubSpot writes the list into the message as JSON. */
export function wrongPropertiesError(faults: { name: string; message: string; error: string }[]): HubspotError {
  const list = faults.map(({ name, message, error }) => ({ isValid: false, message, error, name }));
  return new HubspotError(400, "VALIDATION_ERROR", `Property values were not valid: ${JSON.stringify(list)}`);
}

export function notFoundError(): HubspotError {
  return new HubspotError(404, "OBJECT_NOT_FOUND", "resource not found");
}

export function badRequestError(message: string): HubspotError {
  return new HubspotError(400, "VALIDATION_ERROR", message);
}

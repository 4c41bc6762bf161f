import type { ErrorHandler } from "hono";

type Status = 400 | 401 | 403 | 404 | 422;

/** An error of Airtable: `{"error": {"type", "message"}}` (airtable.com/developers/web/api/errors). */
export class AirtableError extends Error {
  readonly status: Status;
  readonly type: string;

  constructor(status: Status, type: string, message: string) {
    super(message);
    this.name = "AirtableRefusal";
    this.status = status;
    this.type = type;
  }
}

export const handleErrors: ErrorHandler = (error, c) => {
  if (!(error instanceof AirtableError)) throw error;
  const { status, type, message } = error;
  return c.json({ error: message === "" ? type : { type, message } }, status);
};

/** Missing and forbidden records look alike. */
export function forbiddenError(): AirtableError {
  const message =
    "Invalid permissions, or the requested model was not found. Check that both your user and your token have the required permissions, and that the model names and/or ids are correct.";
  return new AirtableError(403, "INVALID_PERMISSIONS_OR_MODEL_NOT_FOUND", message);
}

/** A missing path or record: `{"error": "NOT_FOUND"}`. */
export function notFoundError(): AirtableError {
  return new AirtableError(404, "NOT_FOUND", "");
}

export function unprocessableError(type: string, message: string): AirtableError {
  return new AirtableError(422, type, message);
}

/** A request with invalid parameters, such as too many records or too large a page. */
export function invalidRequestError(): AirtableError {
  return unprocessableError(
    "INVALID_REQUEST_UNKNOWN",
    "Invalid request: parameter validation failed. Check your request data.",
  );
}

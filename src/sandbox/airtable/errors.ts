import { ApiError } from "../api.ts";

/** An error of Airtable: `{"error": {"type", "message"}}` (airtable.com/developers/web/api/errors). */
export function airtableError(status: 400 | 401 | 403 | 422, type: string, message: string): ApiError {
  return new ApiError(status, message, { error: { type, message } });
}

/** A body that is not a JSON object. */
export function parseError(): ApiError {
  return airtableError(400, "INVALID_REQUEST_BODY", "Could not parse request body");
}

/** Missing and forbidden records look alike. */
export function forbiddenError(): ApiError {
  const message =
    "Invalid permissions, or the requested model was not found. Check that both your user and your token have the required permissions, and that the model names and/or ids are correct.";
  return airtableError(403, "INVALID_PERMISSIONS_OR_MODEL_NOT_FOUND", message);
}

/** A missing path or record: `{"error": "NOT_FOUND"}`. */
export function notFoundError(): ApiError {
  return new ApiError(404, "NOT_FOUND", { error: "NOT_FOUND" });
}

export function unprocessableError(type: string, message: string): ApiError {
  return airtableError(422, type, message);
}

/** A request with invalid parameters, such as too many records or too large a page. */
export function invalidRequestError(): ApiError {
  return unprocessableError(
    "INVALID_REQUEST_UNKNOWN",
    "Invalid request: parameter validation failed. Check your request data.",
  );
}

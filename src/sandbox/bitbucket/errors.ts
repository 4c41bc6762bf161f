import { ApiError } from "../api.ts";

type Details = { detail?: unknown; fields?: Record<string, string[]> };

/** An error of Bitbucket: `{"type": "error", "error": {"message", "detail"?, "fields"?}}`. */
export function bitbucketError(status: 400 | 401 | 403 | 404 | 409, message: string, details: Details = {}): ApiError {
  return new ApiError(status, message, { type: "error", error: { message, ...details } });
}

/** Bitbucket's response for an unknown path. */
export function noApiError(): ApiError {
  const detail =
    "There is no API hosted at this URL.\n\nFor information about our API's, please refer to the documentation at: https://developer.atlassian.com/bitbucket/api/2/reference/";
  return bitbucketError(404, "Resource not found", { detail });
}

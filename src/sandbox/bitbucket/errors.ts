import type { ErrorHandler } from "hono";

type Status = 400 | 401 | 403 | 404 | 409;

/** An error of Bitbucket: `{"type": "error", "error": {"message", "detail"?, "fields"?}}`. */
export class BitbucketError extends Error {
  readonly status: Status;
  readonly more: { detail?: unknown; fields?: Record<string, string[]> };

  constructor(status: Status, message: string, more: BitbucketError["more"] = {}) {
    super(message);
    this.name = "BitbucketRefusal";
    this.status = status;
    this.more = more;
  }
}

export const handleErrors: ErrorHandler = (error, c) => {
  if (!(error instanceof BitbucketError)) throw error;
  return c.json({ type: "error", error: { message: error.message, ...error.more } }, error.status);
};

/** Bitbucket's response for an unknown path. */
export function noApiError(): BitbucketError {
  const detail =
    "There is no API hosted at this URL.\n\nFor information about our API's, please refer to the documentation at: https://developer.atlassian.com/bitbucket/api/2/reference/";
  return new BitbucketError(404, "Resource not found", { detail });
}

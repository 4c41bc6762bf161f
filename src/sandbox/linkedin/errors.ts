import type { ErrorHandler } from "hono";

type Status = 400 | 401 | 403 | 404 | 409 | 422 | 426;

/** An error of LinkedIn: `{status, code, message, serviceErrorCode?}`. Source: https://learn.microsoft.com/en-us/linkedin/shared/api-guide/concepts/error-handling */
export class LinkedinError extends Error {
  readonly status: Status;
  readonly code: string;
  readonly more: Record<string, unknown>;

  constructor(status: Status, code: string, message: string, more: Record<string, unknown> = {}) {
    super(message);
    this.name = "LinkedinRefusal";
    this.status = status;
    this.code = code;
    this.more = more;
  }
}

export const handleErrors: ErrorHandler = (error, c) => {
  if (!(error instanceof LinkedinError)) throw error;
  const { status, code, message, more } = error;
  return c.json({ status, ...more, code, message }, status);
};

import type { ErrorHandler } from "hono";

type Status = 400 | 403 | 404 | 409;

/** An error of Confluence. Versions 1 and 2 of its API have different shapes. */
export class ConfluenceError extends Error {
  readonly version: 1 | 2;
  readonly status: Status;
  readonly code: string;

  constructor(version: 1 | 2, status: Status, message: string, code = "INVALID_REQUEST_PARAMETER") {
    super(message);
    this.name = "ConfluenceRefusal";
    this.version = version;
    this.status = status;
    this.code = code;
  }
}

/** v2: `{"errors": [{status, code, title, detail}]}`. v1: `{"statusCode", "data", "message"}`. */
export const handleErrors: ErrorHandler = (error, c) => {
  if (!(error instanceof ConfluenceError)) throw error;
  const { status, code, message } = error;
  if (error.version === 2) return c.json({ errors: [{ status, code, title: message, detail: null }] }, status);
  const data = { authorized: true, valid: false, errors: [], successful: false };
  return c.json(
    {
      statusCode: status,
      data,
      message: `com.atlassian.confluence.api.service.exceptions.BadRequestException: ${message}`,
    },
    status,
  );
};

/** v2's 404. */
export function notFoundError(title: string): ConfluenceError {
  return new ConfluenceError(2, 404, title, "NOT_FOUND");
}

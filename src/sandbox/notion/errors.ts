import type { ErrorHandler } from "hono";

type Status = 400 | 401 | 403 | 404 | 409;

/** An error of Notion (developers.notion.com/reference/status-codes). */
export class NotionError extends Error {
  readonly status: Status;
  readonly code: string;

  constructor(status: Status, code: string, message: string) {
    super(message);
    this.name = "NotionRefusal";
    this.status = status;
    this.code = code;
  }
}

export const handleErrors: ErrorHandler = (error, c) => {
  if (!(error instanceof NotionError)) throw error;
  const { status, code, message } = error;
  return c.json({ object: "error", status, code, message, request_id: "00000000-0000-4000-a000-000000000000" }, status);
};

/** An invalid body: "body failed validation: body.children.length should be ≤ `100`, instead was `101`." */
export function invalidError(message: string): NotionError {
  return new NotionError(400, "validation_error", message);
}

export function notFoundError(noun: string, id: string): NotionError {
  const sentence = `Could not find ${noun} with ID: ${id}. Make sure the relevant pages and databases are shared with your connection "kay".`;
  return new NotionError(404, "object_not_found", sentence);
}

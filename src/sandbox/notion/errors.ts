import type { ErrorHandler } from "hono";

type Status = 400 | 401 | 403 | 404 | 409;

/** An error of Notion (developers.notion.com/reference/status-codes). */
export class NotionRefusal extends Error {
  readonly status: Status;
  readonly code: string;

  constructor(status: Status, code: string, message: string) {
    super(message);
    this.name = "NotionRefusal";
    this.status = status;
    this.code = code;
  }
}

export const refusals: ErrorHandler = (error, c) => {
  if (!(error instanceof NotionRefusal)) throw error;
  const { status, code, message } = error;
  return c.json({ object: "error", status, code, message, request_id: "00000000-0000-4000-a000-000000000000" }, status);
};

/** A body that does not fit: "body failed validation: body.children.length should be ≤ `100`, instead was `101`." */
export function invalid(message: string): NotionRefusal {
  return new NotionRefusal(400, "validation_error", message);
}

export function notFound(what: string, id: string): NotionRefusal {
  const sentence = `Could not find ${what} with ID: ${id}. Make sure the relevant pages and databases are shared with your connection "kay".`;
  return new NotionRefusal(404, "object_not_found", sentence);
}

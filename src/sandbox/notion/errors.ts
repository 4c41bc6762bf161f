import { ApiError } from "../api.ts";

/** An error of Notion (developers.notion.com/reference/status-codes). */
export function notionError(status: 400 | 401 | 403 | 404, code: string, message: string): ApiError {
  const request_id = "00000000-0000-4000-a000-000000000000";
  return new ApiError(status, message, { object: "error", status, code, message, request_id });
}

/** An invalid body: "body failed validation: body.children.length should be ≤ `100`, instead was `101`." */
export function invalidError(message: string): ApiError {
  return notionError(400, "validation_error", message);
}

export function notFoundError(noun: string, id: string): ApiError {
  const sentence = `Could not find ${noun} with ID: ${id}. Make sure the relevant pages and databases are shared with your connection "kay".`;
  return notionError(404, "object_not_found", sentence);
}

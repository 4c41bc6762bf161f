import type { Context } from "hono";
import type { JsonRecord } from "#protocol/json";
import { ApiError, parseJsonObject } from "../../api.ts";

/**
 * An error of Confluence. The versions of its API have different shapes: v2 sends `{"errors": [{status, code, title,
 * detail}]}`, v1 sends `{"statusCode", "data", "message"}`.
 */
export function confluenceError(
  version: 1 | 2,
  status: 400 | 404 | 409,
  message: string,
  code = "INVALID_REQUEST_PARAMETER",
): ApiError {
  if (version === 2) return new ApiError(status, message, { errors: [{ status, code, title: message, detail: null }] });
  return new ApiError(status, message, {
    statusCode: status,
    data: { authorized: true, valid: false, errors: [], successful: false },
    message: `com.atlassian.confluence.api.service.exceptions.BadRequestException: ${message}`,
  });
}

/** v2's 404. */
export function notFoundError(title: string): ApiError {
  return confluenceError(2, 404, title, "NOT_FOUND");
}

/** Reads the JSON object in the body of a request to v2. */
export async function parseBody(c: Context): Promise<JsonRecord> {
  return parseJsonObject(c, () => confluenceError(2, 400, "Invalid JSON"));
}

import type { Context } from "hono";
import type { JsonRecord } from "#protocol/json";
import { ApiError, parseJsonObject } from "../../api.ts";

/** An error of Jira: sentences, and sentences by field. */
export function jiraError(
  status: 400 | 403 | 404 | 410,
  errorMessages: string[],
  errors: Record<string, string> = {},
): ApiError {
  const message = [...errorMessages, ...Object.values(errors)].join("; ");
  return new ApiError(status, message, { errorMessages, errors });
}

export const NO_ISSUE_TEXT = "Issue does not exist or you do not have permission to see it.";

/** A body that is not JSON, or has another form than documented. */
export function invalidPayloadError(): ApiError {
  return jiraError(400, ["Invalid request payload. Refer to the REST API documentation and try again."]);
}

/** Jira's response for an unknown path or method (RFC 9457). */
export function sendNoEndpoint(c: Context) {
  const instance = c.req.path.replace(/^\/ex\/jira\/[^/]+/, "");
  const body = {
    type: "about:blank",
    title: "Not Found",
    status: 404,
    detail: `No endpoint ${c.req.method} ${instance}.`,
    instance,
  };
  return c.body(JSON.stringify(body), 404, { "content-type": "application/problem+json;charset=UTF-8" });
}

/** Reads the JSON object in the body of a request; with `names`, it may have only these fields. */
export async function parseBody(c: Context, names?: string[]): Promise<JsonRecord> {
  const body = await parseJsonObject(c, invalidPayloadError);
  if (names && Object.keys(body).some((name) => !names.includes(name))) throw invalidPayloadError();
  return body;
}

/** Parses a whole number of the query or the body within limits; anything else is Jira's 400. */
export function parseNumber(value: unknown, name: string, fallback: number, maximum: number): number {
  if (value === undefined || value === null || value === "") return fallback;
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0)
    throw jiraError(400, [`Failed to convert '${name}' with value: '${String(value)}'`]);
  return Math.min(number, maximum);
}

import type { Context, ErrorHandler } from "hono";

/** An error of Jira: sentences, and sentences by field. */
export class JiraError extends Error {
  readonly status: 400 | 403 | 404 | 410;
  readonly messages: string[];
  readonly fields: Record<string, string>;

  constructor(status: JiraError["status"], messages: string[], fields: Record<string, string> = {}) {
    super([...messages, ...Object.values(fields)].join("; "));
    this.name = "JiraRefusal";
    this.status = status;
    this.messages = messages;
    this.fields = fields;
  }
}

export const NO_ISSUE_TEXT = "Issue does not exist or you do not have permission to see it.";
const INVALID_PAYLOAD = "Invalid request payload. Refer to the REST API documentation and try again.";

/** Answers refusals as `{"errorMessages": […], "errors": {…}}`. */
export const handleErrors: ErrorHandler = (error, c) => {
  if (!(error instanceof JiraError)) throw error;
  return c.json({ errorMessages: error.messages, errors: error.fields }, error.status);
};

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

/** Reads a JSON object as the body, with only these names if given. */
export async function parseBody(c: Context, names?: string[]): Promise<Record<string, unknown>> {
  const body: unknown = await c.req.json().catch(() => undefined);
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw new JiraError(400, [INVALID_PAYLOAD]);
  if (names && Object.keys(body).some((name) => !names.includes(name))) throw new JiraError(400, [INVALID_PAYLOAD]);
  return body as Record<string, unknown>;
}

/** Parses a whole number of the query or the body within limits; anything else is Jira's 400. */
export function parseNumber(value: unknown, name: string, fallback: number, maximum: number): number {
  if (value === undefined || value === null || value === "") return fallback;
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0)
    throw new JiraError(400, [`Failed to convert '${name}' with value: '${String(value)}'`]);
  return Math.min(number, maximum);
}

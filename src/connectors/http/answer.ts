import type { ApiErrors } from "../service.ts";
import { parseJson } from "./body.ts";

/** An answer of a service. `status` is what the answer means, which is not always the status that it came with. */
export type ServiceAnswer = { status: number; headers: Headers; body: string };

/**
 * Reads what an answer means. Some services tell failures with a status of success and a code in the body (Slack: 200 `{"ok": false, "error":
 * "invalid_auth"}`), and some say with 403 that there were too many requests (GitHub, "Rate limits for the REST API"; Google, with a reason in the body:
 * developers.google.com/workspace/calendar/api/guides/errors).
 */
export function readServiceAnswer(response: Response, body: string, errors: ApiErrors | undefined): ServiceAnswer {
  const { status, headers } = response;
  if (errors?.flag && response.ok && isFailure(body, errors.flag)) {
    return { status: errors.codes[readErrorCode(body, errors) ?? ""]?.status ?? 400, headers, body };
  }
  return { status: status === 403 && isLimited(headers, body) ? 429 : status, headers, body };
}

/** The error code in a body, where the service has such. */
export function readErrorCode(body: string, errors: ApiErrors | undefined): string | undefined {
  const code = errors && getField(body, errors.code);
  return typeof code === "string" && code !== "" ? code : undefined;
}

function isFailure(body: string, flag: string): boolean {
  return getField(body, flag) === false;
}

function isLimited(headers: Headers, body: string): boolean {
  const spent = headers.has("retry-after") || headers.get("x-ratelimit-remaining") === "0";
  return spent || /"reason":\s*"(?:userRateLimit|rateLimit)Exceeded"/.test(body);
}

function getField(body: string, name: string): unknown {
  try {
    return (parseJson(body) as Record<string, unknown> | null | undefined)?.[name];
  } catch {
    return undefined;
  }
}

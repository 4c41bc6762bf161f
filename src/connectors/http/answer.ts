import type { ApiErrors } from "../service.ts";
import { parseJson } from "./body.ts";

/** A service's response. `status` is its meaning, which can differ from the HTTP status. */
export type ServiceAnswer = { status: number; headers: Headers; body: string };

/**
 * Reads what a response means. Some services report failures with a success status (Slack: 200 `{"ok": false, "error":
 * "invalid_auth"}`). GitHub ("Rate limits for the REST API") and Google
 * (developers.google.com/workspace/calendar/api/guides/errors) report exceeded rate limits with 403.
 */
export function readServiceAnswer(response: Response, body: string, errors: ApiErrors | undefined): ServiceAnswer {
  const { status, headers } = response;
  if (errors?.flag && response.ok && isFailure(body, errors.flag)) {
    return { status: errors.codes[readErrorCode(body, errors) ?? ""]?.status ?? 400, headers, body };
  }
  return { status: status === 403 && isLimited(headers, body) ? 429 : status, headers, body };
}

/** Returns the error code in a body, if the service uses codes. */
export function readErrorCode(body: string, errors: ApiErrors | undefined): string | undefined {
  const code = errors && getField(body, errors.code);
  return typeof code === "string" && code !== "" ? code : undefined;
}

function isFailure(body: string, flag: string): boolean {
  return getField(body, flag) === false;
}

function isLimited(headers: Headers, body: string): boolean {
  const spent = headers.has("retry-after") || headers.get("x-ratelimit-remaining") === "0";
  return spent || LIMITED.test(body);
}

const LIMITED =
  /"reason":\s*"(?:(?:userRateLimit|sharingRateLimit|rateLimit|dailyLimit|quota)Exceeded|RATE_LIMIT_EXCEEDED)"|\b(?:secondary rate limit|API rate limit exceeded)\b/i;

function getField(body: string, name: string): unknown {
  try {
    return (parseJson(body) as Record<string, unknown> | null | undefined)?.[name];
  } catch {
    return undefined;
  }
}

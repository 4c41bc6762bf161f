import { Problem } from "#protocol/errors";
import { isRecord, type JsonRecord } from "#protocol/json";
import { parseJson } from "./body.ts";
import { refusedProblem } from "./errors.ts";
import { parseServiceFault } from "./service-fault.ts";

/**
 * Requires that no part of a write failed, as a 207 may say (RFC 4918, 13). There is no common shape: HubSpot lists
 * failures as `errors` beside `results`, others give each item a status or an error, and WebDAV has XML.
 *
 * @throws Problem SERVICE_FAILED if all parts failed, OUTCOME_UNKNOWN if only some did
 */
export function requireAllParts(
  { status, body }: { status: number; body: string },
  service: { name: string; title: string },
): void {
  const parts = listParts(body);
  const failures = parts.filter(isFailure);
  if (failures.length === 0) return;
  const reason = failures.map(getReason).find(Boolean) ?? "";
  if (failures.length === parts.length)
    throw refusedProblem({ message: reason, required: [], scopeMissing: false }, { ...service, status });
  const why = reason ? `: ${reason}` : "";
  const sentence = `${service.title} did only part of the request; ${failures.length} of ${parts.length} items failed${why}.`;
  throw new Problem("OUTCOME_UNKNOWN", sentence, { hint: `Check ${service.title} before you try again.` });
}

function listParts(body: string): JsonRecord[] {
  if (/^\s*</.test(body)) return [...body.matchAll(XML_STATUS)].map(([, status]) => ({ status }));
  const value = tryParse(body);
  const [list, errors] = Array.isArray(value) ? [value, []] : isRecord(value) ? splitLists(value) : [[], []];
  return [...list.filter(isRecord), ...errors.map((error) => ({ error }))];
}

/** Returns the items of all lists in a body, and its errors. */
function splitLists({ errors, ...rest }: JsonRecord): [items: unknown[], errors: unknown[]] {
  return [Object.values(rest).filter(Array.isArray).flat(), Array.isArray(errors) ? errors : []];
}

function isFailure(part: JsonRecord): boolean {
  const statuses = [part.status, part.statusCode, part.status_code, part.httpStatus, part.code].map(Number);
  return (
    statuses.some((status) => status >= 400 && status <= 599) ||
    /^(?:error|fail(?:ed|ure)?)$/i.test(String(part.status)) ||
    part.success === false ||
    part.ok === false ||
    Boolean(part.error) ||
    (Array.isArray(part.errors) && part.errors.length > 0)
  );
}

function getReason(part: JsonRecord): string {
  const inner = [part, part.error, part.body, part.response].filter(isRecord);
  const texts = inner.map((value) => parseServiceFault(JSON.stringify(value)).message);
  return texts.find(Boolean) ?? "";
}

function tryParse(body: string): unknown {
  try {
    return parseJson(body);
  } catch {
    return undefined;
  }
}

const XML_STATUS = /HTTP\/\d(?:\.\d)? (\d{3})\b/g;

import { isRecord, type JsonRecord } from "#protocol/json";
import { parseJson } from "./body.ts";
import { parseServiceFault } from "./service-fault.ts";

/** What a 207 says about the parts of a request. `reason` is the message of the first failure, if it has one. */
export type PartFailures = { failed: number; total: number; reason: string };

/**
 * Reads the failed parts in the body of a 207 (RFC 4918, 13). There is no common shape: HubSpot lists them as `errors`
 * beside `results`, others give each item a status or an error, and WebDAV has XML.
 */
export function readPartFailures(body: string): PartFailures {
  const parts = listParts(body);
  const failures = parts.filter(isFailure);
  return { failed: failures.length, total: parts.length, reason: failures.map(getReason).find(Boolean) ?? "" };
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

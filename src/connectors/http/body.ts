import type * as z from "zod/mini";
import { clean } from "#protocol/clean";
import { isRecord, keepDigits } from "#protocol/json";
import { getPageTitle } from "#protocol/page-title";

/** Largest response body that is read, in bytes. */
const BODY_LIMIT = 8 * 1024 * 1024;

/** Thrown by {@link readBody} for a body over the limit. Callers word the message. */
export class BodyTooLargeError extends Error {}

/** Reads a body up to a limit. @throws BodyTooLargeError beyond it, and any connection error */
export async function readBody(response: Response, limit = BODY_LIMIT): Promise<string> {
  if (response.status === 204 || response.body === null) return "";
  let decoder: ReturnType<typeof createDecoder> | undefined;
  let text = "";
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > limit) throw new BodyTooLargeError();
    decoder ??= createDecoder(response.headers.get("content-type"), chunk);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + (decoder?.decode() ?? "");
}

/**
 * Creates the decoder of a body: a byte-order mark of UTF-16 decides, as in browsers (WHATWG Encoding, "decode"), then
 * the charset of the content type. The default is UTF-8.
 */
function createDecoder(type: string | null, [first, second]: Uint8Array) {
  const mark =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : undefined;
  const charset = mark ?? /charset="?([^";\s]+)/i.exec(type ?? "")?.[1];
  try {
    return new TextDecoder(charset ?? "utf-8");
  } catch {
    return new TextDecoder();
  }
}

/**
 * Parses JSON and removes control characters from every string. An integer that a number cannot hold exactly, such as a
 * 64-bit ID, becomes a text with its digits. Returns `undefined` for an empty body.
 */
export function parseJson(text: string): unknown {
  if (text.trim() === "") return undefined;
  return JSON.parse(text, reviveValue as (key: string, value: unknown) => unknown);
}

function reviveValue(key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === "string" ? clean(value) : keepDigits(key, value, context);
}

/**
 * Corrects values of another type than the service documents: a number or boolean as a text and the reverse, and null
 * for a text, an object or a list. An optional field of another form counts as absent, and an item of a list may lack a
 * field. A list of the body may be its only item, or an empty object. Returns whether anything changed.
 */
function mendTypes(body: unknown, issues: z.core.$ZodIssue[]): boolean {
  let isMended = false;
  // Backwards, because removing an entry of a list moves those after it.
  for (const { code, path, ...issue } of issues.toReversed()) {
    const [parent, key] = [getValueAtPath(body, path.slice(0, -1)), path.at(-1)];
    if (typeof parent !== "object" || parent === null || key === undefined) continue;
    const fields = parent as Record<PropertyKey, unknown>;
    const value = fields[key];
    const expected = code === "invalid_type" && "expected" in issue ? issue.expected : undefined;
    if (Array.isArray(parent) && value === null) parent.splice(Number(key), 1);
    else if (expected === "string" && /^(?:number|boolean)$/.test(typeof value)) fields[key] = String(value);
    else if (expected === "number" && typeof value === "string" && /^-?\d+(?:\.\d+)?$/.test(value))
      fields[key] = Number(value);
    else if (expected === "boolean" && /^(?:true|false|0|1)$/i.test(String(value)))
      fields[key] = /^(?:true|1)$/i.test(String(value));
    else if (IDENTIFIER.test(String(key))) continue;
    else if (expected === "array" && path.length === 1 && value !== null && value !== undefined)
      fields[key] = isRecord(value) && Object.keys(value).length === 0 ? [] : [value];
    else if (EMPTY[expected ?? ""] && (value === null || (value === undefined && isInList(path))))
      fields[key] = EMPTY[expected ?? ""]?.();
    else if (value !== undefined && !Array.isArray(parent)) fields[key] = undefined;
    else continue;
    isMended = true;
  }
  return isMended;
}

/** One item that lacks a title must not hide the others of its list. */
function isInList(path: readonly PropertyKey[]): boolean {
  return path.some((key) => typeof key === "number");
}

/** Fields that identify an item. An item without them cannot be used. */
const IDENTIFIER = /(?:^|_)(?:id|key|ts|sha|slug|number|etag)$|[a-z]I[dD]$/;

const EMPTY: Record<string, () => unknown> = {
  string: () => "",
  object: () => ({}),
  record: () => ({}),
  array: () => [],
};

/**
 * Returns the parsed value, or its fault as the end of a sentence ("issues.0.key is missing"). A write whose tool needs
 * nothing from the response succeeds with any body. `leftOut` is the number of unusable items that a read omitted, and
 * `reason` the fault of the first.
 */
export function parseAnswer<T>(
  schema: z.ZodMiniType<T>,
  input: unknown,
  reads = true,
): { value: T; leftOut?: number; reason?: string } | { wrong: string } {
  // GitHub has returned null for a list without items.
  const isNoList = input === null && !schema.safeParse(null).success && schema.safeParse([]).success;
  const value = isNoList ? [] : input;
  let result = schema.safeParse(value);
  const faults = new Map(result.error?.issues.map((issue) => [issue.path.join("."), describeIssue(value, issue)]));
  const mend = () => {
    for (let pass = 0; pass < MAX_PASSES && !result.success && mendTypes(value, result.error.issues); pass++)
      result = schema.safeParse(value);
  };
  mend();
  if (result.success) return { value: result.data };
  const looseParse = reads || (typeof value === "object" && value !== null) ? undefined : schema.safeParse({});
  if (looseParse?.success) return { value: looseParse.data };
  const [issue] = result.error.issues as [z.core.$ZodIssue];
  const place = issue.path.join(".");
  const [, fault] = [...faults].find(([from]) => place === from || place.startsWith(`${from}.`)) ?? [];
  const reason = fault ?? describeIssue(value, issue);
  const leftOut = reads ? leaveOutItems(value, result.error.issues) : 0;
  if (leftOut === 0) return { wrong: reason };
  result = schema.safeParse(value);
  mend();
  return result.success ? { value: result.data, leftOut, reason } : { wrong: reason };
}

/**
 * Removes unusable items. Returns their number, or 0 if a fault is outside items or a list would lose all its items.
 */
function leaveOutItems(body: unknown, issues: z.core.$ZodIssue[]): number {
  const unusable = new Map<unknown[], Set<number>>();
  for (const { path } of issues) {
    const itemIndex = path.findLastIndex((key) => typeof key === "number");
    const list = getValueAtPath(body, path.slice(0, Math.max(itemIndex, 0)));
    if (itemIndex < 0 || !Array.isArray(list)) return 0;
    const indexes = unusable.get(list) ?? new Set();
    unusable.set(list, indexes.add(path[itemIndex] as number));
    if (indexes.size === list.length && itemIndex < 2) return 0;
  }
  for (const [list, indexes] of unusable)
    list.splice(0, list.length, ...list.filter((_, index) => !indexes.has(index)));
  return [...unusable.values()].reduce((count, { size }) => count + size, 0);
}

/** A corrected field may reveal another fault within it. */
const MAX_PASSES = 3;

function describeIssue(value: unknown, issue: z.core.$ZodIssue): string {
  const where = issue.path.length > 0 ? issue.path.map(String).join(".") : "the body";
  if (getValueAtPath(value, issue.path) === undefined) return `${where} is missing`;
  return issue.code === "invalid_type" ? `${where} is not of type ${issue.expected}` : `${where} is invalid`;
}

/** Returns the value at a path of a parsed value, or undefined. */
export function getValueAtPath(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | undefined | null)?.[key], value);
}

/** Parses a body. A successful write may answer with plain text; an HTML page tells the user nothing. */
export function parseBody(body: string, reads: boolean): { value: unknown; note?: string } | { wrong: string } {
  try {
    return { value: parseJson(body) };
  } catch {
    const title = getPageTitle(body);
    const page = `the body is not JSON but a web page${title && ` (“${title}”)`}`;
    const note = title === undefined ? "the body is not JSON" : page;
    return reads ? { wrong: note } : { value: title === undefined ? clean(body).trim() : undefined, note };
  }
}

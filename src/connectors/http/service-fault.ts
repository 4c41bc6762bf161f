import { clean } from "#protocol/clean";
import { toRecord } from "#protocol/json";
import type { ApiErrors } from "../service.ts";
import { readErrorCode } from "./answer.ts";
import { parseJson } from "./body.ts";

/** The content of an error response, read from any of the shapes that services use. */
export type ServiceFault = {
  /** One readable sentence without its period. Empty if the body has no text for users (HTML, empty). */
  message: string;
  /** The first field that the service named. */
  field?: string;
  /** The service's error code, if it has one. */
  code?: string;
  /** What to do about it, if known. */
  hint?: string;
  /** Scopes that the service reports as required. */
  required: string[];
  /** The token is valid but lacks a scope. A refresh does not help. */
  scopeMissing: boolean;
};

/**
 * Parses an error body. Shapes: Jira `{errorMessages, warningMessages, errors}`, Atlassian's gateway `{code, message}`,
 * Confluence v2 `{errors: [{title, detail}]}`, Bitbucket `{type: "error", error: {message, detail, fields}}`, GitHub
 * `{message, errors: [{field, code}]}`, LinkedIn `{message, errorDetails: {inputErrors: [{description}]}}`, Slack
 * `{error, needed, response_metadata: {messages}}`, HubSpot `{message, category}` with its field errors as JSON inside
 * the message, OAuth `{error, error_description}`, problem details `{title, detail}` (RFC 9457), validation lists
 * `{detail: [{msg}]}`, and one line of plain text. HTML is never shown. A code that the service file explains gets its
 * sentence.
 */
export function parseServiceFault(body: string, errors?: ApiErrors): ServiceFault {
  const json = expandJsonMessage(parseRecord(body));
  const fields = listFieldErrors(json);
  const code = readErrorCode(body, errors) ?? findBareCode(json);
  const listedError = errors?.codes[code ?? ""];
  const sentences = [...listMessages(json), ...fields.map(([field, text]) => `${field}: ${text}`)];
  const reasons = sentences.length > 0 ? sentences : (listOtherReason(body, errors) ?? listPlainText(body));
  const reported = [...new Set(reasons.map(toOneLine).filter(Boolean))].join("; ").slice(0, 500);
  const message = listedError?.message ?? reported;
  const required = listRequiredScopes(json);
  const scopeMissing = required.length > 0 || json.category === "MISSING_SCOPES" || SCOPE_MISSING.test(reported);
  return { message, field: fields[0]?.[0], code, hint: listedError?.hint, required, scopeMissing };
}

/** How Atlassian, OAuth, Bitbucket, LinkedIn, Google and Slack word a missing scope. */
const SCOPE_MISSING =
  /scope[s]? does not match|insufficient.?(authentication )?scope|insufficient permission$|lack one or more required|not enough permissions to access|^missing_scope$/i;

function listMessages(json: Record<string, unknown>): string[] {
  const nested = toRecord(json.error);
  return [
    ...filterTexts(json.errorMessages),
    ...filterTexts(json.warningMessages),
    ...toList(json.errors).flatMap((error) =>
      filterTexts([toRecord(error).title, toRecord(error).detail, toRecord(error).message]),
    ),
    ...toList(json.errors).flatMap((error) => filterTexts([error])),
    ...toList(toRecord(json.errorDetails).inputErrors).flatMap((error) => filterTexts([toRecord(error).description])),
    ...filterTexts([json.message, nested.message, nested.detail]),
    ...filterTexts(toRecord(json.response_metadata).messages),
    ...filterTexts([json.detail ?? (json.message ? undefined : json.title)]),
    ...toList(json.detail).flatMap((error) => filterTexts([toRecord(error).msg, toRecord(error).message])),
    ...filterTexts([json.error_description ?? (json.message ? undefined : withoutBareCode(json.error))]),
  ];
}

/** Finds the reason in a shape that no built-in service uses. Services with error codes need no search. */
function listOtherReason(body: string, errors: ApiErrors | undefined): string[] | undefined {
  const reason = errors ? undefined : findReason(tryParse(body));
  return reason === undefined ? undefined : [reason];
}

/** A short line that is neither JSON nor HTML is a sentence of the service. */
function listPlainText(body: string): string[] {
  const text = body.trim();
  return text.length <= 200 && !text.includes("\n") && /^[^<{["]/.test(text) ? [clean(text)] : [];
}

/** Drops bare codes such as Airtable's `{"error": "NOT_FOUND"}`, which mean nothing to users. */
function withoutBareCode(error: unknown): unknown {
  return isBareCode(error) ? undefined : error;
}

/** Finds a code that is the whole error: `{"error": "NOT_FOUND"}`, `{"error": {"type": "NOT_FOUND"}}`. */
function findBareCode({ error }: Record<string, unknown>): string | undefined {
  return [error, toRecord(error).type].find(isBareCode);
}

function isBareCode(error: unknown): error is string {
  return typeof error === "string" && /^[A-Z][A-Z_]+$/.test(error);
}

function listFieldErrors(json: Record<string, unknown>): [string, string][] {
  const fields = { ...toRecord(json.errors), ...toRecord(toRecord(json.error).fields) };
  const fieldMessages = Object.entries(fields).flatMap(([field, text]) =>
    filterTexts(typeof text === "object" && text !== null ? Object.values(text).flat() : [text]).map(
      (line): [string, string] => [field, line],
    ),
  );
  const coded = toList(json.errors).flatMap((error) => {
    const { field, code, message } = toRecord(error);
    const [name, text] = filterTexts([field, message ? undefined : code]);
    return name && text ? [[name, text.replaceAll("_", " ")] as [string, string]] : [];
  });
  return [...fieldMessages, ...coded];
}

function listRequiredScopes(json: Record<string, unknown>): string[] {
  const error = toRecord(json.error);
  return filterTexts(
    toList(toRecord(error.detail).required).concat(toList(error.required), parseNeededScopes(json.needed)),
  );
}

/** Parses Slack's `"needed": "channels:history,groups:history"`. */
function parseNeededScopes(needed: unknown): string[] {
  return typeof needed === "string" ? needed.split(",").map((scope) => scope.trim()) : [];
}

/**
 * Moves a JSON list inside HubSpot's message to `errors`: "Property values were not valid: [{"message": "…", "name":
 * "email"}]".
 */
function expandJsonMessage(json: Record<string, unknown>): Record<string, unknown> {
  // The Spring framework sends this for an absent message.
  if (json.message === "No message available") return { ...json, message: undefined };
  const text = typeof json.message === "string" ? /^[^[{]*: (\[\{.*\}\])$/s.exec(json.message)?.[1] : undefined;
  const items = text === undefined ? [] : toList(tryParse(text)).map(toRecord);
  const fields = items.flatMap(({ name, message }) => (typeof name === "string" ? [[name, message]] : []));
  return fields.length > 0 ? { ...json, message: undefined, errors: Object.fromEntries(fields) } : json;
}

function tryParse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function parseRecord(body: string): Record<string, unknown> {
  return toRecord(tryParse(body));
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function filterTexts(value: unknown): string[] {
  return toList(value).filter(
    (item): item is string => typeof item === "string" && !/<\/?[a-z!]/i.test(item) && item.trim() !== "",
  );
}

function toOneLine(text: string): string {
  const line = text
    .replace(/\s+/g, " ")
    .trim()
    .replace(/\.$/, "")
    .replace(/^\[ERROR\] /, "");
  // Confluence puts the class of a Java exception before its sentences. Users need no class name.
  return line.replace(/^(?:[a-z]\w*\.){2,}[A-Z]\w*(?:Exception|Error): (?=.)/, "");
}

export function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Fields in which APIs put a message for users, the clearest first. */
const FIELDS = [
  "detail",
  "message",
  "msg",
  "error_description",
  "errorMessage",
  "error_message",
  "error_msg",
  "Message",
  "description",
  "reason",
  "faultstring",
  "info",
  "text",
  "title",
  "error",
];

const DEEPEST = 4;

/** Finds the first sentence in an answer of any shape: `[{"message": …}]`, `{"fault": {"faultstring": …}}`. */
function findReason(value: unknown, depth = 0): string | undefined {
  if (depth > DEEPEST || typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return findFirst(value.slice(0, 5), depth);
  const record = value as Record<string, unknown>;
  const values = FIELDS.map((name) => (Object.hasOwn(record, name) ? record[name] : undefined));
  return values.find(isSentence) ?? findFirst([...values, ...Object.values(record).slice(0, 20)], depth);
}

function findFirst(values: unknown[], depth: number): string | undefined {
  for (const value of values) {
    const reason = depth > 0 && isSentence(value) && String(value).includes(" ") ? value : findReason(value, depth + 1);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Returns whether a value is a sentence for users, and not a bare code such as `NOT_FOUND` or markup. */
function isSentence(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && !/^[^\W_]*_\w*$|^[A-Z]+$|<\/?[A-Za-z!]/.test(value.trim());
}

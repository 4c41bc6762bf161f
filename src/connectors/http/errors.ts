import { formatWait } from "#net/retry-after";
import { clean } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import type { ApiErrors } from "../service.ts";
import { readErrorCode } from "./answer.ts";
import { parseJson } from "./body.ts";
import { findReason } from "./reason.ts";

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

/** The service and the request that an error belongs to. */
export type RequestSubject = { name: string; title: string; status: number; scope?: string; signOn?: string };

/**
 * Parses an error body. Shapes: Jira `{errorMessages, errors}`, Atlassian's gateway `{code, message}`, Confluence v2
 * `{errors: [{title, detail}]}`, Bitbucket `{type: "error", error: {message, detail, fields}}`, GitHub `{message,
 * errors: [{field, code}]}`, LinkedIn `{message, errorDetails: {inputErrors: [{description}]}}`, Slack `{error, needed, response_metadata: {messages}}`, HubSpot `{message, category}` with its field errors as JSON
 * inside the message, OAuth `{error, error_description}`, problem details `{title, detail}` (RFC 9457), validation lists `{detail: [{msg}]}`, and
 * one line of plain text. HTML is never shown. A code that the service file explains
 * gets its sentence.
 */
export function parseServiceFault(body: string, errors?: ApiErrors): ServiceFault {
  const json = expandJsonMessage(parseRecord(body));
  const fields = listFieldErrors(json);
  const code = readErrorCode(body, errors);
  const known = errors?.codes[code ?? ""];
  const sentences = [...listMessages(json), ...fields.map(([field, text]) => `${field}: ${text}`)];
  const reasons = sentences.length > 0 ? sentences : (listOtherReason(body, errors) ?? listPlainText(body));
  const reported = [...new Set(reasons.map(toOneLine).filter(Boolean))].join("; ").slice(0, 500);
  const message = known?.message ?? reported;
  const required = listRequiredScopes(json);
  const scopeMissing = required.length > 0 || json.category === "MISSING_SCOPES" || SCOPE_MISSING.test(reported);
  return { message, field: fields[0]?.[0], code, hint: known?.hint, required, scopeMissing };
}

/** Converts a service's rejection to a problem with the service's message, the field and a next step. */
export function refusedProblem(fault: ServiceFault, subject: RequestSubject): Problem {
  const { title, status } = subject;
  const message = fault.message
    ? `${title}: ${endSentence(fault.message)}`
    : `${title} ${STATUS_WORDS[status] ?? (status >= 500 ? `failed (HTTP ${status})` : `refused the request (HTTP ${status})`)}.`;
  const details = {
    service: subject.name,
    service_status: status,
    ...(fault.code ? { service_code: fault.code } : {}),
    ...(fault.field ? { field: fault.field } : {}),
  };
  return new Problem("SERVICE_FAILED", message, { hint: fault.hint ?? getHint(fault, subject), details });
}

/** Creates the error for a missing scope. It names the scope and does not start a new sign-in. */
export function missingScopeProblem(fault: ServiceFault, subject: RequestSubject): Problem {
  const needed = fault.required.length > 0 ? fault.required : subject.scope ? [subject.scope] : [];
  const which = needed.length > 0 ? `the permission ${needed.join(", ")}` : "a required permission";
  return new Problem("SERVICE_FAILED", `The connection to ${subject.title} lacks ${which}.`, {
    hint: `Run \`kay disconnect ${subject.name}\`, then \`kay connect ${subject.name}\`, and allow the permission.`,
    details: { service: subject.name, service_status: subject.status, scopes: needed },
  });
}

/** Creates the error for a write that may have been done. */
export function unknownOutcomeProblem(title: string, sentence: string, cause?: unknown): Problem {
  return new Problem("OUTCOME_UNKNOWN", `${sentence} The request may have been processed.`, {
    hint: `Check ${title} before you try again.`,
    cause,
  });
}

/** Builds the AUTH_REQUIRED problem of one service. The default message is for a token that the service refused. */
export function authRequiredProblem(
  subject: { name: string; title: string },
  message = `${subject.title} rejected the stored credentials.`,
  cause?: unknown,
): Problem {
  return new Problem("AUTH_REQUIRED", message, {
    hint: `Run \`kay connect ${subject.name}\`, then ask again.`,
    details: { integrations: [subject.name] },
    cause,
  });
}

/** Returns the address at which a user allows an organization's sign-on: GitHub's `X-GitHub-SSO: required; url=…`. */
export function getSignOnUrl(headers: Headers): string | undefined {
  const url = /^required; url=(https:\/\/[\x21-\x7e]+)$/.exec(headers.get("x-github-sso") ?? "")?.[1];
  return url && URL.canParse(url) ? url : undefined;
}

/** Creates the error for too many requests. `wait` is the pause that the service asks for, in ms. */
export function rateLimitedProblem(
  title: string,
  { wait, now, reason }: { wait: number; now: number; reason: string },
): Problem {
  const isDaily = /\b(?:daily|per[ -]day|day limit|24[ -]hour|monthly|per[ -]month)\b/i.test(reason);
  const soon = isDaily
    ? `Wait until ${title} resets the limit, or ask an administrator to raise it.`
    : "Try again in a moment.";
  const when = wait > 0 ? `Try again in ${formatWait(wait, now)}.` : soon;
  const why = reason ? `: ${reason}` : "";
  return new Problem("RATE_LIMITED", `${title} is receiving too many requests${why.replace(/\.$/, "")}.`, {
    hint: when,
  });
}

/** How Atlassian, OAuth, Bitbucket, LinkedIn, Google and Slack word a missing scope. */
const SCOPE_MISSING =
  /scope[s]? does not match|insufficient.?(authentication )?scope|insufficient permission$|lack one or more required|not enough permissions to access|^missing_scope$/i;

const STATUS_WORDS: Record<number, string> = {
  400: "rejected the request",
  403: "does not allow this account to do that",
  404: "could not find it, or this account may not see it",
  409: "reports a conflict with a newer version",
  410: "no longer has it",
  413: "rejected the request as too large",
  451: "may not show it for legal reasons",
};

function getHint({ message }: ServiceFault, { name, title, status, signOn }: RequestSubject): string {
  if (signOn) return `Open ${signOn} and authorize kay for the organization, then try again.`;
  if (status === 403 && /\bnot installed\b/i.test(message)) return `Run \`kay connect ${name}\`, then try again.`;
  if (status === 426)
    return `This version of kay uses an old version of ${title}'s API. Run \`npm install -g kay@latest\`.`;
  if (status === 403 && /\bquota\b|\bstorage\b/i.test(message))
    return `Free space in ${title}, or ask an administrator for more.`;
  if (status === 403 && /\b(?:is disabled|enable it)\b/i.test(message))
    return `Ask the operator of kay to enable it, then try again.`;
  if (status === 403) return `Ask an administrator of ${title} for permission, or use another account.`;
  if (status === 404 || status === 410 || status === 451)
    return `Check the name, and that you can open it in ${title}.`;
  if (status >= 500) return `Check the status page of ${title}, then try again.`;
  return "Change the request and try again.";
}

function listMessages(json: Record<string, unknown>): string[] {
  const nested = toRecord(json.error);
  return [
    ...filterTexts(json.errorMessages),
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

/** Finds the reason in a shape that no service of kay's has. Services with codes say everything by them. */
function listOtherReason(body: string, errors: ApiErrors | undefined): string[] | undefined {
  const found = errors ? undefined : findReason(tryParse(body));
  return found === undefined ? undefined : [found];
}

/** A short line that is neither JSON nor HTML is a sentence of the service. */
function listPlainText(body: string): string[] {
  const text = body.trim();
  return text.length <= 200 && !text.includes("\n") && /^[^<{["]/.test(text) ? [clean(text)] : [];
}

/** Drops bare codes such as Airtable's `{"error": "NOT_FOUND"}`, which mean nothing to users. */
function withoutBareCode(error: unknown): unknown {
  return typeof error === "string" && /^[A-Z][A-Z_]+$/.test(error) ? undefined : error;
}

function listFieldErrors(json: Record<string, unknown>): [string, string][] {
  const fields = { ...toRecord(json.errors), ...toRecord(toRecord(json.error).fields) };
  const named = Object.entries(fields).flatMap(([field, text]) =>
    filterTexts(Array.isArray(text) ? text : [text]).map((line): [string, string] => [field, line]),
  );
  const coded = toList(json.errors).flatMap((error) => {
    const { field, code, message } = toRecord(error);
    const [name, text] = filterTexts([field, message ? undefined : code]);
    return name && text ? [[name, text.replaceAll("_", " ")] as [string, string]] : [];
  });
  return [...named, ...coded];
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

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
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
  const line = text.replace(/\s+/g, " ").trim().replace(/\.$/, "");
  // The class of a Java exception says nothing to users: Confluence puts it before its sentences.
  return line.replace(/^(?:[a-z]\w*\.){2,}[A-Z]\w*(?:Exception|Error): (?=.)/, "");
}

function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

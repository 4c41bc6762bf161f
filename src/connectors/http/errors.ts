import { Problem } from "#protocol/errors";
import type { ApiErrors } from "../service.ts";
import { readErrorCode } from "./answer.ts";
import { parseJson } from "./body.ts";

/** What an error answer says, read from any of the shapes that services use. */
export type ServiceFault = {
  /** One readable sentence without its full stop, or empty when the body says nothing to a person (HTML, empty). */
  message: string;
  /** The first field that the service named. */
  field?: string;
  /** The service's own code for it, where it has such. */
  code?: string;
  /** What to do about it, where that is known. */
  hint?: string;
  /** Scopes that the service says are needed. */
  required: string[];
  /** The token is good but was not granted enough: no refresh cures that. */
  scopeMissing: boolean;
};

/** The service and request that an error is about. */
export type RequestSubject = { name: string; title: string; status: number; scope?: string };

/**
 * Reads an error body. Shapes: Jira `{errorMessages, errors}`, Atlassian's gateway `{code, message}`, Confluence v2 `{errors: [{title,
 * detail}]}`, Bitbucket `{type: "error", error: {message, detail, fields}}`, GitHub `{message, errors: [{field, code}]}`, Slack `{error,
 * needed}`, HubSpot `{message, category}` with its field errors as JSON inside the message, OAuth `{error, error_description}`. HTML is
 * never shown. Codes that the service file explains are put into its words.
 */
export function parseServiceFault(body: string, errors?: ApiErrors): ServiceFault {
  const json = unfold(tryJson(body));
  const fields = fieldErrors(json);
  const code = readErrorCode(body, errors);
  const known = errors?.codes[code ?? ""];
  const sentences = [...messages(json), ...fields.map(([field, text]) => `${field}: ${text}`)];
  const said = [...new Set(sentences.map(oneLine).filter(Boolean))].join("; ").slice(0, 500);
  const message = known?.says ?? said;
  const required = requiredScopes(json);
  const scopeMissing = required.length > 0 || json.category === "MISSING_SCOPES" || SCOPE_MISSING.test(said);
  return { message, field: fields[0]?.[0], code, hint: known?.hint, required, scopeMissing };
}

/** A refusal by the service as an error of the table: what it said, with the field's name, and what to do. */
export function refusedProblem(fault: ServiceFault, subject: RequestSubject): Problem {
  const { title, status } = subject;
  const said = fault.message
    ? `${title}: ${sentence(fault.message)}`
    : `${title} ${STATUS_WORDS[status] ?? `refused the request (HTTP ${status})`}.`;
  const details = {
    service: subject.name,
    service_status: status,
    ...(fault.code ? { service_code: fault.code } : {}),
    ...(fault.field ? { field: fault.field } : {}),
  };
  return new Problem("SERVICE_FAILED", said, { hint: fault.hint ?? hintFor(status, title), details });
}

/** The connection was not granted what the request needs: names the permission, and never asks for a new sign-in by itself (case V02). */
export function missingScopeProblem(fault: ServiceFault, subject: RequestSubject): Problem {
  const needed = fault.required.length > 0 ? fault.required : subject.scope ? [subject.scope] : [];
  const which = needed.length > 0 ? `the permission ${needed.join(", ")}` : "a permission that this needs";
  return new Problem("SERVICE_FAILED", `The connection to ${subject.title} lacks ${which}.`, {
    hint: `Run \`kay disconnect ${subject.name}\`, then \`kay connect ${subject.name}\`, and allow it.`,
    details: { service: subject.name, service_status: subject.status, scopes: needed },
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

/** The words of Atlassian, OAuth, Bitbucket, LinkedIn, Google and Slack for it. */
const SCOPE_MISSING =
  /scope[s]? does not match|insufficient.?(authentication )?scope|insufficient permission$|lack one or more required|not enough permissions to access|^missing_scope$/i;

const STATUS_WORDS: Record<number, string> = {
  400: "did not accept the request",
  403: "does not allow this account to do that",
  404: "does not know that, or does not show it to this account",
  409: "has a newer state than the request expected",
  410: "does not have that any more",
  413: "says that this is too large",
};

function hintFor(status: number, title: string): string {
  if (status === 403) return `Ask an administrator of ${title} for the right, or use another account.`;
  if (status === 404 || status === 410) return `Check the name, and that you can open it in ${title}.`;
  if (status >= 500) return `Check the status page of ${title}, then try again.`;
  return "Change the request and try again.";
}

function messages(json: Record<string, unknown>): string[] {
  const nested = record(json.error);
  return [
    ...strings(json.errorMessages),
    ...list(json.errors).flatMap((error) =>
      strings([record(error).title, record(error).detail, record(error).message]),
    ),
    ...strings([json.message, nested.message, nested.detail]),
    ...strings([json.error_description ?? (json.message ? undefined : plain(json.error))]),
  ];
}

/** A bare code says nothing to a person: Airtable's `{"error": "NOT_FOUND"}`. */
function plain(error: unknown): unknown {
  return typeof error === "string" && /^[A-Z][A-Z_]+$/.test(error) ? undefined : error;
}

function fieldErrors(json: Record<string, unknown>): [string, string][] {
  const fields = { ...record(json.errors), ...record(record(json.error).fields) };
  const named = Object.entries(fields).flatMap(([field, text]) =>
    strings(Array.isArray(text) ? text : [text]).map((line): [string, string] => [field, line]),
  );
  const coded = list(json.errors).flatMap((error) => {
    const { field, code, message } = record(error);
    const [name, text] = strings([field, message ? undefined : code]);
    return name && text ? [[name, text.replaceAll("_", " ")] as [string, string]] : [];
  });
  return [...named, ...coded];
}

function requiredScopes(json: Record<string, unknown>): string[] {
  const error = record(json.error);
  return strings(list(record(error.detail).required).concat(list(error.required), neededScopes(json.needed)));
}

/** Slack's `"needed": "channels:history,groups:history"`. */
function neededScopes(needed: unknown): string[] {
  return typeof needed === "string" ? needed.split(",").map((scope) => scope.trim()) : [];
}

/** "Property values were not valid: [{"message": "…", "name": "email"}]": the list becomes `errors` by field. */
function unfold(json: Record<string, unknown>): Record<string, unknown> {
  const text = typeof json.message === "string" ? /^[^[{]*: (\[\{.*\}\])$/s.exec(json.message)?.[1] : undefined;
  const items = text === undefined ? [] : list(tryParse(text)).map(record);
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

function tryJson(body: string): Record<string, unknown> {
  return record(tryParse(body));
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function strings(value: unknown): string[] {
  return list(value).filter(
    (item): item is string => typeof item === "string" && !/<\/?[a-z!]/i.test(item) && item.trim() !== "",
  );
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().replace(/\.$/, "");
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

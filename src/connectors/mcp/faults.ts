import { ProtocolError, SdkError, SdkErrorCode, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/client";
import { cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { isNestedDeeper, toRecord } from "#protocol/json";
import { findNetworkHint, toOwnFaultProblem } from "../http/own-fault.ts";
import { wasNeverSent } from "../http/retry.ts";
import { parseServiceFault } from "../http/service-fault.ts";
import { getRefusal, isSessionText, toHttpFault } from "./transport/http-faults.ts";
import { NO_ANSWER_CODE } from "./transport/streamable-transport.ts";
import type { McpFault } from "./types.ts";

/** Returns whether an error means that the connection is closed, so that a retry needs a new one. */
export function isClosedProblem(error: unknown): boolean {
  return error instanceof Problem && closedProblems.has(error);
}

const closedProblems = new WeakSet<Problem>();

/** Marks a problem as caused by a closed connection. */
export function markClosed(problem: Problem): Problem {
  closedProblems.add(problem);
  return problem;
}

/**
 * The server that an error is about. `ending` says how its program ended. `lastOutput` is the
 * program's last output. `ownFailure` is the last failure in kay's words.
 */
export type FaultSource = {
  name: string;
  title: string;
  ending?: string | undefined;
  lastOutput?: string | undefined;
  ownFailure?: unknown;
};

/** Converts an error of the library, a request or a program to a problem. */
export function toMcpFault(error: unknown, { name, title, ending, lastOutput, ownFailure }: FaultSource): McpFault {
  const serviceFailedProblem = (sentence: string, hint?: string) =>
    new Problem("SERVICE_FAILED", sentence, { hint, cause: error });
  if (ending !== undefined) return { problem: serviceFailedProblem(`${title} ${ending}.`), lost: true, gone: true };
  const knownProblem = findProblem(error) ?? (ownFailure instanceof Problem ? ownFailure : undefined);
  if (knownProblem) return { problem: knownProblem, lost: knownProblem.code === "SERVICE_FAILED", gone: false };
  const machine = toOwnFaultProblem("SERVICE_FAILED", title, error);
  if (machine) return { problem: machine, lost: false, gone: true };
  const version = findVersion(error);
  if (version) return { problem: versionProblem(title, version, error), lost: false, gone: true };
  if (error instanceof ProtocolError && error.code === NO_ANSWER_CODE)
    return { problem: serviceFailedProblem(`${title} did not answer the request.`), lost: true, gone: false };
  if (error instanceof ProtocolError)
    return { problem: refusalProblem(title, error), lost: false, gone: isSessionText(error.message) };
  const refusal = getRefusal(error);
  if (refusal) return toHttpFault(refusal, { name, title }, error);
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    const last = lastOutput === undefined ? "" : ` It last said “${lastOutput}”.`;
    return { problem: serviceFailedProblem(`${title} did not answer in time.${last}`), lost: true, gone: false };
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult)
    return { problem: serviceFailedProblem(formatInvalidResult(title, error)), lost: true, gone: false };
  if (isUnexpectedContent(error) || (error instanceof SdkError && isUnexpectedContent(error.cause)))
    return { problem: serviceFailedProblem(`${title} does not respond like an MCP server.`), lost: true, gone: true };
  if (wasNeverSent(error) || wasNeverSent(ownFailure))
    return {
      problem: serviceFailedProblem(
        `${title} could not be reached.`,
        findNetworkHint(error, name) ?? findNetworkHint(ownFailure, name),
      ),
      lost: false,
      gone: true,
    };
  return { problem: serviceFailedProblem(`The connection to ${title} was lost.`), lost: true, gone: true };
}

/** Names the first wrong field of a result, which the library has only in the text of its error. */
function formatInvalidResult(title: string, { message }: SdkError): string {
  const path = /"path":\s*\[([^\]]*)\]/.exec(message)?.[1] ?? "";
  const field = cleanLine(path.replace(/["\s]/g, "").replaceAll(",", "."), 80);
  return `${title} returned an unexpected response${field ? `: its “${field}” is not as MCP requires` : ""}.`;
}

/** Returns whether the response was not a protocol message, such as a web page. */
function isUnexpectedContent(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.ClientHttpUnexpectedContent;
}

/** Servers often put what is wrong in the data of the error, beside a message such as "Invalid params". */
function refusalProblem(title: string, error: ProtocolError): Problem {
  const { data = "" } = error;
  const body = typeof data === "string" ? data : JSON.stringify(isNestedDeeper(data, 20) ? "" : data);
  const reason = parseServiceFault(body).message;
  const sentences = [error.message, error.message.includes(reason) ? "" : reason];
  const message = sentences
    .map((sentence) => cleanLine(sentence, 300).replace(/(?<![.\s])[.\s]+$/, ""))
    .filter(Boolean)
    .join(": ");
  return new Problem("SERVICE_FAILED", message ? `${title}: ${message}.` : `${title} refused the request.`, {
    hint: "",
    cause: error,
  });
}

/** Returns the protocol versions of a server that kay does not support, if an error is about them. */
function findVersion(error: unknown): string | undefined {
  const message = error instanceof Error ? error.message : "";
  const versions = /protocol version is not supported: (.+)$/s.exec(message)?.[1];
  if (versions !== undefined) return cleanLine(versions, 60);
  const { supported } = ((error as { data?: unknown } | null)?.data ?? {}) as { supported?: unknown };
  if (!(error instanceof ProtocolError) || !Array.isArray(supported)) return undefined;
  return cleanLine(supported.filter((version) => typeof version === "string").join(", "), 120);
}

/** Returns the newest version that a server lists in its refusal and kay supports. */
export function findCommonVersion(error: unknown): string | undefined {
  const cause = error instanceof Problem ? error.cause : undefined;
  const { supported } = cause instanceof ProtocolError ? toRecord(cause.data) : {};
  if (!Array.isArray(supported)) return undefined;
  return SUPPORTED_PROTOCOL_VERSIONS.find((version) => supported.includes(version));
}

function versionProblem(title: string, version: string, cause: unknown): Problem {
  return new Problem(
    "SERVICE_FAILED",
    `${title} speaks version ${version} of MCP, which kay does not support. kay supports ${VERSIONS}.`,
    { hint: "Update the server, or kay.", cause },
  );
}

const VERSIONS = [...SUPPORTED_PROTOCOL_VERSIONS].sort().join(", ");

function findProblem(error: unknown): Problem | undefined {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 8; inner = inner.cause, depth++)
    if (inner instanceof Problem) return inner;
  return undefined;
}

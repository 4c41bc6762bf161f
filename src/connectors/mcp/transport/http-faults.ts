import { SdkHttpError, SseError } from "@modelcontextprotocol/client";
import { Problem } from "#protocol/errors";
import { getPageTitle } from "#protocol/page-title";
import { authRequiredProblem } from "../../http/errors.ts";
import { parseServiceFault } from "../../http/service-fault.ts";
import type { McpFault } from "../types.ts";

/** A response that refused a request: its status and body. */
export type Refusal = { status: number; text: string };

/** Returns the refusal in an error of the library, whichever transport it comes from. */
export function getRefusal(error: unknown): Refusal | undefined {
  if (error instanceof SseError) return error.code === undefined ? undefined : { status: error.code, text: "" };
  if (!(error instanceof SdkHttpError)) return undefined;
  const { text } = error.data as { text?: unknown };
  return { status: error.status, text: typeof text === "string" ? text : "" };
}

/** Returns whether a server's words say that the session has ended. Nothing was done then, and a new one helps. */
export function isSessionText(text: string): boolean {
  return SESSION_ENDED.test(text);
}

const SESSION_ENDED =
  /session.{0,40}\b(not found|not valid|unknown|expired|invalid|terminated|ended|closed|missing|required|does not exist)|\b(no|unknown|invalid|expired|missing|no valid|could not find) (mcp[- ])?session|not initialized/i;

/**
 * Converts a refusal, with the server's sentence. 404 means that the session has ended (MCP, "Session Management");
 * many servers answer 400 instead, or 410.
 */
export function toHttpFault(
  { status, text }: Refusal,
  { name, title }: { name: string; title: string },
  cause: unknown,
): McpFault {
  if (status === 401) return { problem: authRequiredProblem({ name, title }), lost: false, gone: true };
  const sentence = parseServiceFault(text).message;
  const hasEnded = status === 404 || status === 410 || (status === 400 && (sentence === "" || isSessionText(sentence)));
  const page = getPageTitle(text);
  const words = sentence ? `: “${sentence}”.` : page ? `. Its answer is the web page “${page}”.` : ".";
  const hint = status === 403 ? `Ask an administrator of ${title} for permission, or use another account.` : undefined;
  const message = `${title} refused the request (HTTP ${status})${words}`;
  const problem = new Problem("SERVICE_FAILED", message, { cause, hint });
  return {
    problem,
    lost: status >= 500 && status !== 501 && status !== 503,
    gone: hasEnded || status >= 500,
  };
}

import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { checkLength, emptyTextProblem } from "../input-text.ts";
import { type ToolContext, withDescription } from "../tool.ts";

/**
 * Headers of the versioned API. A version is released every month and supported for at least a year; older ones get
 * 426. Source: https://learn.microsoft.com/en-us/linkedin/marketing/versioning
 */
export const VERSION_HEADERS = { "linkedin-version": "202605", "x-restli-protocol-version": "2.0.0" };

/** Scope required to post, comment and react. */
export const POSTING_SCOPES = "w_member_social";

/** The field of a tool that names a post. */
export const POST_FIELD = withDescription(
  z.string(),
  "URL of the post, or its ID such as urn:li:share:7012345678901234567.",
);

/** Longest post and comment, in characters. LinkedIn truncates longer posts silently. */
export const POST_LIMIT = 3_000;
export const COMMENT_LIMIT = 1_250;

/** Returns the URN of the connected user. @throws Problem AUTH_REQUIRED when the connection has none */
export function getAuthor({ metadata }: Pick<ToolContext, "metadata">): string {
  if (typeof metadata.person === "string") return metadata.person;
  throw new Problem("AUTH_REQUIRED", "The connection to LinkedIn does not identify its user.", {
    hint: "Run `kay connect linkedin`, then ask again.",
    details: { integrations: ["linkedin"] },
  });
}

/**
 * Parses the URN of a post from a URN or a URL (`/feed/update/urn:li:share:1`, `/posts/ann_hello-activity-1-x`).
 *
 * @throws Problem INVALID_REQUEST when there is none
 */
export function parsePostUrn(text: string): string {
  const decoded = decodeText(text.trim());
  const urn =
    /urn:li:(share|ugcPost|activity):(\d+)/.exec(decoded) ??
    /\/posts\/\S{0,500}?-(share|ugcPost|activity)-(\d+)/.exec(decoded);
  if (urn) return `urn:li:${urn[1]}:${urn[2]}`;
  throw new Problem("INVALID_REQUEST", `“${text.trim().slice(0, 100)}” is not the URL of a LinkedIn post.`, {
    hint: "Copy the link to the post in LinkedIn, or use its ID such as urn:li:share:7012345678901234567.",
    details: { field: "post" },
  });
}

/** Formats a post for a summary, before anything is validated. */
export function formatPost(text: string): string {
  try {
    return parsePostUrn(text);
  } catch {
    return text.trim();
  }
}

/** Returns the text of an approval for a post. */
export function formatPostPlace(text: string): string | undefined {
  const urn = formatPost(text);
  return urn.startsWith("urn:li:") && parsePostUrn(urn) === urn ? `on the post ${urn}` : undefined;
}

/** Returns the web page of a post. */
export function buildPostUrl({ http }: Pick<ToolContext, "http">, urn: string): string {
  return `${http.endpoints.web ?? "https://www.linkedin.com"}/feed/update/${urn}/`;
}

/** Checks that a text is not empty and not too long. @throws Problem INVALID_REQUEST */
export function checkTextLength(text: string, limit: number, noun: "post" | "comment"): string {
  const trimmed = text.trim();
  if (trimmed === "") throw emptyTextProblem(noun);
  checkLength(trimmed, limit, { service: "LinkedIn", noun });
  return trimmed;
}

/**
 * Escapes plain text for LinkedIn's "little" format, in which these characters mark mentions and templates, and an
 * unescaped one truncates the post. A `#` before a word stays as a hashtag. Source:
 * https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/little-text-format
 */
export function toLittleText(text: string): string {
  return text.replace(/[\\|{}@[\]()<>*_~]|#(?![\p{L}\p{N}])|(?<=[\p{L}\p{N}])#/gu, "\\$&");
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

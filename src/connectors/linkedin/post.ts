import { Problem } from "#protocol/errors";
import type { ToolContext } from "../service.ts";

/**
 * Headers of the versioned API. Versions come monthly and are served for a year at least; an older one is answered with 426.
 * Source: https://learn.microsoft.com/en-us/linkedin/marketing/versioning
 */
export const VERSION_HEADERS = { "linkedin-version": "202605", "x-restli-protocol-version": "2.0.0" };

/** What posting, commenting and reacting need. */
export const POSTING_SCOPES = "w_member_social";

/** Longest text of a post, and of a comment, in characters; LinkedIn cuts longer posts off without a word. */
export const POST_LIMIT = 3_000;
export const COMMENT_LIMIT = 1_250;

/** The person who posts, as an URN. @throws Problem AUTH_REQUIRED when the connection does not say */
export function getAuthor({ metadata }: Pick<ToolContext, "metadata">): string {
  if (typeof metadata.person === "string") return metadata.person;
  throw new Problem("AUTH_REQUIRED", "The connection to LinkedIn does not say whose it is.", {
    hint: "Run `kay connect linkedin`, then ask again.",
    details: { integrations: ["linkedin"] },
  });
}

/**
 * The URN of a post in what a person typed: itself, or an address (`/feed/update/urn:li:share:1`, `/posts/ann_hello-activity-1-x`).
 *
 * @throws Problem INVALID_REQUEST when there is none
 */
export function parsePostUrn(text: string): string {
  const decoded = decodedText(text.trim());
  const urn =
    /urn:li:(share|ugcPost|activity):(\d+)/.exec(decoded) ??
    /\/posts\/\S*?-(share|ugcPost|activity)-(\d+)/.exec(decoded);
  if (urn) return `urn:li:${urn[1]}:${urn[2]}`;
  throw new Problem("INVALID_REQUEST", `“${text.trim().slice(0, 100)}” is not the address of a LinkedIn post.`, {
    hint: "Copy the link to the post in LinkedIn, or use its id such as urn:li:share:7012345678901234567.",
    details: { field: "post" },
  });
}

/** The post as it will be shown in a summary, before anything is checked. */
export function formatPost(text: string): string {
  try {
    return parsePostUrn(text);
  } catch {
    return text.trim();
  }
}

/** The words of a grant for a post. */
export function formatPostPlace(text: string): string | undefined {
  const urn = formatPost(text);
  return urn.startsWith("urn:li:") && parsePostUrn(urn) === urn ? `on the post ${urn}` : undefined;
}

/** Where a person reads a post. */
export function buildPostUrl({ http }: Pick<ToolContext, "http">, urn: string): string {
  return `${http.endpoints.web ?? "https://www.linkedin.com"}/feed/update/${urn}/`;
}

/** Somebody's text, not empty and not too long. @throws Problem INVALID_REQUEST */
export function checkTextLength(text: string, limit: number, what: "post" | "comment"): string {
  const trimmed = text.trim();
  const details = { field: "text" };
  if (trimmed === "") throw new Problem("INVALID_REQUEST", `A ${what} needs some text.`, { details });
  if (trimmed.length <= limit) return trimmed;
  const [has, most] = [trimmed.length, limit].map((number) => number.toLocaleString("en-US"));
  throw new Problem("INVALID_REQUEST", `The ${what} has ${has} characters; LinkedIn takes at most ${most}.`, {
    hint: "Shorten it.",
    details,
  });
}

/**
 * Plain text in LinkedIn's "little" format, where these characters mean mentions and templates and an unescaped one cuts the post off.
 * A `#` before a word stays: it is a hashtag.
 * Source: https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/little-text-format
 */
export function toLittleText(text: string): string {
  return text.replace(/[\\|{}@[\]()<>*_~]|#(?![\p{L}\p{N}])|(?<=[\p{L}\p{N}])#/gu, "\\$&");
}

function decodedText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

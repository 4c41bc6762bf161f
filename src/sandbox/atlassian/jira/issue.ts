import type { Context } from "hono";
import type { ProviderContext } from "../../provider.ts";
import type { SiteEnv } from "../gateway.ts";
import type { AtlassianState, Issue } from "../state.ts";
import { jiraError, NO_ISSUE_TEXT } from "./errors.ts";
import type { ViewContext } from "./views.ts";

/** Returns the context of a request's views. */
export function toViewContext(c: Context<SiteEnv>): ViewContext {
  return { site: c.get("site"), accounts: c.get("world").accounts, request: c.req.raw };
}

/** Finds the issue in the path by ID or key. @throws ApiError 404 */
export function findIssue(c: Context<SiteEnv>): Issue {
  const keyOrId = (c.req.param("key") ?? "").toUpperCase();
  const issue = c.get("site").issues.find(({ id, key }) => id === keyOrId || key === keyOrId);
  if (!issue) throw jiraError(404, [NO_ISSUE_TEXT]);
  return issue;
}

/** Records a change of an issue, and saves the state. */
export function touchIssue(issue: Issue, provider: ProviderContext<AtlassianState>): void {
  issue.updated = provider.timestamp();
  provider.save();
}

/** Returns the next number, one above the highest; a deleted key is reused only if it was the last. */
export function getNextNumber(ids: number[], minimum: number): number {
  return Math.max(minimum, ...ids.filter(Number.isFinite)) + 1;
}

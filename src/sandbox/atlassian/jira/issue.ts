import type { Context } from "hono";
import type { Place } from "../../provider.ts";
import type { SiteEnv } from "../gateway.ts";
import type { AtlassianWorld, Issue } from "../world.ts";
import { JiraRefusal, NO_ISSUE } from "./errors.ts";
import type { View } from "./views.ts";

/** What the views of a request need. */
export function viewOf(c: Context<SiteEnv>, place: Place<AtlassianWorld>): View {
  return { site: c.get("site"), accounts: place.world().accounts, request: c.req.raw };
}

/** The issue in the path, by id or key. @throws JiraRefusal 404 */
export function issueOf(c: Context<SiteEnv>): Issue {
  const wanted = (c.req.param("key") ?? "").toUpperCase();
  const issue = c.get("site").issues.find(({ id, key }) => id === wanted || key === wanted);
  if (!issue) throw new JiraRefusal(404, [NO_ISSUE]);
  return issue;
}

/** An issue was changed now. */
export function touch(issue: Issue, place: Place<AtlassianWorld>): void {
  issue.updated = new Date(place.now()).toISOString();
  place.changed();
}

/** One more than the greatest; a deleted key is used again only if it was the last. */
export function nextNumber(taken: number[], least: number): number {
  return Math.max(least, ...taken.filter(Number.isFinite)) + 1;
}

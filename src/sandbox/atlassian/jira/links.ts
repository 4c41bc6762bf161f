import type { Context, Hono } from "hono";
import type { ProviderContext } from "../../provider.ts";
import { requireScope, type SiteEnv } from "../gateway.ts";
import type { AtlassianState, Worklog } from "../state.ts";
import { parseComment } from "./edit.ts";
import { jiraError, NO_ISSUE_TEXT, parseBody } from "./errors.ts";
import { findIssue, getNextNumber, touchIssue, toViewContext } from "./issue.ts";
import { LINK_TYPES } from "./schemes.ts";
import { formatJiraTime, getSelfUrl, toUserView, type ViewContext } from "./views.ts";

/** Links between issues, and time spent (groups issue-links, issue-link-types, issue-worklogs). */
export function registerLinkRoutes(app: Hono<SiteEnv>, provider: ProviderContext<AtlassianState>): void {
  const [read, write] = [requireScope("read:jira-work"), requireScope("write:jira-work")];
  app.get("/issueLinkType", read, (c) => {
    const view = toViewContext(c);
    return c.json({
      issueLinkTypes: LINK_TYPES.map((type) => ({ ...type, self: getSelfUrl(view, `issueLinkType/${type.id}`) })),
    });
  });
  app.post("/issueLink", write, (c) => link(c, provider));
  app.get("/issue/:key/worklog", read, (c) => {
    const worklogs = findIssue(c).worklogs ?? [];
    const views = worklogs.map((worklog) => toWorklogView(toViewContext(c), worklog));
    return c.json({ startAt: 0, maxResults: 5000, total: views.length, worklogs: views });
  });
  app.post("/issue/:key/worklog", write, (c) => logWork(c, provider));
}

/** Links two issues. The link goes out from the `inwardIssue` of the request. */
async function link(c: Context<SiteEnv>, provider: ProviderContext<AtlassianState>) {
  const body = await parseBody(c);
  const type = LINK_TYPES.find(
    ({ id, name }) => id === getText(body.type, "id") || name === getText(body.type, "name"),
  );
  if (!type) throw jiraError(404, ["No issue link type with name found."]);
  const { issues } = c.get("site");
  const find = (end: unknown) => {
    const issue = issues.find(({ id, key }) => id === getText(end, "id") || key === getText(end, "key"));
    if (!issue) throw jiraError(404, [NO_ISSUE_TEXT]);
    return issue;
  };
  const [from, to] = [find(body.inwardIssue), find(body.outwardIssue)];
  const id = String(
    getNextNumber(
      issues.flatMap(({ links = [] }) => links.map((link) => Number(link.id))),
      40_000,
    ),
  );
  from.links = [...(from.links ?? []), { id, type: type.name, to: to.key }];
  touchIssue(from, provider);
  touchIssue(to, provider);
  return c.body(null, 201);
}

async function logWork(c: Context<SiteEnv>, provider: ProviderContext<AtlassianState>) {
  const issue = findIssue(c);
  const { timeSpent, timeSpentSeconds, started, comment } = await parseBody(c);
  const seconds = typeof timeSpentSeconds === "number" ? timeSpentSeconds : parseTimeSpent(String(timeSpent ?? ""));
  if (!(seconds >= 60)) throw jiraError(400, [], { timeLogged: "Invalid time duration entered." });
  if (typeof started === "string" && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d{4}$/.test(started))
    throw jiraError(400, ["INVALID_INPUT"]);
  const ids = c.get("site").issues.flatMap(({ worklogs = [] }) => worklogs.map(({ id }) => Number(id)));
  const worklog: Worklog = {
    id: String(getNextNumber(ids, 50_000)),
    author: c.get("account").accountId,
    timeSpentSeconds: seconds,
    started: typeof started === "string" ? new Date(started).toISOString() : provider.timestamp(),
    ...(comment === undefined ? {} : { comment: parseComment(comment) }),
  };
  issue.worklogs = [...(issue.worklogs ?? []), worklog];
  touchIssue(issue, provider);
  return c.json(toWorklogView(toViewContext(c), worklog), 201);
}

/** Seconds of Jira's units, in a week of five days of eight hours. */
const UNITS: Record<string, number> = { w: 144_000, d: 28_800, h: 3600, m: 60 };

function parseTimeSpent(text: string): number {
  if (!/^(?:\d+[wdhm]\s*)+$/.test(text)) return 0;
  return [...text.matchAll(/(\d+)([wdhm])/g)].reduce(
    (sum, [, n, unit = ""]) => sum + Number(n) * (UNITS[unit] ?? 0),
    0,
  );
}

function formatTimeSpent(seconds: number): string {
  let remaining = seconds;
  const parts = Object.entries(UNITS).flatMap(([unit, size]) => {
    const count = Math.floor(remaining / size);
    remaining -= count * size;
    return count > 0 ? [`${count}${unit}`] : [];
  });
  return parts.join(" ");
}

function toWorklogView(view: ViewContext, { id, author, timeSpentSeconds, started, comment }: Worklog) {
  const timeSpent = formatTimeSpent(timeSpentSeconds);
  return {
    id,
    author: toUserView(view, author),
    started: formatJiraTime(started),
    timeSpent,
    timeSpentSeconds,
    comment,
  };
}

function getText(value: unknown, name: string): string | undefined {
  const text = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return text === undefined ? undefined : String(text);
}

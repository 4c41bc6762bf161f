import type { Context, Hono } from "hono";
import { requireScope, type SiteEnv } from "../gateway.ts";
import type { Project } from "../state.ts";
import { jiraError, parseNumber } from "./errors.ts";
import { toViewContext } from "./issue.ts";
import { ISSUE_TYPES, PRIORITIES } from "./schemes.ts";
import {
  getSelfUrl,
  toIssueTypeView,
  toPriorityView,
  toProjectView,
  toStatusView,
  toUserView,
  type ViewContext,
} from "./views.ts";

/**
 * Projects, users, and the types, priorities and statuses of issues (groups projects, users, myself, issue-types, issue-priorities,
 * workflow-statuses).
 */
export function registerProjectRoutes(app: Hono<SiteEnv>): void {
  const [read, people] = [requireScope("read:jira-work"), requireScope("read:jira-user")];
  app.get("/project/search", read, (c) => searchProjects(c, toViewContext(c)));
  app.get("/project/:key", read, (c) => c.json(toWholeProject(toViewContext(c), getProject(c))));
  app.get("/project/:key/statuses", read, (c) => {
    const [project, view] = [getProject(c), toViewContext(c)];
    const statuses = project.workflow.statuses.map((status) => toStatusView(view, status));
    return c.json(project.issueTypes.map((name) => ({ ...toIssueTypeView(view, name), statuses })));
  });
  app.get("/issuetype", read, (c) => c.json(ISSUE_TYPES.map(({ name }) => toIssueTypeView(toViewContext(c), name))));
  app.get("/issue/createmeta/:key/issuetypes", read, (c) => {
    const types = getProject(c).issueTypes.map((name) => toIssueTypeView(toViewContext(c), name));
    return c.json({ startAt: 0, maxResults: 50, total: types.length, issueTypes: types });
  });
  app.get("/priority", read, (c) => c.json(PRIORITIES.map(({ name }) => toPriorityView(toViewContext(c), name))));
  app.get("/priority/search", read, (c) => {
    const values = PRIORITIES.map(({ name }) => ({
      ...toPriorityView(toViewContext(c), name),
      isDefault: name === "Medium",
    }));
    return c.json({ maxResults: 50, startAt: 0, total: values.length, isLast: true, values });
  });
  app.get("/status", read, (c) => {
    const statuses = c.get("site").projects.flatMap(({ workflow }) => workflow.statuses);
    return c.json(statuses.map((status) => toStatusView(toViewContext(c), status)));
  });
  app.get("/myself", people, (c) => {
    const me = toUserView(toViewContext(c), c.get("account").accountId);
    return c.json({
      ...me,
      locale: "en_US",
      groups: { size: 0, items: [] },
      applicationRoles: { size: 0, items: [] },
      expand: "groups,applicationRoles",
    });
  });
  app.get("/user", people, (c) => {
    const user = toUserView(toViewContext(c), c.req.query("accountId") ?? "");
    if (!user) throw jiraError(404, [`Specified user does not exist or you do not have required permissions`]);
    return c.json(user);
  });
  app.get("/user/search", people, searchUsers);
  app.get("/user/assignable/search", people, searchUsers);
}

function searchProjects(c: Context<SiteEnv>, view: ViewContext) {
  const query = (c.req.query("query") ?? "").toLowerCase();
  const keys = c.req.queries("keys");
  const projects = view.site.projects.filter(
    ({ key, name }) =>
      (!keys || keys.includes(key)) && (key.toLowerCase().includes(query) || name.toLowerCase().includes(query)),
  );
  const startAt = parseNumber(c.req.query("startAt"), "startAt", 0, Number.MAX_SAFE_INTEGER);
  const maxResults = parseNumber(c.req.query("maxResults"), "maxResults", 50, 100);
  const values = [...projects].sort((a, b) => a.key.localeCompare(b.key)).slice(startAt, startAt + maxResults);
  const isLast = startAt + maxResults >= projects.length;
  const getPageUrl = (start: number) => getSelfUrl(view, `project/search?maxResults=${maxResults}&startAt=${start}`);
  return c.json({
    self: getPageUrl(startAt),
    ...(isLast ? {} : { nextPage: getPageUrl(startAt + maxResults) }),
    maxResults,
    startAt,
    total: projects.length,
    isLast,
    values: values.map((project) => toListedProject(view, project)),
  });
}

function toListedProject(view: ViewContext, project: Project) {
  return {
    expand: "description,lead,issueTypes,url,projectKeys,permissions,insight",
    ...toProjectView(view, project),
    style: "classic",
    isPrivate: false,
    properties: {},
  };
}

function toWholeProject(view: ViewContext, project: Project) {
  return {
    ...toListedProject(view, project),
    description: project.description,
    lead: toUserView(view, project.lead),
    components: [],
    issueTypes: project.issueTypes.map((name) => toIssueTypeView(view, name)),
    assigneeType: "UNASSIGNED",
    versions: [],
    roles: {},
  };
}

function searchUsers(c: Context<SiteEnv>) {
  const [view, site] = [toViewContext(c), c.get("site")];
  const query = (c.req.query("query") ?? "").toLowerCase();
  const account = c.req.query("accountId");
  if (c.req.path.endsWith("/user/search") && query === "" && account === undefined) {
    throw jiraError(400, ["The query parameters 'query', 'accountId' or 'property' are missing."]);
  }
  const startAt = parseNumber(c.req.query("startAt"), "startAt", 0, Number.MAX_SAFE_INTEGER);
  const maxResults = parseNumber(c.req.query("maxResults"), "maxResults", 50, 1000);
  const accounts = view.accounts.filter(
    (candidate) =>
      (site.accounts.length === 0 || site.accounts.includes(candidate.accountId)) &&
      (account === undefined || candidate.accountId === account) &&
      [candidate.displayName, candidate.emailAddress].some((text) => text.toLowerCase().includes(query)),
  );
  return c.json(accounts.slice(startAt, startAt + maxResults).map(({ accountId }) => toUserView(view, accountId)));
}

function getProject(c: Context<SiteEnv>): Project {
  const keyOrId = c.req.param("key") ?? "";
  const project = c.get("site").projects.find(({ id, key }) => id === keyOrId || key === keyOrId.toUpperCase());
  if (!project) throw jiraError(404, [`No project could be found with key '${keyOrId}'.`]);
  return project;
}

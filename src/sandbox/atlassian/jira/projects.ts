import type { Context, Hono } from "hono";
import type { Place } from "../../provider.ts";
import { needs, type SiteEnv } from "../gateway.ts";
import type { AtlassianWorld, Project } from "../world.ts";
import { JiraRefusal, numberOf } from "./errors.ts";
import { viewOf } from "./issue.ts";
import { ISSUE_TYPES, PRIORITIES } from "./schemes.ts";
import { issueTypeView, priorityView, projectView, selfOf, statusView, userView, type View } from "./views.ts";

/** Projects, people, and what issues can be made of (groups projects, users, myself, issue-types, issue-priorities, workflow-statuses). */
export function projectRoutes(app: Hono<SiteEnv>, place: Place<AtlassianWorld>): void {
  const [read, people] = [needs("read:jira-work"), needs("read:jira-user")];
  app.get("/project/search", read, (c) => searchProjects(c, viewOf(c, place)));
  app.get("/project/:key", read, (c) => c.json(wholeProject(viewOf(c, place), projectOf(c))));
  app.get("/project/:key/statuses", read, (c) => {
    const [project, view] = [projectOf(c), viewOf(c, place)];
    const statuses = project.workflow.statuses.map((status) => statusView(view, status));
    return c.json(project.issueTypes.map((name) => ({ ...issueTypeView(view, name), statuses })));
  });
  app.get("/issuetype", read, (c) => c.json(ISSUE_TYPES.map(({ name }) => issueTypeView(viewOf(c, place), name))));
  app.get("/issue/createmeta/:key/issuetypes", read, (c) => {
    const types = projectOf(c).issueTypes.map((name) => issueTypeView(viewOf(c, place), name));
    return c.json({ startAt: 0, maxResults: 50, total: types.length, issueTypes: types });
  });
  app.get("/priority", read, (c) => c.json(PRIORITIES.map(({ name }) => priorityView(viewOf(c, place), name))));
  app.get("/priority/search", read, (c) => {
    const values = PRIORITIES.map(({ name }) => ({
      ...priorityView(viewOf(c, place), name),
      isDefault: name === "Medium",
    }));
    return c.json({ maxResults: 50, startAt: 0, total: values.length, isLast: true, values });
  });
  app.get("/status", read, (c) => {
    const statuses = c.get("site").projects.flatMap(({ workflow }) => workflow.statuses);
    return c.json(statuses.map((status) => statusView(viewOf(c, place), status)));
  });
  app.get("/myself", people, (c) => {
    const me = userView(viewOf(c, place), c.get("account").accountId);
    return c.json({
      ...me,
      locale: "en_US",
      groups: { size: 0, items: [] },
      applicationRoles: { size: 0, items: [] },
      expand: "groups,applicationRoles",
    });
  });
  app.get("/user", people, (c) => {
    const user = userView(viewOf(c, place), c.req.query("accountId") ?? "");
    if (!user) throw new JiraRefusal(404, [`Specified user does not exist or you do not have required permissions`]);
    return c.json(user);
  });
  app.get("/user/search", people, (c) => searchUsers(c, place));
  app.get("/user/assignable/search", people, (c) => searchUsers(c, place));
}

function searchProjects(c: Context<SiteEnv>, view: View) {
  const query = (c.req.query("query") ?? "").toLowerCase();
  const keys = c.req.queries("keys");
  const projects = view.site.projects.filter(
    ({ key, name }) =>
      (!keys || keys.includes(key)) && (key.toLowerCase().includes(query) || name.toLowerCase().includes(query)),
  );
  const startAt = numberOf(c.req.query("startAt"), "startAt", 0, Number.MAX_SAFE_INTEGER);
  const maxResults = numberOf(c.req.query("maxResults"), "maxResults", 50, 100);
  const values = [...projects].sort((a, b) => a.key.localeCompare(b.key)).slice(startAt, startAt + maxResults);
  const isLast = startAt + maxResults >= projects.length;
  const address = (start: number) => selfOf(view, `project/search?maxResults=${maxResults}&startAt=${start}`);
  return c.json({
    self: address(startAt),
    ...(isLast ? {} : { nextPage: address(startAt + maxResults) }),
    maxResults,
    startAt,
    total: projects.length,
    isLast,
    values: values.map((project) => listedProject(view, project)),
  });
}

function listedProject(view: View, project: Project) {
  return {
    expand: "description,lead,issueTypes,url,projectKeys,permissions,insight",
    ...projectView(view, project),
    style: "classic",
    isPrivate: false,
    properties: {},
  };
}

function wholeProject(view: View, project: Project) {
  return {
    ...listedProject(view, project),
    description: project.description,
    lead: userView(view, project.lead),
    components: [],
    issueTypes: project.issueTypes.map((name) => issueTypeView(view, name)),
    assigneeType: "UNASSIGNED",
    versions: [],
    roles: {},
  };
}

function searchUsers(c: Context<SiteEnv>, place: Place<AtlassianWorld>) {
  const [view, site] = [viewOf(c, place), c.get("site")];
  const query = (c.req.query("query") ?? "").toLowerCase();
  const account = c.req.query("accountId");
  if (c.req.path.endsWith("/user/search") && query === "" && account === undefined) {
    throw new JiraRefusal(400, ["The query parameters 'query', 'accountId' or 'property' are missing."]);
  }
  const startAt = numberOf(c.req.query("startAt"), "startAt", 0, Number.MAX_SAFE_INTEGER);
  const maxResults = numberOf(c.req.query("maxResults"), "maxResults", 50, 1000);
  const found = view.accounts.filter(
    (one) =>
      (site.accounts.length === 0 || site.accounts.includes(one.accountId)) &&
      (account === undefined || one.accountId === account) &&
      [one.displayName, one.emailAddress].some((text) => text.toLowerCase().includes(query)),
  );
  return c.json(found.slice(startAt, startAt + maxResults).map(({ accountId }) => userView(view, accountId)));
}

function projectOf(c: Context<SiteEnv>): Project {
  const wanted = c.req.param("key") ?? "";
  const project = c.get("site").projects.find(({ id, key }) => id === wanted || key === wanted.toUpperCase());
  if (!project) throw new JiraRefusal(404, [`No project could be found with key '${wanted}'.`]);
  return project;
}

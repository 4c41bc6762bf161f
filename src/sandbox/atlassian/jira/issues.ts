import type { Context, Hono } from "hono";
import type { Place } from "../../provider.ts";
import { needs, type SiteEnv } from "../gateway.ts";
import type { AtlassianWorld, Issue, Project } from "../world.ts";
import { readComment, readFields, readHome } from "./edit.ts";
import { bodyOf, JiraRefusal, NO_ISSUE, numberOf } from "./errors.ts";
import { commentView, fieldsView, homeOf, selected, selfOf, statusView, type View } from "./views.ts";

/** Issues, their transitions and their comments (developer.atlassian.com/cloud/jira/platform/rest/v3, groups issues and issue-comments). */
export function issueRoutes(app: Hono<SiteEnv>, place: Place<AtlassianWorld>): void {
  const [read, write] = [needs("read:jira-work"), needs("write:jira-work")];
  app.post("/issue", write, (c) => create(c, place));
  app.get("/issue/:key", read, (c) => {
    const [issue, view] = [issueOf(c), viewOf(c, place)];
    const wanted = (c.req.query("fields") ?? "*all").split(",").filter(Boolean);
    return c.json({
      expand: EXPAND,
      id: issue.id,
      self: selfOf(view, `issue/${issue.id}`),
      key: issue.key,
      fields: selected(fieldsView(view, issue), wanted),
    });
  });
  app.put("/issue/:key", write, (c) => edit(c, place));
  app.delete("/issue/:key", write, (c) => {
    const [issue, site] = [issueOf(c), c.get("site")];
    site.issues = site.issues.filter(({ id }) => id !== issue.id);
    place.changed();
    return c.body(null, 204);
  });
  app.get("/issue/:key/transitions", read, (c) => {
    const [issue, view] = [issueOf(c), viewOf(c, place)];
    const { project } = homeOf(c.get("site"), issue);
    return c.json({
      expand: "transitions",
      transitions: possible(issue, project).map((one) => transitionView(view, project, one)),
    });
  });
  app.post("/issue/:key/transitions", write, (c) => move(c, place));
  app.get("/issue/:key/comment", read, (c) => comments(c, place));
  app.post("/issue/:key/comment", write, async (c) => {
    const [issue, view] = [issueOf(c), viewOf(c, place)];
    const comment = addComment(c, issue, (await bodyOf(c)).body, place);
    return c.json(commentView(view, issue, comment), 201);
  });
}

const EXPAND = "renderedFields,names,schema,operations,editmeta,changelog,versionedRepresentations";

/** What the views of a request need. */
export function viewOf(c: Context<SiteEnv>, place: Place<AtlassianWorld>): View {
  return { site: c.get("site"), accounts: place.world().accounts, request: c.req.raw };
}

async function create(c: Context<SiteEnv>, place: Place<AtlassianWorld>) {
  const [body, site, view] = [await bodyOf(c), c.get("site"), viewOf(c, place)];
  const fields =
    typeof body.fields === "object" && body.fields !== null ? (body.fields as Record<string, unknown>) : {};
  const { project, issuetype } = readHome(fields, site);
  const { project: _project, issuetype: _issuetype, ...rest } = fields;
  const values = readFields({ summary: undefined, ...rest }, site, place.world().accounts);
  const now = new Date(place.now()).toISOString();
  const issue: Issue = {
    summary: "",
    priority: "Medium",
    assignee: null,
    reporter: c.get("account").accountId,
    labels: [],
    duedate: null,
    description: null,
    ...values,
    id: String(
      nextNumber(
        site.issues.map(({ id }) => Number(id)),
        10_000,
      ),
    ),
    key: `${project.key}-${nextNumber(site.issues.filter((one) => homeOf(site, one).project === project).map(numberInKey), 0)}`,
    issuetype,
    status: project.workflow.statuses[0]?.name ?? "",
    comments: [],
    created: now,
    updated: now,
    resolutiondate: null,
  };
  site.issues.push(issue);
  place.changed();
  return c.json({ id: issue.id, key: issue.key, self: selfOf(view, `issue/${issue.id}`) }, 201);
}

async function edit(c: Context<SiteEnv>, place: Place<AtlassianWorld>) {
  const [issue, body] = [issueOf(c), await bodyOf(c)];
  const fields = { ...((body.fields as Record<string, unknown> | undefined) ?? {}) };
  for (const [name, operations] of Object.entries((body.update as Record<string, unknown[]> | undefined) ?? {})) {
    fields[name] = operated(name, issue, operations);
  }
  Object.assign(issue, readFields(fields, c.get("site"), place.world().accounts));
  touch(issue, place);
  return c.body(null, 204);
}

/** The operations `set`, and `add` and `remove` on labels. */
function operated(name: string, issue: Issue, operations: unknown): unknown {
  let value: unknown = name === "labels" ? issue.labels : undefined;
  for (const operation of Array.isArray(operations) ? operations : []) {
    const [verb, operand] = Object.entries(operation as Record<string, unknown>)[0] ?? [];
    if (verb === "set") value = operand;
    else if (name === "labels" && verb === "add") value = [...(value as string[]), String(operand)];
    else if (name === "labels" && verb === "remove") value = (value as string[]).filter((label) => label !== operand);
    else
      throw new JiraRefusal(400, [], {
        [name]: `Field with id '${name}' and name '${name}' does not support operation '${verb ?? ""}'`,
      });
  }
  return value;
}

async function move(c: Context<SiteEnv>, place: Place<AtlassianWorld>) {
  const [issue, body] = [issueOf(c), await bodyOf(c)];
  const { project } = homeOf(c.get("site"), issue);
  const id = (body.transition as { id?: unknown } | undefined)?.id;
  if (id === undefined) throw new JiraRefusal(400, ["Missing 'transition' identifier"]);
  const transition = possible(issue, project).find((one) => one.id === String(id));
  if (!transition) throw new JiraRefusal(400, [`Transition id '${String(id)}' is not valid for this issue.`]);
  const added = (body.update as { comment?: { add?: { body?: unknown } }[] } | undefined)?.comment ?? [];
  for (const { add } of added) addComment(c, issue, add?.body, place);
  issue.status = transition.to;
  const done = project.workflow.statuses.find(({ name }) => name === transition.to)?.statusCategory === "done";
  issue.resolutiondate = done ? new Date(place.now()).toISOString() : null;
  touch(issue, place);
  return c.body(null, 204);
}

function possible(issue: Issue, project: Project) {
  return project.workflow.transitions.filter(
    ({ from, to }) => to !== issue.status && (from === undefined || from.includes(issue.status)),
  );
}

function transitionView(
  view: View,
  project: Project,
  { id, name, from, to }: Project["workflow"]["transitions"][number],
) {
  const status = project.workflow.statuses.find((one) => one.name === to);
  return {
    id,
    name,
    to: status && statusView(view, status),
    hasScreen: false,
    isGlobal: from === undefined,
    isInitial: false,
    isAvailable: true,
    isConditional: false,
    isLooped: false,
  };
}

function comments(c: Context<SiteEnv>, place: Place<AtlassianWorld>) {
  const [issue, view] = [issueOf(c), viewOf(c, place)];
  const startAt = numberOf(c.req.query("startAt"), "startAt", 0, Number.MAX_SAFE_INTEGER);
  const maxResults = numberOf(c.req.query("maxResults"), "maxResults", 100, 5000);
  const newest = c.req.query("orderBy") === "-created";
  const sorted = [...issue.comments].sort((a, b) => (newest ? -1 : 1) * a.created.localeCompare(b.created));
  return c.json({
    startAt,
    maxResults,
    total: sorted.length,
    comments: sorted.slice(startAt, startAt + maxResults).map((comment) => commentView(view, issue, comment)),
  });
}

function addComment(c: Context<SiteEnv>, issue: Issue, body: unknown, place: Place<AtlassianWorld>) {
  const now = new Date(place.now()).toISOString();
  const id = nextNumber(
    c.get("site").issues.flatMap((one) => one.comments.map((comment) => Number(comment.id))),
    20_000,
  );
  const comment = {
    id: String(id),
    author: c.get("account").accountId,
    body: readComment(body),
    created: now,
    updated: now,
  };
  issue.comments.push(comment);
  touch(issue, place);
  return comment;
}

function issueOf(c: Context<SiteEnv>): Issue {
  const wanted = (c.req.param("key") ?? "").toUpperCase();
  const issue = c.get("site").issues.find(({ id, key }) => id === wanted || key === wanted);
  if (!issue) throw new JiraRefusal(404, [NO_ISSUE]);
  return issue;
}

function touch(issue: Issue, place: Place<AtlassianWorld>) {
  issue.updated = new Date(place.now()).toISOString();
  place.changed();
}

function numberInKey({ key }: Issue): number {
  return Number(key.slice(key.lastIndexOf("-") + 1));
}

/** One more than the greatest; a deleted key is used again only if it was the last. */
function nextNumber(taken: number[], least: number): number {
  return Math.max(least, ...taken.filter(Number.isFinite)) + 1;
}

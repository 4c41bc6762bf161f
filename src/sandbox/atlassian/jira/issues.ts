import type { Context, Hono } from "hono";
import { toRecord } from "#protocol/json";
import { parseObjectList, parseQueryList } from "../../api.ts";
import type { ProviderContext } from "../../provider.ts";
import { requireScope, type SiteEnv } from "../gateway.ts";
import type { AtlassianState, Issue, Project } from "../state.ts";
import { addComment } from "./comments.ts";
import { parseFields, parseProjectAndType } from "./edit.ts";
import { invalidPayloadError, jiraError, parseBody } from "./errors.ts";
import { findIssue, getNextNumber, touchIssue, toViewContext } from "./issue.ts";
import {
  getFieldNames,
  getProjectAndStatus,
  getSelfUrl,
  pickFields,
  toFieldsView,
  toStatusView,
  type ViewContext,
} from "./views.ts";

/** Issues and their transitions (developer.atlassian.com/cloud/jira/platform/rest/v3, group issues). */
export function registerIssueRoutes(app: Hono<SiteEnv>, provider: ProviderContext<AtlassianState>): void {
  const [read, write] = [requireScope("read:jira-work"), requireScope("write:jira-work")];
  app.post("/issue", write, async (c) => c.json(createIssue(c, await parseBody(c), provider), 201));
  app.get("/issue/:key", read, (c) => c.json(issueView(c)));
  app.put("/issue/:key", write, (c) => edit(c, provider));
  app.delete("/issue/:key", write, (c) => {
    const [issue, site] = [findIssue(c), c.get("site")];
    site.issues = site.issues.filter(({ id }) => id !== issue.id);
    provider.save();
    return c.body(null, 204);
  });
  app.get("/issue/:key/transitions", read, (c) => {
    const [issue, view] = [findIssue(c), toViewContext(c)];
    const { project } = getProjectAndStatus(c.get("site"), issue);
    return c.json({
      expand: "transitions",
      transitions: listPossibleTransitions(issue, project).map((transition) =>
        toTransitionView(view, project, transition),
      ),
    });
  });
  app.post("/issue/:key/transitions", write, (c) => move(c, provider));
  app.put("/issue/:key/assignee", write, async (c) => {
    const [issue, { accountId }] = [findIssue(c), await parseBody(c)];
    // -1 means the project's default assignee, which these projects do not have.
    const assignee = accountId === null || accountId === "-1" ? null : { id: accountId };
    Object.assign(issue, parseFields({ assignee }, c.get("site"), c.get("world").accounts));
    touchIssue(issue, provider);
    return c.body(null, 204);
  });
}

const EXPAND = "renderedFields,names,schema,operations,editmeta,changelog,versionedRepresentations";

/** Returns an issue with the requested fields, and what `expand` adds. */
function issueView(c: Context<SiteEnv>) {
  const [issue, view] = [findIssue(c), toViewContext(c)];
  const names = parseQueryList(c, "fields");
  const fields = pickFields(toFieldsView(view, issue), names.length > 0 ? names : ["*all"]);
  const expanded = parseQueryList(c, "expand");
  const { project } = getProjectAndStatus(view.site, issue);
  const listTransitionViews = () =>
    listPossibleTransitions(issue, project).map((transition) => toTransitionView(view, project, transition));
  return {
    expand: EXPAND,
    id: issue.id,
    self: getSelfUrl(view, `issue/${issue.id}`),
    key: issue.key,
    fields,
    ...(expanded.includes("names") ? { names: getFieldNames(Object.keys(fields)) } : {}),
    ...(expanded.includes("transitions") ? { transitions: listTransitionViews() } : {}),
  };
}

/** Creates an issue from a body's `fields`. @throws ApiError with all errors */
export function createIssue(
  c: Context<SiteEnv>,
  body: Record<string, unknown>,
  provider: ProviderContext<AtlassianState>,
) {
  const [site, view] = [c.get("site"), toViewContext(c)];
  const fields =
    typeof body.fields === "object" && body.fields !== null ? (body.fields as Record<string, unknown>) : {};
  const { project, issuetype } = parseProjectAndType(fields, site);
  const { project: _project, issuetype: _issuetype, ...rest } = fields;
  const values = parseFields({ summary: undefined, ...rest }, site, c.get("world").accounts);
  const now = provider.timestamp();
  const issue: Issue = {
    summary: "",
    priority: "Medium",
    assignee: null,
    reporter: c.get("account").accountId,
    labels: [],
    duedate: null,
    parent: null,
    description: null,
    ...values,
    id: String(
      getNextNumber(
        site.issues.map(({ id }) => Number(id)),
        10_000,
      ),
    ),
    key: `${project.key}-${getNextNumber(site.issues.filter((candidate) => getProjectAndStatus(site, candidate).project === project).map(numberInKey), 0)}`,
    issuetype,
    status: project.workflow.statuses[0]?.name ?? "",
    comments: [],
    created: now,
    updated: now,
    resolutiondate: null,
  };
  site.issues.push(issue);
  provider.save();
  return { id: issue.id, key: issue.key, self: getSelfUrl(view, `issue/${issue.id}`) };
}

async function edit(c: Context<SiteEnv>, provider: ProviderContext<AtlassianState>) {
  const [issue, body] = [findIssue(c), await parseBody(c)];
  const fields = { ...toRecord(body.fields) };
  for (const [name, operations] of Object.entries(toRecord(body.update))) {
    fields[name] = operate(name, issue, operations);
  }
  Object.assign(issue, parseFields(fields, c.get("site"), c.get("world").accounts));
  touchIssue(issue, provider);
  return c.req.query("returnIssue") === "true" ? c.json(issueView(c)) : c.body(null, 204);
}

/** The operations `set`, and `add` and `remove` on labels. */
function operate(name: string, issue: Issue, operations: unknown): unknown {
  let value: unknown = name === "labels" ? issue.labels : undefined;
  for (const operation of parseObjectList(operations, invalidPayloadError)) {
    const [verb, operand] = Object.entries(operation)[0] ?? [];
    if (verb === "set") value = operand;
    else if (name === "labels" && verb === "add" && Array.isArray(value)) value = [...value, String(operand)];
    else if (name === "labels" && verb === "remove" && Array.isArray(value))
      value = value.filter((label) => label !== operand);
    else
      throw jiraError(400, [], {
        [name]: `Field with id '${name}' and name '${name}' does not support operation '${verb ?? ""}'`,
      });
  }
  return value;
}

async function move(c: Context<SiteEnv>, provider: ProviderContext<AtlassianState>) {
  const [issue, body] = [findIssue(c), await parseBody(c)];
  const { project } = getProjectAndStatus(c.get("site"), issue);
  const { id } = toRecord(body.transition);
  if (id === undefined) throw jiraError(400, ["Missing 'transition' identifier"]);
  const transition = listPossibleTransitions(issue, project).find((transition) => transition.id === String(id));
  if (!transition) throw jiraError(400, [`Transition id '${String(id)}' is not valid for this issue.`]);
  for (const { add } of parseObjectList(toRecord(body.update).comment, invalidPayloadError))
    addComment(c, issue, toRecord(add).body, provider);
  issue.status = transition.to;
  const isDone = project.workflow.statuses.find(({ name }) => name === transition.to)?.statusCategory === "done";
  issue.resolutiondate = isDone ? provider.timestamp() : null;
  touchIssue(issue, provider);
  return c.body(null, 204);
}

function listPossibleTransitions(issue: Issue, project: Project) {
  return project.workflow.transitions.filter(
    ({ from, to }) => to !== issue.status && (from === undefined || from.includes(issue.status)),
  );
}

function toTransitionView(
  view: ViewContext,
  project: Project,
  { id, name, from, to }: Project["workflow"]["transitions"][number],
) {
  const status = project.workflow.statuses.find((status) => status.name === to);
  return {
    id,
    name,
    to: status && toStatusView(view, status),
    hasScreen: false,
    isGlobal: from === undefined,
    isInitial: false,
    isAvailable: true,
    isConditional: false,
    isLooped: false,
  };
}

function numberInKey({ key }: Issue): number {
  return Number(key.slice(key.lastIndexOf("-") + 1));
}

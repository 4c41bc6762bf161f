import type { Context, Hono } from "hono";
import type { ProviderContext } from "../provider.ts";
import {
  canWrite,
  findIssue,
  findRepository,
  findWritableRepository,
  type GithubEnv,
  githubError,
  invalidError,
  isMember,
  listVisibleRepositories,
  parseBody,
} from "./access.ts";
import { createIdFromName } from "./build.ts";
import { paginate } from "./paging.ts";
import { type GithubState, type Issue, isPullRequest, type PullRequest, type Repository } from "./state.ts";
import { toCommentView, toIssueView } from "./views.ts";

const ISSUES = "/repos/:owner/:repo/issues";
const ONE = `${ISSUES}/:number{[0-9]+}`;

/** Issues and their comments (docs.github.com/en/rest/issues). */
export function registerIssueRoutes(app: Hono<GithubEnv>, provider: ProviderContext<GithubState>): void {
  app.get("/issues", (c) => {
    const { login } = c.get("account");
    const assignedIssues = listVisibleRepositories(c).flatMap((repository) =>
      filterIssues(c, [...repository.issues, ...repository.pull_requests])
        .filter(({ assignees }) => assignees.includes(login))
        .map((issue) => toIssueView(c, repository, issue)),
    );
    return c.json(paginate(c, assignedIssues));
  });
  app.get(ISSUES, (c) => {
    const repository = findRepository(c);
    const issues = filterIssues(c, [...repository.issues, ...repository.pull_requests]);
    return c.json(paginate(c, issues).map((issue) => toIssueView(c, repository, issue)));
  });
  app.post(ISSUES, (c) => create(c, provider));
  app.get(ONE, (c) => {
    const repository = findRepository(c);
    return c.json(toIssueView(c, repository, findIssue(c, repository)));
  });
  app.patch(ONE, (c) => edit(c, provider));
  app.get(`${ONE}/comments`, (c) => {
    const repository = findRepository(c);
    const issue = findIssue(c, repository);
    return c.json(paginate(c, issue.comments).map((comment) => toCommentView(c, repository, issue, comment)));
  });
  app.post(`${ONE}/comments`, (c) => addComment(c, provider));
}

/** Filters by state, assignee, creator, labels and age; newest first by default. */
export function filterIssues<T extends Issue>(c: Context<GithubEnv>, issues: T[]): T[] {
  const { state = "open", assignee, creator, labels, since, sort = "created", direction = "desc" } = c.req.query();
  if (!["open", "closed", "all"].includes(state)) throw invalidError("Issue", "state", "invalid");
  const oldest = since ? Date.parse(since) : 0;
  if (Number.isNaN(oldest)) throw invalidError("Issue", "since", "invalid");
  const names = (labels ?? "")
    .split(",")
    .map((label) => label.trim().toLowerCase())
    .filter(Boolean);
  const matches = issues.filter(
    (issue) =>
      (state === "all" || issue.state === state) &&
      (!assignee || isAssigned(issue, assignee)) &&
      (!creator || issue.user.toLowerCase() === creator.toLowerCase()) &&
      names.every((label) => issue.labels.some((name) => name.toLowerCase() === label)) &&
      Date.parse(issue.updated_at) >= oldest,
  );
  const getSortKey = (issue: Issue) => (sort === "updated" ? issue.updated_at : issue.created_at);
  const order = (a: Issue, b: Issue) => getSortKey(a).localeCompare(getSortKey(b)) || a.number - b.number;
  return matches.sort((a, b) => (direction === "asc" ? order(a, b) : order(b, a)));
}

function isAssigned({ assignees }: Issue, assignee: string): boolean {
  if (assignee === "none") return assignees.length === 0;
  return assignee === "*"
    ? assignees.length > 0
    : assignees.some((login) => login.toLowerCase() === assignee.toLowerCase());
}

async function create(c: Context<GithubEnv>, provider: ProviderContext<GithubState>) {
  const repository = findWritableRepository(c);
  const body = await parseBody(c);
  if (typeof body.title !== "string" || body.title.trim() === "") throw invalidError("Issue", "title", "missing_field");
  if (body.title.length > 256) {
    throw invalidError("Issue", "title", "custom", { message: "title is too long (maximum is 256 characters)" });
  }
  const now = provider.timestamp();
  const numbers = [...repository.issues, ...repository.pull_requests].map(({ number }) => number);
  const hasWriteAccess = canWrite(c, repository);
  const issue: Issue = {
    number: Math.max(0, ...numbers) + 1,
    title: body.title,
    body: typeof body.body === "string" ? body.body : "",
    user: c.get("account").login,
    // GitHub silently drops them for users without write access.
    assignees: hasWriteAccess ? getAssignees(c, repository, body.assignees) : [],
    labels: hasWriteAccess ? getLabels(repository, body.labels) : [],
    state: "open",
    state_reason: null,
    comments: [],
    created_at: now,
    updated_at: now,
    closed_at: null,
  };
  repository.issues.push(issue);
  provider.save();
  return c.json(toIssueView(c, repository, issue), 201);
}

async function edit(c: Context<GithubEnv>, provider: ProviderContext<GithubState>) {
  const repository = findWritableRepository(c);
  const issue = findIssue(c, repository);
  if (!canWrite(c, repository) && issue.user !== c.get("account").login) {
    throw githubError(403, "Must have admin rights to Repository.");
  }
  const body = await parseBody(c);
  if (typeof body.title === "string") {
    if (body.title.trim() === "") throw invalidError("Issue", "title", "missing_field");
    issue.title = body.title;
  }
  if (typeof body.body === "string") issue.body = body.body;
  if (body.assignees !== undefined) issue.assignees = getAssignees(c, repository, body.assignees);
  if (body.labels !== undefined) issue.labels = getLabels(repository, body.labels);
  const now = provider.timestamp();
  if (body.state !== undefined) setState(issue, body, now);
  issue.updated_at = now;
  provider.save();
  return c.json(toIssueView(c, repository, issue));
}

function setState(issue: Issue | PullRequest, { state, state_reason: reason }: Record<string, unknown>, now: string) {
  if (state !== "open" && state !== "closed") throw invalidError("Issue", "state", "invalid");
  const reasons = state === "closed" ? ["completed", "not_planned", "duplicate"] : ["reopened"];
  if (reason !== undefined && reason !== null && !reasons.includes(String(reason))) {
    throw invalidError("Issue", "state_reason", "invalid");
  }
  if (state === "open" && issue.state === "closed" && isPullRequest(issue) && issue.merged) {
    throw githubError(422, "Validation Failed", [
      {
        resource: "PullRequest",
        code: "custom",
        field: "state",
        message: "state cannot be changed. The pull request is merged.",
      },
    ]);
  }
  const stateReason = reason === "not_planned" || reason === "duplicate" ? "not_planned" : "completed";
  issue.state_reason = isPullRequest(issue)
    ? null
    : state === "closed"
      ? stateReason
      : issue.state === "closed"
        ? "reopened"
        : null;
  issue.closed_at = state === "closed" ? now : null;
  issue.state = state;
}

async function addComment(c: Context<GithubEnv>, provider: ProviderContext<GithubState>) {
  const repository = findWritableRepository(c);
  const issue = findIssue(c, repository);
  const { body } = await parseBody(c);
  if (typeof body !== "string" || body.trim() === "") throw invalidError("IssueComment", "body", "missing_field");
  const now = provider.timestamp();
  const { login } = c.get("account");
  const id = createIdFromName(
    `comment ${repository.owner}/${repository.name} ${issue.number} ${issue.comments.length}`,
  );
  const comment = { id, user: login, body, created_at: now };
  issue.comments.push(comment);
  issue.updated_at = now;
  provider.save();
  return c.json(toCommentView(c, repository, issue, comment), 201);
}

function getAssignees(c: Context<GithubEnv>, repository: Repository, value: unknown): string[] {
  return toTexts(value).map((login) => {
    const match = c.get("world").users.find((user) => user.login.toLowerCase() === login.toLowerCase());
    if (!match || (repository.private && !isMember(c, repository, match.login))) {
      throw invalidError("Issue", "assignees", "invalid", { value: login });
    }
    return match.login;
  });
}

/** Creates labels that the repository lacks, like GitHub. */
function getLabels(repository: Repository, value: unknown): string[] {
  const labels = toTexts(value).map(
    (label) => repository.labels.find((name) => name.toLowerCase() === label.toLowerCase()) ?? label,
  );
  repository.labels = [...new Set([...repository.labels, ...labels])];
  return labels;
}

function toTexts(value: unknown): string[] {
  return Array.isArray(value)
    ? value.map((label) => (typeof label === "string" ? label : String(label?.name ?? "")))
    : [];
}

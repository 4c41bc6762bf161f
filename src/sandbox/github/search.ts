import type { Context, Hono } from "hono";
import { type GithubEnv, invalidError, listVisibleRepositories } from "./access.ts";
import { paginate } from "./paging.ts";
import { type Issue, isPullRequest, type PullRequest, type Repository } from "./state.ts";
import { toIssueView, toRepositoryView } from "./views.ts";

type Thing = { repository: Repository; issue: Issue | PullRequest };

/** Search over issues, pull requests and repositories (docs.github.com/en/rest/search/search). */
export function registerSearchRoutes(app: Hono<GithubEnv>): void {
  app.get("/search/issues", (c) => {
    const terms = getTerms(c);
    const matches = listVisibleRepositories(c)
      .flatMap((repository) =>
        [...repository.issues, ...repository.pull_requests].map((issue) => ({ repository, issue })),
      )
      .filter((hit) => terms.every(({ not, name, value }) => holds(hit, name, value, c) !== not));
    const { sort, order = "desc" } = c.req.query();
    const getSortKey = ({ issue }: Thing) => (sort === "created" ? issue.created_at : issue.updated_at);
    matches.sort((a, b) => (order === "asc" ? 1 : -1) * getSortKey(a).localeCompare(getSortKey(b)));
    const items = paginate(c, matches).map(({ repository, issue }) => ({
      ...toIssueView(c, repository, issue),
      score: 1,
    }));
    return c.json({ total_count: matches.length, incomplete_results: false, items });
  });
  app.get("/search/repositories", (c) => {
    const terms = getTerms(c);
    const repositories = listVisibleRepositories(c).filter((repository) =>
      terms.every(({ not, name, value }) => matches(repository, name, value, c) !== not),
    );
    const items = paginate(c, repositories).map((repository) => ({ ...toRepositoryView(c, repository), score: 1 }));
    return c.json({ total_count: repositories.length, incomplete_results: false, items });
  });
}

type Term = { not: boolean; name: string; value: string };

/** Parses words, quoted phrases and qualifiers, each with `-` for not; `@me` is the caller. */
function getTerms(c: Context<GithubEnv>): Term[] {
  const q = c.req.query("q") ?? "";
  if (q.trim() === "") throw invalidError("Search", "q", "missing");
  return [...q.matchAll(/(-?)(?:([a-z]+):)?("[^"]*"|\S+)/gi)].map(([, minus, name = "", text = ""]) => {
    const value = text.replaceAll('"', "").toLowerCase();
    return {
      not: minus === "-",
      name: name.toLowerCase(),
      value: value === "@me" ? c.get("account").login.toLowerCase() : value,
    };
  });
}

function holds({ repository, issue }: Thing, name: string, value: string, c: Context<GithubEnv>): boolean {
  const isValue = (login: string) => login.toLowerCase() === value;
  switch (name) {
    case "":
      return `${issue.title}\n${issue.body}\n${issue.comments.map(({ body }) => body).join("\n")}`
        .toLowerCase()
        .includes(value);
    case "is":
    case "type":
    case "state":
      return isState(issue, repository, value);
    case "author":
      return isValue(issue.user);
    case "assignee":
      return issue.assignees.some(isValue);
    case "involves":
      return [issue.user, ...issue.assignees, ...issue.comments.map(({ user }) => user)].some(isValue);
    case "label":
      return issue.labels.some((label) => label.toLowerCase() === value);
    case "no":
      return value === "assignee" ? issue.assignees.length === 0 : value === "label" ? issue.labels.length === 0 : true;
    case "in":
      return true;
    default:
      return matches(repository, name, value, c);
  }
}

function isState(issue: Issue | PullRequest, repository: Repository, value: string): boolean {
  const pull = isPullRequest(issue);
  switch (value) {
    case "issue":
      return !pull;
    case "pr":
    case "pull-request":
      return pull;
    case "open":
    case "closed":
      return issue.state === value;
    case "merged":
    case "unmerged":
      return pull && issue.merged === (value === "merged");
    case "draft":
      return pull && issue.draft;
    default:
      return value === "public" ? !repository.private : value === "private" ? repository.private : true;
  }
}

function matches(repository: Repository, name: string, value: string, c: Context<GithubEnv>): boolean {
  const { owner, name: repo, description, language } = repository;
  switch (name) {
    case "":
      return `${owner}/${repo} ${description}`.toLowerCase().includes(value);
    case "repo":
      if (
        !listVisibleRepositories(c).some(
          (repository) => `${repository.owner}/${repository.name}`.toLowerCase() === value,
        )
      ) {
        throw invalidError("Search", "q", "invalid", {
          message:
            "The listed users and repositories cannot be searched either because the resources do not exist or you do not have permission to view them.",
        });
      }
      return `${owner}/${repo}`.toLowerCase() === value;
    case "user":
    case "org":
      return owner.toLowerCase() === value;
    case "language":
      return language.toLowerCase() === value;
    default:
      return true;
  }
}

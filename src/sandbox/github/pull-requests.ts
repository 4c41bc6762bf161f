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
  notFoundError,
  parseBody,
} from "./access.ts";
import { createIdFromName } from "./build.ts";
import { filterIssues } from "./issues.ts";
import { paginate } from "./paging.ts";
import {
  type Check,
  type GithubState,
  isPullRequest,
  type PullRequest,
  type Repository,
  type Review,
} from "./state.ts";
import { getBranchSha, toPullRequestDetails, toPullRequestView, toReviewView } from "./views.ts";

const PULLS = "/repos/:owner/:repo/pulls";
const ONE = `${PULLS}/:number{[0-9]+}`;
const COMMIT = "/repos/:owner/:repo/commits/:ref{.+}";

/** Pull requests, their reviews, and the checks of a commit (docs.github.com/en/rest/pulls, …/rest/checks). */
export function registerPullRequestRoutes(api: Hono<GithubEnv>, provider: ProviderContext<GithubState>): void {
  api.get(PULLS, (c) => {
    const repository = findRepository(c);
    const pullRequests = filterIssues(c, repository.pull_requests);
    return c.json(paginate(c, pullRequests).map((pull) => toPullRequestView(c, repository, pull)));
  });
  api.get(ONE, (c) => {
    const repository = findRepository(c);
    const pull = findPullRequest(c, repository);
    return c.json({ ...toPullRequestView(c, repository, pull), ...toPullRequestDetails(pull) });
  });
  api.get(`${ONE}/reviews`, (c) => {
    const repository = findRepository(c);
    const pull = findPullRequest(c, repository);
    return c.json(paginate(c, pull.reviews).map((review) => toReviewView(c, repository, pull, review)));
  });
  api.get(`${ONE}/files`, (c) => {
    const { files = [] } = findPullRequest(c, findRepository(c));
    return c.json(paginate(c, files).map((file) => ({ ...file, ...countLines(file.patch) })));
  });
  api.post(PULLS, (c) => open(c, provider));
  api.put(`${ONE}/merge`, (c) => merge(c, provider));
  api.post(`${ONE}/reviews`, (c) => addReview(c, provider));
  api.get(`${COMMIT}/check-runs`, (c) => {
    const { sha, checks } = findChecks(c);
    const check_runs = checks.map(({ name, conclusion }) => ({
      id: createIdFromName(`check ${sha} ${name}`),
      name,
      head_sha: sha,
      status: conclusion === null ? "in_progress" : "completed",
      conclusion,
      html_url: new URL(`/checks/${sha}/${encodeURIComponent(name)}`, c.req.url).href,
    }));
    return c.json({ total_count: check_runs.length, check_runs });
  });
  api.get(`${COMMIT}/status`, (c) =>
    c.json({ state: "pending", statuses: [], sha: findChecks(c).sha, total_count: 0 }),
  );
}

function findPullRequest(c: Context<GithubEnv>, repository: Repository): PullRequest {
  const pull = findIssue(c, repository);
  if (!isPullRequest(pull)) throw notFoundError();
  return pull;
}

/** Finds a commit by a branch or its SHA, and the checks that ran for it. */
function findChecks(c: Context<GithubEnv>): { sha: string; checks: Check[] } {
  const repository = findRepository(c);
  const ref = c.req.param("ref") ?? "";
  const main = { head: repository.default_branch, checks: repository.checks };
  const isIt = ({ head }: { head: string }) => ref === head || ref === getBranchSha(head);
  const branch = ref === "HEAD" ? main : [main, ...repository.pull_requests].find(isIt);
  if (!branch) throw githubError(422, `No commit found for SHA: ${ref}`);
  // A world that an older release saved has none.
  return { sha: getBranchSha(branch.head), checks: branch.checks ?? [] };
}

function countLines(patch: string) {
  const [additions, deletions] = [/^\+/gm, /^-/gm].map((sign) => patch.match(sign)?.length ?? 0);
  return { additions, deletions, changes: (additions ?? 0) + (deletions ?? 0) };
}

async function open(c: Context<GithubEnv>, provider: ProviderContext<GithubState>) {
  const repository = findWritableRepository(c);
  const { title, head, base, body, draft } = await parseBody(c);
  const branches = [repository.default_branch, ...(repository.branches ?? [])].concat(
    repository.pull_requests.flatMap(({ state, head: branch }) => (state === "open" ? [branch] : [])),
  );
  if (typeof title !== "string" || title.trim() === "") throw invalidError("PullRequest", "title", "missing_field");
  if (typeof head !== "string" || !branches.includes(head)) throw invalidError("PullRequest", "head", "invalid");
  if (typeof base !== "string" || !branches.includes(base)) throw invalidError("PullRequest", "base", "invalid");
  const refuse = (message: string) =>
    githubError(422, "Validation Failed", [{ resource: "PullRequest", code: "custom", message }]);
  if (head === base) throw refuse(`No commits between ${base} and ${head}`);
  if (repository.pull_requests.some((pull) => pull.state === "open" && pull.head === head && pull.base === base))
    throw refuse(`A pull request already exists for ${repository.owner}:${head}.`);
  const now = provider.timestamp();
  const pull: PullRequest = {
    number: Math.max(0, ...[...repository.issues, ...repository.pull_requests].map(({ number }) => number)) + 1,
    title,
    body: typeof body === "string" ? body : "",
    user: c.get("account").login,
    ...{ assignees: [], labels: [], comments: [], requested_reviewers: [], reviews: [], checks: [] },
    ...{ state: "open", state_reason: null, closed_at: null, merged: false, merged_at: null },
    ...{ head, base, draft: draft === true, additions: 0, deletions: 0, changed_files: 0 },
    created_at: now,
    updated_at: now,
  };
  repository.pull_requests.push(pull);
  provider.save();
  return c.json({ ...toPullRequestView(c, repository, pull), ...toPullRequestDetails(pull) }, 201);
}

async function merge(c: Context<GithubEnv>, provider: ProviderContext<GithubState>) {
  const repository = findWritableRepository(c);
  const pull = findPullRequest(c, repository);
  if (!canWrite(c, repository)) throw githubError(403, "Resource not accessible by personal access token");
  if (pull.state !== "open" || pull.draft)
    throw githubError(405, pull.draft ? "Pull Request is still a draft" : "Pull Request is not mergeable");
  const { sha: expected } = await parseBody(c);
  if (expected !== undefined && expected !== getBranchSha(pull.head))
    throw githubError(409, "Head branch was modified. Review and try the merge again.");
  const now = provider.timestamp();
  Object.assign(pull, { state: "closed", closed_at: now, merged: true, merged_at: now, updated_at: now });
  provider.save();
  const sha = getBranchSha(`merge of ${pull.head}`);
  return c.json({ sha, merged: true, message: "Pull Request successfully merged" });
}

const STATES = { APPROVE: "APPROVED", REQUEST_CHANGES: "CHANGES_REQUESTED", COMMENT: "COMMENTED" } as const;

async function addReview(c: Context<GithubEnv>, provider: ProviderContext<GithubState>) {
  const repository = findWritableRepository(c);
  const pull = findPullRequest(c, repository);
  const { event, body } = await parseBody(c);
  const state = STATES[event as keyof typeof STATES];
  if (state === undefined) throw invalidError("PullRequestReview", "event", "invalid");
  const { login } = c.get("account");
  if (event !== "COMMENT" && pull.user === login) {
    const verb = event === "APPROVE" ? "approve" : "request changes on";
    throw githubError(422, `Unprocessable Entity: "Can not ${verb} your own pull request"`);
  }
  if (event !== "APPROVE" && (typeof body !== "string" || body.trim() === ""))
    throw invalidError("PullRequestReview", "body", "missing_field");
  const submitted_at = provider.timestamp();
  const id = createIdFromName(`review ${repository.owner}/${repository.name} ${pull.number} ${pull.reviews.length}`);
  const review: Review = { id, user: login, state, body: typeof body === "string" ? body : "", submitted_at };
  pull.reviews.push(review);
  pull.requested_reviewers = pull.requested_reviewers.filter((reviewer) => reviewer !== login);
  pull.updated_at = submitted_at;
  provider.save();
  return c.json(toReviewView(c, repository, pull, review));
}

import type { Context, Hono } from "hono";
import { type JsonRecord, toRecord } from "#protocol/json";
import { type ApiError, parseJsonObject, parseQueryList } from "../api.ts";
import type { ProviderContext } from "../provider.ts";
import { type BitbucketEnv, findPullRequest, findRepository, requireScope } from "./access.ts";
import { bitbucketError } from "./errors.ts";
import { paginate } from "./paging.ts";
import { type BitbucketState, type Comment, PULL_REQUEST_STATES, type PullRequest } from "./state.ts";
import { toCommentView, toParticipantView, toPullRequestView } from "./views.ts";

const REQUESTS = "/repositories/:workspace/:repository/pullrequests";
const ONE = `${REQUESTS}/:id{[0-9]+}`;

/** Pull requests and their comments (developer.atlassian.com/cloud/bitbucket/rest/api-group-pullrequests). */
export function registerPullRequestRoutes(app: Hono<BitbucketEnv>, provider: ProviderContext<BitbucketState>): void {
  const [read, write] = [requireScope("pullrequest"), requireScope("pullrequest:write")];
  app.get(REQUESTS, read, (c) => list(c));
  app.post(REQUESTS, write, (c) => create(c, provider));
  app.get(ONE, read, (c) => show(c));
  app.put(ONE, write, (c) => edit(c, provider));
  app.get(`${ONE}/comments`, read, (c) => {
    const { workspace, repository, request } = findPullRequest(c);
    return paginate(
      c,
      request.comments.map((comment) => toCommentView(c, workspace, repository, request, comment)),
    );
  });
  app.post(`${ONE}/comments`, read, (c) => addComment(c, provider));
  app.get(`${ONE}/comments/:comment`, read, (c) => {
    const { workspace, repository, request } = findPullRequest(c);
    const comment = request.comments.find(({ id }) => String(id) === c.req.param("comment"));
    if (!comment) throw bitbucketError(404, `Comment ${c.req.param("comment")} not found`);
    return c.json(toCommentView(c, workspace, repository, request, comment));
  });
  app.post(`${ONE}/approve`, write, (c) => review(c, provider, "approved_by", "changes_requested_by"));
  app.delete(`${ONE}/approve`, write, (c) => withdraw(c, provider, "approved_by"));
  app.post(`${ONE}/request-changes`, write, (c) => review(c, provider, "changes_requested_by", "approved_by"));
  app.delete(`${ONE}/request-changes`, write, (c) => withdraw(c, provider, "changes_requested_by"));
  app.post(`${ONE}/merge`, write, (c) => merge(c, provider));
  app.post(`${ONE}/decline`, write, (c) => close(c, provider, "DECLINED"));
}

function list(c: Context<BitbucketEnv>) {
  const { workspace, repository } = findRepository(c);
  const states = parseQueryList(c, "state").map((state) => state.toUpperCase());
  const invalidState = states.find((state) => !PULL_REQUEST_STATES.some((validState) => validState === state));
  if (invalidState !== undefined) throw bitbucketError(400, `Invalid state: ${invalidState}`);
  const inQuery = c.req.query("q")?.includes("state") ?? false;
  const selectedStates: readonly string[] = states.length > 0 ? states : inQuery ? PULL_REQUEST_STATES : ["OPEN"];
  const pullRequests = repository.pull_requests
    .filter(({ state }) => selectedStates.includes(state))
    .sort((a, b) => b.updated_on.localeCompare(a.updated_on));
  return paginate(
    c,
    pullRequests.map((request) => toPullRequestView(c, workspace, repository, request)),
    50,
  );
}

function show(c: Context<BitbucketEnv>, status: 200 | 201 = 200, id?: number) {
  const { workspace, repository } = findRepository(c);
  const request =
    id === undefined ? findPullRequest(c).request : repository.pull_requests.find((pull) => pull.id === id);
  if (!request) throw bitbucketError(404, "Pull request not found");
  return c.json(toPullRequestView(c, workspace, repository, request), status);
}

async function create(c: Context<BitbucketEnv>, provider: ProviderContext<BitbucketState>) {
  const { repository } = findRepository(c);
  const body = await parseBody(c);
  const source = getBranchName(body.source);
  if (typeof body.title !== "string" || body.title.trim() === "") throw fieldError("title", "This field is required.");
  if (source === undefined) throw fieldError("source", "This field is required.");
  const destination = getBranchName(body.destination) ?? repository.mainbranch;
  for (const [name, branch] of [
    ["source", source],
    ["destination", destination],
  ] as const) {
    if (!repository.branches.includes(branch)) throw fieldError(name, `branch not found: ${branch}`);
  }
  if (source === destination) throw bitbucketError(400, "There are no changes to be pulled");
  const openRequest = repository.pull_requests.find(
    (pull) => pull.state === "OPEN" && pull.source === source && pull.destination === destination,
  );
  if (openRequest) throw bitbucketError(400, "Only one pull request may be open for a given source and target branch");
  const now = provider.timestamp();
  const request: PullRequest = {
    id: Math.max(0, ...repository.pull_requests.map(({ id }) => id)) + 1,
    title: body.title,
    description: toText(body.description) ?? toText((body.summary as { raw?: unknown } | undefined)?.raw) ?? "",
    state: "OPEN",
    author: c.get("account").account_id,
    source,
    destination,
    reviewers: findReviewers(c, body.reviewers) ?? [],
    approved_by: [],
    changes_requested_by: [],
    closed_by: null,
    close_source_branch: body.close_source_branch === true,
    comments: [],
    created_on: now,
    updated_on: now,
  };
  repository.pull_requests.push(request);
  provider.save();
  return show(c, 201, request.id);
}

async function edit(c: Context<BitbucketEnv>, provider: ProviderContext<BitbucketState>) {
  const { request, repository } = findPullRequest(c);
  if (request.state !== "OPEN") throw bitbucketError(400, "Only open pull requests can be mutated");
  const body = await parseBody(c);
  if (body.title === "") throw fieldError("title", "This field may not be blank.");
  const destination = getBranchName(body.destination);
  if (destination !== undefined && !repository.branches.includes(destination))
    throw fieldError("destination", `branch not found: ${destination}`);
  Object.assign(request, {
    title: toText(body.title) ?? request.title,
    description: toText(body.description) ?? request.description,
    destination: destination ?? request.destination,
    reviewers: findReviewers(c, body.reviewers) ?? request.reviewers,
  });
  touch(request, provider);
  return show(c);
}

async function addComment(c: Context<BitbucketEnv>, provider: ProviderContext<BitbucketState>) {
  const { workspace, repository, request } = findPullRequest(c);
  const body = await parseBody(c);
  const raw = toText((body.content as { raw?: unknown } | undefined)?.raw);
  if (raw === undefined || raw.trim() === "") throw fieldError("content", "This field is required.");
  const parent = (body.parent as { id?: unknown } | undefined)?.id;
  if (parent !== undefined && !request.comments.some(({ id }) => id === parent))
    throw fieldError("parent", "Parent comment not found");
  const inline = body.inline as Comment["inline"];
  const comment: Comment = {
    id: Math.max(1000, ...repository.pull_requests.flatMap(({ comments }) => comments.map(({ id }) => id))) + 1,
    user: c.get("account").account_id,
    raw,
    created_on: provider.timestamp(),
    ...(typeof inline?.path === "string"
      ? { inline: { path: inline.path, ...(inline.to ? { to: inline.to } : {}) } }
      : {}),
    ...(typeof parent === "number" ? { parent } : {}),
  };
  request.comments.push(comment);
  touch(request, provider);
  return c.json(toCommentView(c, workspace, repository, request, comment), 201);
}

type Verdict = "approved_by" | "changes_requested_by";

function review(
  c: Context<BitbucketEnv>,
  provider: ProviderContext<BitbucketState>,
  verdict: Verdict,
  opposite: Verdict,
) {
  const { request } = findPullRequest(c);
  const me = c.get("account").account_id;
  requireOpen(request);
  if (request[verdict].includes(me)) {
    throw bitbucketError(
      409,
      verdict === "approved_by"
        ? "You already approved this pull request."
        : "You already requested changes on this pull request.",
    );
  }
  request[verdict].push(me);
  request[opposite] = request[opposite].filter((id) => id !== me);
  touch(request, provider);
  return c.json(toParticipantView(c, request, me));
}

function withdraw(c: Context<BitbucketEnv>, provider: ProviderContext<BitbucketState>, verdict: Verdict) {
  const { request } = findPullRequest(c);
  const me = c.get("account").account_id;
  requireOpen(request);
  if (!request[verdict].includes(me)) throw bitbucketError(404, "You haven't approved this pull request.");
  request[verdict] = request[verdict].filter((id) => id !== me);
  touch(request, provider);
  return c.body(null, 204);
}

const STRATEGIES = ["merge_commit", "squash", "fast_forward"];

/** The body is optional and overrides what was given when the pull request was opened. */
async function merge(c: Context<BitbucketEnv>, provider: ProviderContext<BitbucketState>) {
  const { request } = findPullRequest(c);
  const { merge_strategy: strategy, close_source_branch: closes } = toRecord(await c.req.json().catch(() => ({})));
  if (strategy !== undefined && !STRATEGIES.includes(String(strategy))) {
    throw fieldError("merge_strategy", `"${String(strategy)}" is not a valid choice.`);
  }
  if (request.state === "OPEN" && typeof closes === "boolean") request.close_source_branch = closes;
  return close(c, provider, "MERGED");
}

function close(c: Context<BitbucketEnv>, provider: ProviderContext<BitbucketState>, state: "MERGED" | "DECLINED") {
  const { request, repository } = findPullRequest(c);
  requireOpen(request);
  request.state = state;
  request.closed_by = c.get("account").account_id;
  if (state === "MERGED" && request.close_source_branch)
    repository.branches = repository.branches.filter((name) => name !== request.source);
  touch(request, provider);
  return show(c);
}

function requireOpen({ state }: PullRequest) {
  if (state !== "OPEN") throw bitbucketError(400, "This pull request is already closed.");
}

function touch(request: PullRequest, provider: ProviderContext<BitbucketState>) {
  request.updated_on = provider.timestamp();
  provider.save();
}

async function parseBody(c: Context): Promise<JsonRecord> {
  return parseJsonObject(c, () => bitbucketError(400, "Bad request"));
}

function findReviewers(c: Context<BitbucketEnv>, value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.map((reviewer: { uuid?: unknown; account_id?: unknown }) => {
    const account = c
      .get("world")
      .accounts.find(({ uuid, account_id }) => uuid === reviewer.uuid || account_id === reviewer.account_id);
    if (!account)
      throw fieldError(
        "reviewers",
        `Malformed reviewers list: unknown user ${String(reviewer.uuid ?? reviewer.account_id)}`,
      );
    return account.account_id;
  });
}

function getBranchName(end: unknown): string | undefined {
  return toText((end as { branch?: { name?: unknown } } | undefined)?.branch?.name);
}

function toText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function fieldError(name: string, sentence: string): ApiError {
  return bitbucketError(400, `${name}: ${sentence}`, { fields: { [name]: [sentence] } });
}

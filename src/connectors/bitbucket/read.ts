import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { type ListRequest, readPages } from "../http/pages.ts";
import { createChoiceSchema } from "../input-text.ts";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell, formatNoun, truncateText } from "../markup/markdown.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import { readAllPages } from "./list-repositories.ts";
import {
  buildPullRequestUrl,
  buildRepositoryPath,
  formatPullRequestTable,
  getPersonName,
  getWorkspace,
  listReviewers,
  PullRequest,
  PullRequestInput,
  parseRepository,
  type Repository,
  toPullRequestData,
} from "./pull-request.ts";

const ListInput = z.object({
  repository: withDescription(
    z.optional(z.string()),
    "Name of the repository. Default: all repositories of the workspace.",
  ),
  state: withDescription(
    createChoiceSchema(["open", "merged", "declined", "closed", "all"], {
      any: "all",
      accepted: "merged",
      rejected: "declined",
    }),
    "Default: open. closed is merged or declined.",
  ),
});
type ListInput = z.output<typeof ListInput>;

const RepositorySlug = z.looseObject({ slug: z.string(), full_name: z.nullish(z.string()) });

/** Number of most recently changed repositories to read if none is named, and number to read at once. */
const REPOSITORIES = 30;
const AT_ONCE = 4;

/** Source: Bitbucket Cloud REST 2.0, GET /2.0/repositories/{workspace}/{repo_slug}/pullrequests. */
export const listPullRequestsTool = defineListTool({
  name: "bitbucket.list_pull_requests",
  description: "List pull requests of a Bitbucket repository, or of all repositories of the workspace.",
  input: ListInput,
  limit: { usual: 20, most: 100 },
  examples: [
    "list pull requests in {repository}",
    "list pull requests",
    "which pull requests are open",
    "show the open pull requests in {repository}",
    "show open PRs",
    "what is waiting for review in {repository}",
    "list the {state} pull requests in {repository}",
    "which PRs were {state} in {repository}",
  ],
  summary: (input) => `List ${describeList(input)}`,
  async run(input, context, list) {
    const { pulls, more } = await listPullRequests(input, context, list);
    const data = { pull_requests: pulls.map(({ pull, repository }) => toPullRequestData(pull, repository)), more };
    return {
      data,
      text: formatList(list, {
        count: pulls.length,
        words: escapeCell(describeList(input, pulls.length)),
        more,
        items: () => formatPullRequestTable(pulls),
      }),
      url: buildListUrl(input, context),
    };
  },
});

type Listed = { pull: PullRequest; repository: Repository };

type Found = { pulls: Listed[]; more: boolean };

async function listPullRequests(input: ListInput, context: ToolContext, list: ListRequest): Promise<Found> {
  const states = toStates(input.state);
  if (input.repository?.trim())
    return listRepositoryPullRequests(parseRepository(input.repository, context), states, context, list);
  const { repositories, more: hasOthers } = await listRecentRepositories(context);
  // The newest pull requests may all be in one repository, so each is read up to the whole limit.
  const { items, more } = await readPages(async (_, size) => {
    const results: Found[] = [];
    for (let start = 0; start < repositories.length; start += AT_ONCE) {
      const batch = repositories.slice(start, start + AT_ONCE);
      const readRepository = (repository: Repository) =>
        listRepositoryPullRequests(repository, states, context, size + 1).catch(ignoreClosed);
      results.push(...(await Promise.all(batch.map(readRepository))));
    }
    const pulls = results.flatMap(({ pulls }) => pulls).sort(compareByUpdate);
    return { items: pulls, more: hasOthers || results.some(({ more }) => more) };
  }, list);
  return { pulls: items, more };
}

/** A workspace may list repositories that this account cannot open. */
function ignoreClosed(error: unknown): Found {
  if (!(error instanceof Problem) || ![403, 404].includes(Number(error.details.service_status))) throw error;
  return { pulls: [], more: true };
}

async function listRepositoryPullRequests(
  repository: Repository,
  state: string[],
  context: ToolContext,
  limit: number | ListRequest,
): Promise<Found> {
  const filter = state.map((value) => `state=${value}`).join("&");
  const size = Math.min(typeof limit === "number" ? limit : limit.limit, 50);
  const path = `${buildRepositoryPath(repository)}/pullrequests?${filter}&sort=-updated_on&pagelen=${size}`;
  const { values, more } = await readAllPages(context.http, { path, scope: "pullrequest" }, PullRequest, limit);
  return { pulls: values.map((pull) => ({ pull, repository })), more };
}

async function listRecentRepositories(context: ToolContext): Promise<{ repositories: Repository[]; more: boolean }> {
  const workspace = getWorkspace(context);
  const path = `/2.0/repositories/${encodeURIComponent(workspace)}`;
  const query = { sort: "-updated_on", pagelen: REPOSITORIES };
  const { values, more } = await readAllPages(
    context.http,
    { path, query, scope: "repository" },
    RepositorySlug,
    REPOSITORIES,
  );
  return { repositories: values.map(({ slug }) => ({ workspace, slug })), more };
}

/** Returns Bitbucket's states for a word. "closed" covers merged and declined pull requests. */
function toStates(state: ListInput["state"] = "open"): string[] {
  return STATES[state];
}

const STATES = {
  open: ["OPEN"],
  merged: ["MERGED"],
  declined: ["DECLINED"],
  closed: ["MERGED", "DECLINED", "SUPERSEDED"],
  all: ["OPEN", "MERGED", "DECLINED", "SUPERSEDED"],
};

function describeList({ repository, state }: ListInput, number = 2): string {
  const all = /^(all|any|every)$/i.test(state?.trim() ?? "");
  const [only, ...others] = toStates(state);
  const kind = all ? "" : others.length > 0 ? "closed " : `${only?.toLowerCase()} `;
  const where = repository?.trim() ? ` in ${repository.trim()}` : "";
  return `${kind}${formatNoun(number, "pull request")}${where}`;
}

function buildListUrl({ repository }: ListInput, context: ToolContext): string | undefined {
  const { url } = context.metadata;
  if (typeof url !== "string") return undefined;
  if (!repository?.trim()) return `${url}/workspace/pull-requests/`;
  return `${url}/${encodeURIComponent(parseRepository(repository, context).slug)}/pull-requests/`;
}

function compareByUpdate(a: Listed, b: Listed): number {
  return (b.pull.updated_on ?? "").localeCompare(a.pull.updated_on ?? "");
}

/** Longest description shown to the user and the model, in characters. */
const MAX_DESCRIPTION_LENGTH = 4_000;

/** Source: Bitbucket Cloud REST 2.0, GET /2.0/repositories/{workspace}/{repo_slug}/pullrequests/{id}. */
export const getPullRequestTool = defineTool({
  name: "bitbucket.get_pull_request",
  description: "Read one Bitbucket pull request: its state, branches, approvals and description.",
  access: "read",
  input: PullRequestInput,
  examples: [
    "show pull request {id} in {repository}",
    "show PR {id} of {repository}",
    "what is pull request {id} in {repository} about",
    "is pull request {id} in {repository} approved",
    "who approved pull request {id} in {repository}",
    "who reviews pull request {id} in {repository}",
    "who has to review PR {id} in {repository}",
    "who are the reviewers of pull request {id} in {repository}",
    "who opened pull request {id} in {repository}",
  ],
  summary: ({ repository, id }) => `Read pull request #${id} in ${repository.trim()}`,
  async run(input, context) {
    const repository = parseRepository(input.repository, context);
    const pull = await context.http.request({
      path: `${buildRepositoryPath(repository)}/pullrequests/${input.id}`,
      answer: PullRequest,
      scope: "pullrequest",
    });
    const description = truncateText(pull.description?.trim() ?? "", MAX_DESCRIPTION_LENGTH);
    const data = {
      ...toPullRequestData(pull, repository),
      description,
      approved_by: listReviewers(pull, "approved"),
      changes_requested_by: listReviewers(pull, "changes_requested"),
    };
    return { data, text: formatPullRequest(pull, repository, description), url: buildPullRequestUrl(pull, repository) };
  },
});

function formatPullRequest(pull: PullRequest, repository: Repository, description: string): string {
  const approved = listReviewers(pull, "approved");
  const refused = listReviewers(pull, "changes_requested");
  const facts: [string, string][] = [
    ["State", `${pull.state.toLowerCase()}${pull.draft ? ", draft" : ""}`],
    ["Repository", repository.slug],
    ["Author", getPersonName(pull.author)],
    ["Branches", `${pull.source?.branch?.name ?? "?"} → ${pull.destination?.branch?.name ?? "?"}`],
    ["Approved by", approved.length > 0 ? approved.join(", ") : "no one yet"],
    ...(refused.length > 0 ? [["Changes requested by", refused.join(", ")] as [string, string]] : []),
    ["Comments", String(pull.comment_count ?? 0)],
    ["Updated", pull.updated_on?.slice(0, 10) ?? "unknown"],
  ];
  const lines = facts.map(([name, value]) => `- ${name}: ${escapeCell(value)}`).join("\n");
  return [`**#${pull.id}** ${escapeCell(pull.title)}`, lines, description].filter(Boolean).join("\n\n");
}

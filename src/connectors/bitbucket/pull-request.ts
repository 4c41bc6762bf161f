import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { formatMarkdownTable } from "../markup/markdown.ts";
import { formatPlace, quoteTitle } from "../place.ts";
import { type ToolContext, withDescription } from "../tool.ts";

const Person = z.nullish(z.looseObject({ display_name: z.nullish(z.string()), nickname: z.nullish(z.string()) }));
const Link = z.nullish(z.looseObject({ href: z.nullish(z.string()) }));
const Side = z.nullish(
  z.looseObject({
    branch: z.nullish(z.looseObject({ name: z.nullish(z.string()) })),
    commit: z.nullish(z.looseObject({ hash: z.nullish(z.string()) })),
    repository: z.nullish(z.looseObject({ full_name: z.nullish(z.string()) })),
  }),
);

/** A pull request as returned by lists and single reads. Source: Bitbucket Cloud REST 2.0, "Pullrequests". */
export const PullRequest = z.looseObject({
  id: z.number(),
  title: z.string(),
  state: z.string(),
  draft: z.nullish(z.boolean()),
  description: z.nullish(z.string()),
  author: Person,
  source: Side,
  destination: Side,
  comment_count: z.nullish(z.number()),
  task_count: z.nullish(z.number()),
  updated_on: z.nullish(z.string()),
  links: z.nullish(z.looseObject({ html: Link })),
  participants: z.nullish(
    z.array(
      z.looseObject({
        user: Person,
        role: z.nullish(z.string()),
        approved: z.nullish(z.boolean()),
        state: z.nullish(z.string()),
      }),
    ),
  ),
});
export type PullRequest = z.output<typeof PullRequest>;

/**
 * Describes a pull request for the approval of a call that names it by its number.
 *
 * @param withCommit whether to name the newest commit, so that an approval covers no later commit
 */
export async function describePullRequest(
  { repository: text, id }: PullRequestInput,
  context: ToolContext,
  { withCommit = false } = {},
): Promise<string> {
  const repository = parseRepository(text, context);
  const path = buildPullRequestPath(repository, id);
  const pull = await context.http.request({ path, answer: PullRequest, scope: "pullrequest" });
  const hash = withCommit ? pull.source?.commit?.hash : undefined;
  const commit = hash ? ` (commit ${hash.slice(0, 12)})` : "";
  return `${quoteTitle(pull.title)}, ${pull.state.toLowerCase()} pull request #${id} by ${getPersonName(pull.author)} in ${repository.workspace}/${repository.slug}${commit}`;
}

/** The field of a tool that names a repository. */
export const REPOSITORY_FIELD = withDescription(z.string(), "Name of the repository.");

/** The input of a tool for one pull request. */
export const PullRequestInput = z.object({
  repository: REPOSITORY_FIELD,
  id: withDescription(z.coerce.number().check(z.int(), z.minimum(1)), "Number of the pull request, such as 12."),
});
export type PullRequestInput = z.output<typeof PullRequestInput>;

/** A repository within a workspace, as slugs. */
export type Repository = { workspace: string; slug: string };

/** Returns the workspace of a connection. @throws Problem SITE_REQUIRED when it has none */
export function getWorkspace(context: Pick<ToolContext, "metadata">): string {
  const { workspace } = context.metadata;
  if (typeof workspace === "string" && workspace !== "") return workspace;
  throw new Problem("SITE_REQUIRED", "This Bitbucket account has several workspaces, and none is selected.", {
    hint: "Connect again with `kay connect bitbucket --site <workspace>`.",
  });
}

/** Parses a repository from `web`, `acme/web`, or its URL. */
export function parseRepository(text: string, context: Pick<ToolContext, "metadata">): Repository {
  const { workspace, slug: name } = splitPath(text);
  return { workspace: workspace ?? getWorkspace(context), slug: name };
}

/** Returns the API path of a repository. */
export function buildRepositoryPath({ workspace, slug: name }: Repository): string {
  return `/2.0/repositories/${encodeURIComponent(workspace)}/${encodeURIComponent(name)}`;
}

/** Returns the API path of a pull request. */
export function buildPullRequestPath(repository: Repository, id: number): string {
  return `${buildRepositoryPath(repository)}/pullrequests/${id}`;
}

/** Returns the repository as typed, without the rest of its URL. */
export function formatRepository(text: string): string {
  const { workspace, slug: name } = splitPath(text);
  return workspace === undefined ? name : `${workspace}/${name}`;
}

/** Returns the text of an approval for a repository. A name alone belongs to the connection's workspace. */
export function formatRepositoryPlace(text: string): string | undefined {
  const name = formatRepository(text).toLowerCase();
  return formatPlace("in repository", /^(?:[\w.-]+\/)?[\w.-]+$/.test(name) ? name : undefined);
}

/** Converts a pull request to data for the model. */
export function toPullRequestData(pull: PullRequest, repository: Repository): Record<string, unknown> {
  return {
    id: pull.id,
    repository: repository.slug,
    title: pull.title,
    state: pull.state,
    draft: pull.draft ?? false,
    author: getPersonName(pull.author),
    source: pull.source?.branch?.name,
    destination: pull.destination?.branch?.name,
    approvals: listReviewers(pull, "approved").length,
    comments: pull.comment_count ?? 0,
    updated: pull.updated_on,
    url: buildPullRequestUrl(pull, repository),
  };
}

/** Formats pull requests as a table. */
export function formatPullRequestTable(list: { pull: PullRequest; repository: Repository }[]): string {
  const rows = list.map(({ pull, repository }) => [
    repository.slug,
    `#${pull.id}`,
    pull.title,
    pull.draft ? `${pull.state.toLowerCase()}, draft` : pull.state.toLowerCase(),
    getPersonName(pull.author),
    `${pull.source?.branch?.name ?? "?"} → ${pull.destination?.branch?.name ?? "?"}`,
    pull.updated_on?.slice(0, 10) ?? "",
  ]);
  return formatMarkdownTable(["Repository", "ID", "Title", "State", "Author", "Branches", "Updated"], rows);
}

/** Lists the names of those who approved, or who requested changes. */
export function listReviewers({ participants }: PullRequest, verdict: "approved" | "changes_requested"): string[] {
  return (participants ?? [])
    .filter(({ approved, state }) => (verdict === "approved" ? approved === true : state === verdict))
    .map(({ user }) => getPersonName(user));
}

/** Returns the web page of a pull request. */
export function buildPullRequestUrl(
  pull: Pick<PullRequest, "id" | "links">,
  { workspace, slug: name }: Repository,
): string {
  const site = `https://bitbucket.org/${encodeURIComponent(workspace)}/${encodeURIComponent(name)}`;
  return pull.links?.html?.href ?? `${site}/pull-requests/${pull.id}`;
}

export function getPersonName(person: z.output<typeof Person>): string {
  return person?.display_name ?? person?.nickname ?? "someone";
}

function splitPath(text: string): { workspace?: string; slug: string } {
  const path = text
    .trim()
    .replace(/^(?:https?:\/\/[^/]+\/|git@[^:]+:)/i, "")
    .replace(/\.git$/, "");
  const [first = "", second] = path.split("/").filter(Boolean);
  return second ? { workspace: first, slug: toSlug(second) } : { slug: toSlug(first) };
}

/** Converts a name to Bitbucket's slug: lower case, with single hyphens for other characters. */
function toSlug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^-+|(?<!-)-+$/g, "");
}

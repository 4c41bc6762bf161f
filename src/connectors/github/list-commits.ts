import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { isMe } from "../input-text.ts";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell, formatMarkdownTable, formatNoun, truncateText } from "../markup/markdown.ts";
import { formatMinute, parseOptionalInstant } from "../time.ts";
import { withDescription } from "../tool.ts";
import { parseLogin } from "./issue.ts";
import { MAX_PAGE_SIZE, readAllPages } from "./paging.ts";
import { buildApiPath, findRepository, formatFullName, parseRepositoryPath, REPOSITORY_FIELD } from "./repository.ts";

const Input = z.object({
  repository: REPOSITORY_FIELD,
  branch: withDescription(z.optional(z.string()), "Branch, tag or commit to begin at. Default: the main branch."),
  author: withDescription(z.optional(z.string()), '"me", the login of a user, or an email address.'),
  path: withDescription(z.optional(z.string()), "Only commits that change this file or folder."),
  since: withDescription(z.optional(z.string()), "Only commits after this day or time, in ISO 8601."),
  until: withDescription(z.optional(z.string()), "Only commits before this day or time, in ISO 8601."),
});
type Input = z.output<typeof Input>;

const Person = z.nullish(z.looseObject({ name: z.nullish(z.string()), date: z.nullish(z.string()) }));
const Commit = z.looseObject({
  sha: z.string(),
  html_url: z.nullish(z.string()),
  commit: z.looseObject({ message: z.nullish(z.string()), author: Person }),
  author: z.nullish(z.looseObject({ login: z.nullish(z.string()) })),
});
type Commit = z.output<typeof Commit>;

/** Source: https://docs.github.com/en/rest/commits/commits, "List commits". */
export const listCommitsTool = defineListTool({
  name: "github.list_commits",
  description: "List the commits of a GitHub repository by branch, author, path or date, newest first.",
  input: Input,
  limit: { usual: 20, most: 100 },
  examples: [
    "list the commits of repository {repository}",
    "show the latest commits in the {repository} repo",
    "list the commits in repository {repository} since {since}",
    "list the commits on {branch} of {repository}",
    "list the commits by {author} in {repository}",
    "what changed on {branch} of {repository}",
    "what is new in the {repository} repo",
    "who committed to the repository {repository}",
  ],
  summary: (input) => `List ${describeList(input)}`,
  async run(input, context, list) {
    const repository = await findRepository(context, input.repository);
    const author = input.author?.trim();
    const query = {
      sha: input.branch?.trim() || undefined,
      author: author && (author.includes("@") && !author.startsWith("@") ? author : parseLogin(author, context)),
      path: input.path?.trim() || undefined,
      since: parseOptionalInstant(input.since, "since", context.timeZone),
      until: parseOptionalInstant(input.until, "until", context.timeZone),
      per_page: Math.min(MAX_PAGE_SIZE, list.limit),
    };
    const request = { path: `${buildApiPath(repository)}/commits`, query, scope: "repo" };
    const { values, more } = await readAllPages(context.http, request, Commit, { limit: list }).catch(ignoreEmpty);
    const words = escapeCell(describeList(input, values.length));
    const items = () => formatCommitTable(values, context.timeZone);
    return {
      data: { commits: values.map(toCommitData), more },
      text: formatList(list, { count: values.length, words, more, order: "newest", items }),
      url: `${context.metadata.url}/${formatFullName(repository)}/commits`,
    };
  },
});

/** GitHub answers 409 for a repository without commits. */
function ignoreEmpty(error: unknown): { values: Commit[]; more: boolean } {
  if (!(error instanceof Problem) || error.details.service_status !== 409) throw error;
  return { values: [], more: false };
}

function toCommitData({ sha, commit, author, html_url }: Commit): Record<string, unknown> {
  return {
    sha,
    message: truncateText(commit.message ?? "", 500),
    author: author?.login ?? commit.author?.name ?? null,
    date: commit.author?.date ?? null,
    url: html_url ?? undefined,
  };
}

function formatCommitTable(commits: Commit[], zone = "UTC"): string {
  const rows = commits.map(({ sha, commit, author }) => [
    sha.slice(0, 7),
    truncateText((commit.message ?? "").split("\n")[0] ?? "", 100),
    author?.login ?? commit.author?.name ?? "",
    formatMinute(commit.author?.date, zone),
  ]);
  return formatMarkdownTable(["Commit", "Message", "Author", `Date (${zone})`], rows);
}

function describeList({ repository, branch, author, path, since, until }: Input, number = 2): string {
  const parts = [
    author?.trim() ? ` by ${isMe(author) ? "you" : author.trim()}` : "",
    path?.trim() ? ` to ${path.trim()}` : "",
    branch?.trim() ? ` on ${branch.trim()}` : "",
    ` in ${parseRepositoryPath(repository)}`,
    since?.trim() ? ` since ${since.trim()}` : "",
    until?.trim() ? ` until ${until.trim()}` : "",
  ];
  return formatNoun(number, "commit") + parts.join("");
}

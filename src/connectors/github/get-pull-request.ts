import * as z from "zod/mini";
import { escapeCell, formatCount, truncateText } from "../markup/markdown.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import { formatDetails, MAX_TEXT_LENGTH } from "./issue.ts";
import { MAX_PAGE_SIZE, readAllPages } from "./paging.ts";
import {
  formatBranches,
  formatPullState,
  listReviewers,
  listVerdicts,
  PullRequest,
  Review,
  toPullRequestData,
} from "./pull-request.ts";
import {
  buildApiPath,
  createNumberField,
  findRepository,
  formatFullName,
  parseRepositoryPath,
  REPOSITORY_FIELD,
} from "./repository.ts";

const Input = z.object({
  repository: REPOSITORY_FIELD,
  number: createNumberField("the pull request"),
  diff: withDescription(z.optional(z.boolean()), "Also return the changed files with their diffs."),
});

/** Source: https://docs.github.com/en/rest/pulls/pulls, "Get a pull request", and …/pulls/reviews. */
export const getPullRequestTool = defineTool({
  name: "github.get_pull_request",
  description: "Read one GitHub pull request: its state, branches, reviews, description and diff.",
  access: "read",
  input: Input,
  examples: [
    "show github pull request {number} in {repository}",
    "show github PR {number} of {repository}",
    "what is github pull request {number} in {repository} about",
    "who approved github pull request {number} in {repository}",
    "was github pull request {number} in {repository} merged",
    "show the {diff} of github pull request {number} in {repository}",
    "show the {diff} of PR {number} in {repository} on github",
  ],
  summary: ({ repository, number }) => `Read pull request #${number} in ${parseRepositoryPath(repository)}`,
  async run(input, context) {
    const repository = await findRepository(context, input.repository);
    const path = `${buildApiPath(repository)}/pulls/${input.number}`;
    const pull = await context.http.request({ path, answer: PullRequest, scope: "repo" });
    const request = { path: `${path}/reviews`, query: { per_page: MAX_PAGE_SIZE }, scope: "repo" };
    const reviews = await readAllPages(context.http, request, Review, { limit: 3 * MAX_PAGE_SIZE });
    const { approved, changes } = listVerdicts(reviews.values);
    const files = input.diff ? await readDiff(path, context) : undefined;
    const description = truncateText(pull.body?.trim() ?? "", MAX_TEXT_LENGTH);
    const facts: [string, string | undefined][] = [
      ["State", formatPullState(pull)],
      ["Repository", formatFullName(repository)],
      ["Author", pull.user?.login ?? "someone"],
      ["Branches", formatBranches(pull)],
      ["Approved by", approved.join(", ") || "no one yet"],
      ["Changes requested by", changes.join(", ")],
      ["Waiting for", listReviewers(pull).join(", ")],
      ["Changes", getSize(pull)],
      ["Updated", pull.updated_at?.slice(0, 10)],
    ];
    return {
      data: {
        ...toPullRequestData(pull, formatFullName(repository)),
        approved_by: approved,
        changes_requested_by: changes,
        comments: pull.comments ?? 0,
        additions: pull.additions ?? undefined,
        deletions: pull.deletions ?? undefined,
        description,
        ...files?.data,
      },
      text: formatDetails(pull, facts, description, ...(files ? [files.text] : [])),
      url: pull.html_url,
    };
  },
});

const ChangedFile = z.looseObject({
  filename: z.string(),
  status: z.nullish(z.string()),
  previous_filename: z.nullish(z.string()),
  /** Missing for binary and very large files. */
  patch: z.nullish(z.string()),
});

/** Maximum number of files of a diff, and maximum number of characters of all diffs. */
const MAX_FILES = 100;
const MAX_DIFF_LENGTH = 24_000;

/** Source: https://docs.github.com/en/rest/pulls/pulls, "List pull requests files". */
async function readDiff(path: string, context: ToolContext) {
  const request = { path: `${path}/files`, query: { per_page: MAX_PAGE_SIZE }, scope: "repo" };
  const { values, more } = await readAllPages(context.http, request, ChangedFile, { limit: MAX_FILES });
  let remaining = MAX_DIFF_LENGTH;
  const files = values.map(({ filename, status, previous_filename: previous, patch }) => {
    const diff = !patch ? undefined : patch.length <= remaining ? patch : "(The diff is too long to be shown.)";
    remaining -= patch && diff === patch ? patch.length : 0;
    return { path: filename, state: status ?? "changed", previous: previous ?? undefined, diff };
  });
  const parts = files.map(({ path: name, state, previous, diff }) => {
    const head = `${escapeCell(previous ? `${previous} → ${name}` : name)} (${state})`;
    return diff ? `${head}\n\n${formatCode(diff)}` : head;
  });
  const end = more ? [`(Only the first ${MAX_FILES} files are shown.)`] : [];
  return { data: { files, more_files: more }, text: [...parts, ...end].join("\n\n") };
}

/** Formats a diff as a code block. Its fence is longer than any fence in the diff. */
function formatCode(diff: string): string {
  const longest = Math.max(2, ...[...diff.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}diff\n${diff.trimEnd()}\n${fence}`;
}

function getSize({ additions, deletions, changed_files: files }: PullRequest): string | undefined {
  if (additions === null || additions === undefined) return undefined;
  return `+${additions} −${deletions ?? 0} in ${formatCount(files ?? 0, "file")}`;
}

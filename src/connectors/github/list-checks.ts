import * as z from "zod/mini";
import { escapeCell, formatMarkdownTable } from "../markup/markdown.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import { MAX_PAGE_SIZE } from "./paging.ts";
import { PullRequest } from "./pull-request.ts";
import {
  buildApiPath,
  findRepository,
  formatFullName,
  parseRepositoryPath,
  REPOSITORY_FIELD,
  type Repository,
} from "./repository.ts";

const Input = z.object({
  repository: REPOSITORY_FIELD,
  number: withDescription(
    z.optional(z.coerce.number().check(z.int(), z.minimum(1))),
    "Number of a pull request, such as 12. Default: the branch.",
  ),
  branch: withDescription(z.optional(z.string()), "Branch, tag or commit. Default: the main branch."),
});
type Input = z.output<typeof Input>;

const CheckRuns = z.looseObject({
  total_count: z.nullish(z.number()),
  check_runs: z.array(
    z.looseObject({
      name: z.string(),
      status: z.nullish(z.string()),
      conclusion: z.nullish(z.string()),
      html_url: z.nullish(z.string()),
    }),
  ),
});
const Statuses = z.looseObject({
  statuses: z.array(z.looseObject({ context: z.string(), state: z.string(), target_url: z.nullish(z.string()) })),
});

type Check = { name: string; state: string; url?: string | undefined };

/**
 * Source: https://docs.github.com/en/rest/checks/runs, "List check runs for a Git reference", and
 * https://docs.github.com/en/rest/commits/statuses, "Get the combined status for a specific reference".
 */
export const listChecksTool = defineTool({
  name: "github.list_checks",
  description: "Read the CI checks of a GitHub pull request or branch: passed, failed or running.",
  access: "read",
  input: Input,
  examples: [
    "show the checks of pull request {number} in {repository}",
    "did the checks of PR {number} in {repository} pass",
    "show the checks on {branch} of {repository}",
    "show the checks in {repository}",
    "did the checks pass in {repository}",
    "what is the CI status of PR {number} in {repository}",
    "are the checks of PR {number} in {repository} green",
  ],
  summary: (input) => `Read the checks of ${describeRef(input)} in ${parseRepositoryPath(input.repository)}`,
  async run(input, context) {
    const repository = await findRepository(context, input.repository);
    const ref = await findRef(input, repository, context);
    const path = `${buildApiPath(repository)}/commits/${encodeURIComponent(ref)}`;
    const query = { per_page: MAX_PAGE_SIZE };
    const [runs, status] = await Promise.all([
      context.http.request({ path: `${path}/check-runs`, query, answer: CheckRuns, scope: "repo" }),
      context.http.request({ path: `${path}/status`, query, answer: Statuses, scope: "repo" }),
    ]);
    const checks: Check[] = [
      ...runs.check_runs.map(({ name, status: now, conclusion, html_url }) => ({
        name,
        state: (conclusion ?? now ?? "unknown").replaceAll("_", " "),
        url: html_url ?? undefined,
      })),
      ...status.statuses.map(({ context: name, state, target_url }) => ({ name, state, url: target_url ?? undefined })),
    ];
    const more = (runs.total_count ?? 0) > runs.check_runs.length;
    const subject = `${describeRef(input)} in ${formatFullName(repository)}`;
    const data = { repository: formatFullName(repository), ref, state: getState(checks), checks, more };
    return { data, text: formatChecks(checks, escapeCell(subject)) };
  },
});

async function findRef({ number, branch }: Input, repository: Repository, { http }: ToolContext): Promise<string> {
  if (number === undefined) return branch?.trim() || "HEAD";
  const path = `${buildApiPath(repository)}/pulls/${number}`;
  const pull = await http.request({ path, answer: PullRequest, scope: "repo" });
  return pull.head?.sha ?? `refs/pull/${number}/head`;
}

function getState(checks: Check[]): string {
  if (checks.length === 0) return "none";
  if (checks.some(({ state }) => FAILED.has(state))) return "failed";
  return checks.every(({ state }) => PASSED.has(state)) ? "passed" : "running";
}

function formatChecks(checks: Check[], subject: string): string {
  const count = (states: Set<string>) => checks.filter(({ state }) => states.has(state)).length;
  if (checks.length === 0) return `No checks for ${subject}.`;
  const [passed, failed] = [count(PASSED), count(FAILED)];
  const open = checks.length - passed - failed;
  const parts = [
    `${passed} of ${checks.length} checks passed`,
    failed ? `${failed} failed` : "",
    open ? `${open} not finished` : "",
  ];
  const rows = checks.map(({ name, state }) => [name, state]);
  return `For ${subject}, ${parts.filter(Boolean).join(", ")}:\n\n${formatMarkdownTable(["Check", "State"], rows)}`;
}

function describeRef({ number, branch }: Input): string {
  return number === undefined ? branch?.trim() || "the main branch" : `#${number}`;
}

/** Conclusions of check runs and states of statuses. A skipped or neutral check does not block a merge. */
const PASSED = new Set(["success", "neutral", "skipped"]);
const FAILED = new Set(["failure", "error", "cancelled", "timed out", "action required", "startup failure", "stale"]);

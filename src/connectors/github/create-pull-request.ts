import * as z from "zod/mini";
import { requireTitle } from "../input-text.ts";
import { escapeCell, quoteText, toOneLine } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import { PullRequest, toPullRequestData } from "./pull-request.ts";
import {
  buildApiPath,
  findRepository,
  formatFullName,
  parseRepositoryPath,
  REPOSITORY_FIELD,
  REPOSITORY_TARGET,
} from "./repository.ts";

const Input = z.object({
  repository: REPOSITORY_FIELD,
  source: withDescription(z.string(), "Source branch, such as feature/login."),
  title: withDescription(z.string(), "Title of the pull request, in one line."),
  destination: withDescription(z.optional(z.string()), "Destination branch. Default: the main branch."),
  body: withDescription(z.optional(z.string()), "Description, as text or Markdown."),
  draft: withDescription(z.optional(z.boolean()), "Whether it is a draft."),
});
type Input = z.output<typeof Input>;

const Main = z.looseObject({ default_branch: z.string() });

/** Source: https://docs.github.com/en/rest/pulls/pulls, "Create a pull request", which requires the destination. */
export const createPullRequestTool = defineTool({
  name: "github.create_pull_request",
  description: "Open a pull request in a GitHub repository for a pushed branch.",
  access: "write",
  input: Input,
  examples: [
    "create a github pull request in {repository} from {source}: {title}",
    "create a github pull request in {repository} from {source} to {destination}: {title}",
    "open a github pull request in {repository} from {source} called {title}",
    "open a github PR in {repository} from {source} into {destination}: {title}",
  ],
  summary: describeCall,
  ...REPOSITORY_TARGET,
  async run(input, context) {
    const title = requireTitle(input.title, "A pull request");
    const head = requireTitle(input.source, "A pull request", { noun: "source branch", field: "source" });
    const repository = await findRepository(context, input.repository);
    const path = buildApiPath(repository);
    const base =
      input.destination?.trim() || (await context.http.request({ path, answer: Main, scope: "repo" })).default_branch;
    const pull = await context.http.request({
      method: "POST",
      path: `${path}/pulls`,
      body: {
        title,
        head,
        base,
        ...(input.body?.trim() ? { body: input.body.trim() } : {}),
        ...(input.draft ? { draft: true } : {}),
      },
      answer: PullRequest,
      scope: "repo",
    });
    const name = formatFullName(repository);
    const text = `Opened #${pull.number} in ${escapeCell(name)}: ${escapeCell(pull.title)}\n\n${pull.html_url}`;
    return { data: toPullRequestData(pull, name), text, url: pull.html_url };
  },
});

function describeCall({ repository, source, title, destination, body, draft }: Input): string {
  const branches = `${toOneLine(source)} → ${destination?.trim() ? toOneLine(destination) : "the main branch"}`;
  const quotedBody = body?.trim() ? `: ${quoteText(body, 300)}` : "";
  const kind = draft ? "a draft pull request" : "a pull request";
  return `Open ${kind} in ${parseRepositoryPath(repository)}, ${branches}: “${toOneLine(title)}”${quotedBody}`;
}

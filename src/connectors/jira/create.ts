import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { toAdf } from "../atlassian/adf/write.ts";
import { escapeCell } from "../markup/markdown.ts";
import { defineTool, type ToolContext, withDescription } from "../service.ts";
import { buildBrowseUrl, formatProjectPlace, getJiraApi, parseProjectName } from "./issue.ts";
import { findPerson } from "./people.ts";

const Input = z.object({
  project: withDescription(z.string(), "Key or name of the project, such as KAY."),
  summary: withDescription(z.string(), "Summary of the issue, at most 255 characters."),
  type: withDescription(z.optional(z.string()), "Type of issue: Task (default), Bug, Story, Epic …"),
  description: withDescription(z.optional(z.string()), "Description, as text or Markdown."),
  priority: withDescription(z.optional(z.string()), "Highest, High, Medium, Low or Lowest."),
  assignee: withDescription(z.optional(z.string()), '"me", or the name or email address of a user.'),
});
type Input = z.output<typeof Input>;

const Created = z.looseObject({ id: z.string(), key: z.string() });
const Projects = z.looseObject({ values: z.array(z.looseObject({ key: z.string(), name: z.nullish(z.string()) })) });

/** Longest summary that Jira accepts, in characters. */
const SUMMARY_LIMIT = 255;

/** Source: Jira Cloud REST v3, POST /rest/api/3/issue. */
export const createIssueTool = defineTool({
  name: "jira.create_issue",
  description: "Create a Jira issue in a project.",
  access: "write",
  input: Input,
  examples: [
    "create an issue in {project}: {summary}",
    "create a {type} in {project}: {summary}",
    "create a {type} in {project} called {summary}",
    "open a {type} in project {project} about {summary}",
    "add a {type} to {project}: {summary}",
    "new {type} in {project}: {summary}",
    "open a ticket in {project} about {summary}",
    "file a {type} in {project} saying {summary}",
    "create a ticket in {project} titled {summary}",
    "create a {priority} priority {type} in {project}: {summary}",
    "create a {type} in {project} for {assignee}: {summary}",
  ],
  summary: describeCall,
  resource: ({ project }: Input) => formatProjectPlace(project),
  async run(input, context) {
    const { api, site } = getJiraApi(context);
    const fields = await buildIssueFields(input, context);
    const request = { method: "POST", path: `${api}/issue`, body: { fields }, answer: Created } as const;
    const { key } = await context.http.request({ ...request, scope: "write:jira-work" });
    const url = buildBrowseUrl(site, key);
    return { data: { key, url }, text: `Created ${key}: ${escapeCell(input.summary)}\n\n${url}`, url };
  },
});

function describeCall(input: Input): string {
  const also = [
    input.priority && `priority ${input.priority}`,
    input.assignee && `assigned to ${input.assignee}`,
    input.description?.trim() && "with a description",
  ].filter(Boolean);
  const what = `Create a ${formatTypeName(input.type)} in ${parseProjectName(input.project)}: “${toOneLine(input.summary)}”`;
  return also.length > 0 ? `${what} (${also.join(", ")})` : what;
}

async function buildIssueFields(input: Input, context: ToolContext): Promise<Record<string, unknown>> {
  const { api } = getJiraApi(context);
  const summary = toOneLine(input.summary);
  if (summary === "")
    throw new Problem("INVALID_REQUEST", "An issue needs a summary.", { details: { field: "summary" } });
  if (summary.length > SUMMARY_LIMIT) {
    const sentence = `The summary has ${summary.length} characters; Jira accepts at most ${SUMMARY_LIMIT}.`;
    throw new Problem("INVALID_REQUEST", sentence, {
      hint: "Put the rest into the description.",
      details: { field: "summary" },
    });
  }
  const description = toAdf(input.description, "description");
  const assignee = input.assignee?.trim() ? await findPerson(context.http, api, input.assignee) : undefined;
  return {
    project: { key: await resolveProjectKey(input.project, context) },
    issuetype: { name: formatTypeName(input.type) },
    summary,
    ...(description ? { description } : {}),
    ...(input.priority?.trim() ? { priority: { name: capitalize(input.priority.trim()) } } : {}),
    ...(assignee ? { assignee: { accountId: assignee.accountId } } : {}),
  };
}

/** Returns the key of a project. Names are looked up, because creating an issue requires a key. */
async function resolveProjectKey(text: string, context: ToolContext): Promise<string> {
  const name = parseProjectName(text);
  if (/^[A-Z][A-Z0-9_]+$/.test(name)) return name;
  const path = `${getJiraApi(context).api}/project/search`;
  const { values } = await context.http.request({
    path,
    query: { query: name },
    answer: Projects,
    scope: "read:jira-work",
  });
  const called = (text: string | null | undefined) => text?.toLowerCase() === name.toLowerCase();
  const exact = values.find(({ key }) => called(key)) ?? values.find((project) => called(project.name));
  if (exact) return exact.key;
  const known = values.map(({ key }) => key).join(", ");
  throw new Problem("INVALID_REQUEST", `No project in Jira is called “${name}”.`, {
    hint: known ? `Projects with a similar name: ${known}.` : "Specify the project by its key.",
  });
}

function formatTypeName(type: string | undefined): string {
  const name = type?.trim() ?? "";
  if (name === "" || /^(issue|ticket)$/i.test(name)) return "Task";
  return capitalize(name);
}

function capitalize(text: string): string {
  return text === text.toLowerCase() ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

function toOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

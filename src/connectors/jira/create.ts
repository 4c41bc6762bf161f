import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { toAdf } from "../atlassian/adf/write.ts";
import { escapeCell, quoteText, toOneLine } from "../markup/markdown.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import { addRequiredFields, describeFields, listCreateFields, toFieldValues } from "./fields.ts";
import { buildBrowseUrl, formatProjectPlace, getJiraApi, parseProjectName } from "./issue.ts";
import { describePerson, findPerson, type Person } from "./people.ts";
import { capitalize, checkSummary, parseDueDate, parseLabels, parseParent, toPriority } from "./values.ts";

const Input = z.object({
  project: withDescription(z.string(), "Key or name of the project, such as KAY."),
  summary: withDescription(z.string(), "Summary of the issue, at most 255 characters."),
  type: withDescription(z.optional(z.string()), "Type of issue: Task (default), Bug, Story, Epic …"),
  description: withDescription(z.optional(z.string()), "Description, as text or Markdown."),
  priority: withDescription(z.optional(z.string()), "Highest, High, Medium, Low or Lowest."),
  assignee: withDescription(z.optional(z.string()), '"me", or the name or email address of a user.'),
  due: withDescription(z.optional(z.string()), "Due date, such as 2026-01-31."),
  labels: withDescription(z.optional(z.string()), "Labels, separated by commas."),
  parent: withDescription(z.optional(z.string()), "The epic or issue above it, by its key."),
  fields: withDescription(
    z.optional(z.record(z.string(), z.unknown())),
    'Other fields that the project requires, by name or ID, such as {"Team": "Core", "Fix versions": "1.0"}.',
  ),
});
type Input = z.output<typeof Input>;

const Created = z.looseObject({ id: z.string(), key: z.string() });
const Projects = z.looseObject({ values: z.array(z.looseObject({ key: z.string(), name: z.nullish(z.string()) })) });

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
    "create an issue in {project} about {summary}",
    "open a {type} in project {project} about {summary}",
    "add a {type} to {project}: {summary}",
    "new {type} in {project}: {summary}",
    "log a {type} in {project}: {summary}",
    "open a ticket in {project} about {summary}",
    "file a {type} in {project} saying {summary}",
    "create a ticket in {project} titled {summary}",
    "create a {priority} priority {type} in {project}: {summary}",
    "create a {type} in {project} for {assignee}: {summary}",
  ],
  summary: describeCall,
  resource: ({ project }) => formatProjectPlace(project),
  async describeTarget(input, context) {
    const person = await findAssignee(input, context);
    return person ? `assigned to ${describePerson(person)}` : "";
  },
  async run(input, context) {
    const { api, site } = getJiraApi(context);
    const fields = await buildIssueFields(input, context);
    const request = { method: "POST", path: `${api}/issue`, body: { fields }, answer: Created } as const;
    const { key } = await context.http
      .request({ ...request, scope: "write:jira-work" })
      .catch(async (error: unknown) => Promise.reject(await explainRejection(error, fields, context)));
    const url = buildBrowseUrl(site, key);
    return { data: { key, url }, text: `Created ${key}: ${escapeCell(input.summary)}\n\n${url}`, url };
  },
});

function describeCall(input: Input): string {
  const details = [
    input.priority && `priority ${input.priority}`,
    input.assignee && `assigned to ${input.assignee}`,
    input.due?.trim() && `due ${input.due.trim()}`,
    input.labels?.trim() && `labels ${input.labels.trim()}`,
    input.parent?.trim() && `below ${input.parent.trim()}`,
    ...describeFields(input.fields),
    input.description?.trim() && `with the description ${quoteText(input.description, 300)}`,
  ].filter(Boolean);
  const action = `Create a ${formatTypeName(input.type)} in ${parseProjectName(input.project)}: “${toOneLine(input.summary)}”`;
  return details.length > 0 ? `${action} (${details.join(", ")})` : action;
}

type IssueFields = Record<string, unknown> & { project: { key: string }; issuetype: { name: string } };

async function buildIssueFields(input: Input, context: ToolContext): Promise<IssueFields> {
  const summary = checkSummary(input.summary);
  const description = toAdf(input.description, "description");
  const assignee = await findAssignee(input, context);
  const [project, type] = [await resolveProjectKey(input.project, context), formatTypeName(input.type)];
  const hasOthers = Object.keys(input.fields ?? {}).length > 0;
  const others = hasOthers ? await listCreateFields(context, project, type) : [];
  return {
    project: { key: project },
    issuetype: { name: type },
    summary,
    ...(description ? { description } : {}),
    ...(input.priority?.trim() ? { priority: toPriority(input.priority) } : {}),
    ...(assignee ? { assignee: { accountId: assignee.accountId } } : {}),
    ...(input.due?.trim() ? { duedate: parseDueDate(input.due) } : {}),
    ...(input.labels?.trim() ? { labels: parseLabels(input.labels) } : {}),
    ...(input.parent?.trim() ? { parent: parseParent(input.parent) } : {}),
    ...(await toFieldValues(input.fields ?? {}, others, context)),
  };
}

async function findAssignee({ assignee }: Input, context: ToolContext): Promise<Person | undefined> {
  return assignee?.trim() ? findPerson(context, assignee, { purpose: "change", isShown: true }) : undefined;
}

/** Adds the required fields to a rejection: projects may require any field. */
async function explainRejection(error: unknown, fields: IssueFields, context: ToolContext): Promise<unknown> {
  if (!(error instanceof Problem) || error.details.service_status !== 400) return error;
  try {
    const createFields = await listCreateFields(context, fields.project.key, fields.issuetype.name);
    return addRequiredFields(error, createFields, [...Object.keys(fields), "reporter"]);
  } catch {
    return error;
  }
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
  const hasName = (text: string | null | undefined) => text?.toLowerCase() === name.toLowerCase();
  const exact = values.find(({ key }) => hasName(key)) ?? values.find((project) => hasName(project.name));
  if (exact) return exact.key;
  const projectKeys = values.map(({ key }) => key).join(", ");
  throw new Problem("INVALID_REQUEST", `No project in Jira is called “${name}”.`, {
    hint: projectKeys ? `Projects with a similar name: ${projectKeys}.` : "Specify the project by its key.",
  });
}

function formatTypeName(type: string | undefined): string {
  const name = type?.trim() ?? "";
  if (name === "" || /^(issue|ticket)$/i.test(name)) return "Task";
  return capitalize(name);
}

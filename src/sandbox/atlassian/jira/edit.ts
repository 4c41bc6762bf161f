import type { Account, Issue, Project, Site } from "../state.ts";
import { type AdfNode, findAdfProblem, toAdf } from "./adf.ts";
import { jiraError } from "./errors.ts";
import { ISSUE_TYPES, PRIORITIES } from "./schemes.ts";

/** Jira's sentence for a limit on text; the number has its comma. */
const TOO_LONG = "The entered text is too long. It exceeds the allowed limit of 32,767 characters.";
const NOT_ADF = "Operation value must be an Atlassian Document (see the Atlassian Document Format)";

type Values = Partial<
  Pick<Issue, "summary" | "priority" | "assignee" | "reporter" | "labels" | "duedate" | "parent" | "description">
>;
type Read = { value: Values } | { error: string };

/**
 * Validates the fields of a create or an edit. Reports all errors at once, by field, in Jira's words.
 *
 * @throws ApiError 400 with `errors`
 */
export function parseFields(fields: Record<string, unknown>, site: Site, accounts: Account[]): Values {
  const values: Values = {};
  const errors: Record<string, string> = {};
  for (const [name, value] of Object.entries(fields)) {
    const reader = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
    const result = reader?.(value, site, accounts) ?? {
      error: `Field '${name}' cannot be set. It is not on the appropriate screen, or unknown.`,
    };
    if ("error" in result) errors[name] = result.error;
    else Object.assign(values, result.value);
  }
  if (Object.keys(errors).length > 0) throw jiraError(400, [], errors);
  return values;
}

/** Returns project and issue type of a new issue. Without them, nothing else is validated, as in Jira. */
export function parseProjectAndType(
  fields: Record<string, unknown>,
  site: Site,
): { project: Project; issuetype: string } {
  const [inProject, ofType] = [parseReference(fields.project), parseReference(fields.issuetype)];
  const project = site.projects.find((project) => project.id === inProject.id || project.key === inProject.key);
  const type = ISSUE_TYPES.find(
    (type) => type.id === ofType.id || type.name.toLowerCase() === ofType.name?.toLowerCase(),
  );
  const errors: Record<string, string> = {};
  if (!project) errors.project = "Specify a valid project ID or key";
  if (fields.issuetype === undefined) errors.issuetype = "Specify an issue type";
  else if (!type || (project && !project.issueTypes.includes(type.name)))
    errors.issuetype = "Specify a valid issue type";
  if (!project || !type || errors.issuetype) throw jiraError(400, [], errors);
  return { project, issuetype: type.name };
}

/** Validates the document of a comment. @throws ApiError */
export function parseComment(body: unknown) {
  const problem = findAdfProblem(body);
  if (problem === "unknown_node") throw jiraError(400, ["INVALID_INPUT"]);
  if (problem === "too_long") throw jiraError(400, [], { comment: TOO_LONG });
  if (problem) throw jiraError(400, [], { comment: "Comment body is not valid!" });
  if ((body as AdfNode).content?.length === 0) throw jiraError(400, [], { comment: "Comment body can not be empty!" });
  return toAdf(body as object);
}

const READERS: Record<string, (value: unknown, site: Site, accounts: Account[]) => Read> = {
  summary(value) {
    if (typeof value !== "string" || value.trim() === "") return { error: "You must specify a summary of the issue." };
    if (/[\r\n]/.test(value)) return { error: "The summary is invalid because it contains newline characters." };
    return value.length > 255 ? { error: "Summary must be less than 255 characters." } : { value: { summary: value } };
  },
  description(value) {
    if (value === null) return { value: { description: null } };
    const problem = findAdfProblem(value);
    if (problem === "unknown_node") throw jiraError(400, ["INVALID_INPUT"]);
    if (problem) return { error: problem === "too_long" ? TOO_LONG : NOT_ADF };
    return { value: { description: toAdf(value as object) } };
  },
  priority(value) {
    const { id, name } = parseReference(value);
    const match = PRIORITIES.find(
      (priority) => priority.id === id || priority.name.toLowerCase() === name?.toLowerCase(),
    );
    return match ? { value: { priority: match.name } } : { error: `Priority name '${name ?? id ?? ""}' is not valid.` };
  },
  assignee(value, site, accounts) {
    if (value === null || parseReference(value).id === null) return { value: { assignee: null } };
    const person = findPerson(value, site, accounts);
    return person
      ? { value: { assignee: person } }
      : { error: `User '${parseReference(value).id ?? ""}' cannot be assigned issues.` };
  },
  reporter(value, site, accounts) {
    const person = findPerson(value, site, accounts);
    return person ? { value: { reporter: person } } : { error: "The reporter specified is not a user." };
  },
  labels(value) {
    if (!Array.isArray(value) || !value.every((item) => typeof item === "string"))
      return { error: "data was not an array" };
    const spaced = value.find((label) => /\s/.test(label));
    return spaced === undefined
      ? { value: { labels: [...new Set(value)] } }
      : { error: `The label '${spaced}' contains spaces which is invalid.` };
  },
  parent(value, site) {
    if (value === null) return { value: { parent: null } };
    const { id, key } = parseReference(value);
    const issue = site.issues.find((issue) => issue.id === id || issue.key === key);
    return issue ? { value: { parent: issue.key } } : { error: "Could not find issue by id or key." };
  },
  duedate(value) {
    if (value === null) return { value: { duedate: null } };
    const day = typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
    return day ? { value: { duedate: value } } : { error: `Error parsing date string: ${String(value)}` };
  },
};

function findPerson(value: unknown, site: Site, accounts: Account[]): string | undefined {
  const { id } = parseReference(value);
  const isOnSite = site.accounts.length === 0 || site.accounts.includes(id ?? "");
  return isOnSite ? accounts.find(({ accountId }) => accountId === id)?.accountId : undefined;
}

type Reference = { id?: string | null; key?: string; name?: string };

/** Reads `{id}`, `{key}`, `{name}` or `{accountId}`. */
function parseReference(value: unknown): Reference {
  if (typeof value !== "object" || value === null) return {};
  const { id, accountId, key, name } = value as Record<string, unknown>;
  const either = accountId === undefined ? id : accountId;
  return {
    ...(either === undefined ? {} : { id: either === null ? null : String(either) }),
    ...(key === undefined ? {} : { key: String(key) }),
    ...(name === undefined ? {} : { name: String(name) }),
  };
}

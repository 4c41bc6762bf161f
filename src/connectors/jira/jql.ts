import { quoteValue, withoutOperators } from "../atlassian/query.ts";
import { isMe, isNobody } from "../input-text.ts";

/** A search by fields, as users and models specify it. {@link buildJql} converts it to JQL. */
export type IssueFilter = {
  project?: string;
  status?: string;
  assignee?: string;
  type?: string;
  text?: string;
  reporter?: string;
  priority?: string;
  sprint?: string;
  labels?: string[];
  order?: IssueOrder;
} & { [Bound in IssueDate]?: string };

/** Bounds of a list in time, with their JQL and their words. */
const DATE_BOUNDS = {
  updatedSince: ["updated >=", "updated since"],
  updatedBefore: ["updated <", "updated before"],
  createdSince: ["created >=", "created since"],
  createdBefore: ["created <", "created before"],
  resolvedSince: ["resolved >=", "resolved since"],
  resolvedBefore: ["resolved <", "resolved before"],
  dueAfter: ["due >=", "due after"],
  dueBefore: ["due <=", "due by"],
} as const;
type IssueDate = keyof typeof DATE_BOUNDS;

/** Fields of a filter that are days. */
export const ISSUE_DATES = Object.keys(DATE_BOUNDS) as IssueDate[];

/** Orders of a list, with their JQL. */
const ISSUE_ORDERS = {
  updated: "updated DESC",
  newest: "created DESC",
  oldest: "created ASC",
  due: "due ASC",
  priority: "priority DESC",
};
type IssueOrder = keyof typeof ISSUE_ORDERS;

/** Account IDs of the people in a filter, except for "me" and "nobody". */
export type FilterPeople = { assignee?: string; reporter?: string };

/**
 * Builds the JQL of a filter, most recently changed first. Values are quoted, so that none can become an operator.
 * Source: https://support.atlassian.com/jira-software-cloud/docs/use-advanced-search-with-jira-query-language-jql/
 */
export function buildJql(filter: IssueFilter, people: FilterPeople = {}): string {
  const clauses = [
    filter.project ? `project = ${quoteValue(filter.project)}` : "",
    buildStatusClause(filter.status),
    buildPersonClause("assignee", filter.assignee, people.assignee),
    buildPersonClause("reporter", filter.reporter, people.reporter),
    filter.type ? `issuetype = ${quoteValue(toSingular(filter.type))}` : "",
    filter.priority ? `priority = ${quoteValue(filter.priority)}` : "",
    buildSprintClause(filter.sprint),
    ...(filter.labels ?? []).map((label) => `labels = ${quoteValue(label)}`),
    ...ISSUE_DATES.map((name) => (filter[name] ? `${DATE_BOUNDS[name][0]} ${quoteValue(filter[name])}` : "")),
    filter.text ? `text ~ ${quoteValue(withoutOperators(filter.text))}` : "",
  ].filter(Boolean);
  return `${(clauses.length > 0 ? clauses : [RECENT_CLAUSE]).join(" AND ")} ORDER BY ${ISSUE_ORDERS[filter.order ?? "updated"]}`;
}

/** Describes a filter: "open bugs in KAY assigned to me". */
export function describeFilter(filter: IssueFilter, number?: number): string {
  const statusGroup = getStatusGroup(filter.status);
  const type = filter.type ? toSingular(filter.type).toLowerCase() : "issue";
  const noun = number === 1 ? type : type.endsWith("y") ? `${type.slice(0, -1)}ies` : `${type}s`;
  return [
    statusGroup === "open" || statusGroup === "done" ? statusGroup : "",
    noun,
    filter.project ? `in ${filter.project}` : "",
    describeStatus(filter.status),
    filter.assignee ? describeAssignee(filter.assignee) : "",
    filter.reporter ? `reported by ${isMe(filter.reporter) ? "you" : filter.reporter}` : "",
    filter.priority ? `of priority ${filter.priority}` : "",
    filter.sprint ? describeSprint(filter.sprint) : "",
    filter.labels?.length ? `labelled ${filter.labels.join(", ")}` : "",
    ...ISSUE_DATES.map((name) => (filter[name] ? `${DATE_BOUNDS[name][1]} ${filter[name]}` : "")),
    filter.text ? `about “${filter.text}”` : "",
  ]
    .filter(Boolean)
    .join(" ");
}

/** Restricts a search without conditions, because Jira rejects unbounded JQL. */
const RECENT_CLAUSE = "updated >= -90d";

function buildStatusClause(status: string | undefined): string {
  const group = getStatusGroup(status);
  if (group === "open") return "statusCategory != Done";
  if (group === "done") return "statusCategory = Done";
  if (group === "new") return 'statusCategory = "To Do"';
  if (group === "active") return 'statusCategory = "In Progress"';
  return status && group !== "any" ? `status = ${quoteValue(status)}` : "";
}

function describeStatus(status: string | undefined): string {
  const group = getStatusGroup(status);
  if (group === "active") return "being worked on";
  if (group === "new") return "not started";
  return status && !group ? `with status ${status}` : "";
}

function getStatusGroup(status: string | undefined): "open" | "done" | "active" | "new" | "any" | undefined {
  const word = status?.trim().toLowerCase() ?? "";
  if (/^(open|unresolved|not done|unfinished|not closed)$/.test(word)) return "open";
  if (/^(done|closed|resolved|finished|complete|completed)$/.test(word)) return "done";
  if (/^(started|active|being worked on)$/.test(word)) return "active";
  if (/^(todo|not started)$/.test(word)) return "new";
  return /^(any|all|every)$/.test(word) ? "any" : undefined;
}

function buildPersonClause(field: string, person: string | undefined, accountId: string | undefined): string {
  if (!person) return "";
  if (isMe(person)) return `${field} = currentUser()`;
  if (isNobody(person)) return `${field} IS EMPTY`;
  return `${field} = ${quoteValue(accountId ?? person)}`;
}

function describeAssignee(assignee: string): string {
  if (isMe(assignee)) return "assigned to you";
  return isNobody(assignee) ? "assigned to nobody" : `assigned to ${assignee}`;
}

/** Words for groups of sprints, with their JQL. A name of a sprint is none of them. */
const SPRINTS: [words: RegExp, clause: string, description: string][] = [
  [/^(the )?(current|active|open|this|running)( sprints?)?$/i, "sprint in openSprints()", "in the current sprint"],
  [/^(the )?(next|future|upcoming)( sprints?)?$/i, "sprint in futureSprints()", "in a future sprint"],
  [/^(none|no sprint|(the )?backlog)$/i, "sprint IS EMPTY", "in no sprint"],
];

function buildSprintClause(sprint: string | undefined): string {
  if (!sprint) return "";
  const [, clause] = SPRINTS.find(([words]) => words.test(sprint)) ?? [];
  return clause ?? `sprint = ${quoteValue(sprint)}`;
}

function describeSprint(sprint: string): string {
  const [, , description] = SPRINTS.find(([words]) => words.test(sprint)) ?? [];
  return description ?? `in ${sprint}`;
}

function toSingular(type: string): string {
  const word = type
    .trim()
    .replace(/ies$/i, "y")
    .replace(/(?<=[^s])s$/i, "");
  return word.charAt(0).toUpperCase() + word.slice(1);
}

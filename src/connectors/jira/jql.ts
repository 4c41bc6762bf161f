/** A search by fields, as users and models specify it. {@link buildJql} converts it to JQL. */
export type IssueFilter = {
  project?: string;
  status?: string;
  assignee?: string;
  type?: string;
  text?: string;
};

/**
 * Builds the JQL of a filter, most recently changed first. Values are quoted, so that none can become an operator.
 * Source: https://support.atlassian.com/jira-software-cloud/docs/use-advanced-search-with-jira-query-language-jql/
 *
 * @param accountId ID of the user named by `assignee`, unless it is "me" or "nobody"
 */
export function buildJql(filter: IssueFilter, accountId?: string): string {
  const clauses = [
    filter.project ? `project = ${quoteValue(filter.project)}` : "",
    buildStatusClause(filter.status),
    buildAssigneeClause(filter.assignee, accountId),
    filter.type ? `issuetype = ${quoteValue(toSingular(filter.type))}` : "",
    filter.text ? `text ~ ${quoteValue(withoutOperators(filter.text))}` : "",
  ].filter(Boolean);
  return `${(clauses.length > 0 ? clauses : [RECENT_CLAUSE]).join(" AND ")} ORDER BY updated DESC`;
}

/** Describes a filter: "open bugs in KAY assigned to me". */
export function describeFilter(filter: IssueFilter, number?: number): string {
  const known = getStatusGroup(filter.status);
  const type = filter.type ? toSingular(filter.type).toLowerCase() : "issue";
  const noun = number === 1 ? type : type.endsWith("y") ? `${type.slice(0, -1)}ies` : `${type}s`;
  return [
    known === "open" || known === "done" ? known : "",
    noun,
    filter.project ? `in ${filter.project}` : "",
    describeStatus(filter.status),
    filter.assignee ? describeAssignee(filter.assignee) : "",
    filter.text ? `about “${filter.text}”` : "",
  ]
    .filter(Boolean)
    .join(" ");
}

/** Returns whether a text means the user. */
export function isMe(text: string): boolean {
  return /^(me|myself|my|mine|i)$/i.test(text.trim());
}

/** Returns whether a text means "unassigned". */
export function isNobody(text: string): boolean {
  return /^(nobody|no one|none|unassigned|empty)$/i.test(text.trim());
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

function buildAssigneeClause(assignee: string | undefined, accountId: string | undefined): string {
  if (!assignee) return "";
  if (isMe(assignee)) return "assignee = currentUser()";
  if (isNobody(assignee)) return "assignee IS EMPTY";
  return `assignee = ${quoteValue(accountId ?? assignee)}`;
}

function describeAssignee(assignee: string): string {
  if (isMe(assignee)) return "assigned to you";
  return isNobody(assignee) ? "assigned to nobody" : `assigned to ${assignee}`;
}

function toSingular(type: string): string {
  const word = type
    .trim()
    .replace(/ies$/i, "y")
    .replace(/(?<=[^s])s$/i, "");
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function quoteValue(value: string): string {
  const text = value.replace(/\s+/g, " ").trim();
  return `"${text.replace(/\\/g, "\\\\").replace(/"/g, '\\"')}"`;
}

/** Removes the operators of Jira's text search, which would need separate escaping. */
function withoutOperators(text: string): string {
  return text
    .replace(/[+\-&|!(){}[\]^~*?\\/:"']/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

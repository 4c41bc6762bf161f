import type { Operator } from "../../query/parser.ts";
import type { Account, Issue, Site } from "../state.ts";
import { getAdfText } from "./adf.ts";
import { CATEGORIES, ISSUE_TYPES, PRIORITIES } from "./schemes.ts";
import { getProjectAndStatus } from "./views.ts";

/** Context of a query, which gives names their meaning. */
export type JqlContext = { site: Site; accounts: Account[]; me: string; now: number };

/** A field of JQL. `of` returns an issue's values in canonical form; none means EMPTY. */
export type JqlField = {
  kind: "name" | "text" | "date" | "key";
  operators: Operator[];
  of(issue: Issue, context: JqlContext): string[];
  /** Returns the canonical form of a value in the query; undefined if the site has no such value. */
  resolve?(text: string, context: JqlContext): string | undefined;
  /** Functions of this field, in lower case. Issues that they find have the name as a value. */
  functions?: string[];
  /** The sort key, if it is not the text itself. */
  rank?(issue: Issue, context: JqlContext): number;
};

const EQUAL: Operator[] = ["=", "!=", "IN", "NOT IN"];
const NAMES: Operator[] = [...EQUAL, "IS", "IS NOT"];
const RANGES: Operator[] = ["<", "<=", ">", ">="];
const TEXTS: Operator[] = ["~", "!~", "IS", "IS NOT"];
const toList = (value: string | null): string[] => (value === null || value === "" ? [] : [value]);

const SPRINT_FUNCTIONS = { active: "opensprints", future: "futuresprints", closed: "closedsprints" };

const FIELDS: Record<string, JqlField> = {
  project: {
    kind: "name",
    operators: NAMES,
    of: (issue) => [issue.key.slice(0, issue.key.lastIndexOf("-"))],
    resolve: (text, { site }) =>
      site.projects.find((project) => isAnyName(text, project.key, project.name, project.id))?.key,
  },
  status: {
    kind: "name",
    operators: NAMES,
    of: (issue) => [issue.status],
    resolve: (text, { site }) =>
      site.projects
        .flatMap(({ workflow }) => workflow.statuses)
        .find((status) => isAnyName(text, status.name, status.id))?.name,
  },
  statuscategory: {
    kind: "name",
    operators: NAMES,
    of: (issue, { site }) => [getProjectAndStatus(site, issue).status.statusCategory],
    resolve: (text) =>
      Object.values(CATEGORIES).find((category) => isAnyName(text, category.name, category.key, String(category.id)))
        ?.key,
  },
  issuetype: {
    kind: "name",
    operators: NAMES,
    of: (issue) => [issue.issuetype],
    resolve: (text) => ISSUE_TYPES.find((type) => isAnyName(text, type.name, type.id))?.name,
  },
  priority: {
    kind: "name",
    operators: [...NAMES, ...RANGES],
    of: (issue) => [issue.priority],
    resolve: (text) => PRIORITIES.find((priority) => isAnyName(text, priority.name, priority.id))?.name,
    rank: (issue) => getPriorityRank(issue.priority),
  },
  assignee: { kind: "name", operators: NAMES, of: (issue) => toList(issue.assignee), resolve: findPerson },
  reporter: { kind: "name", operators: NAMES, of: (issue) => toList(issue.reporter), resolve: findPerson },
  sprint: {
    kind: "name",
    operators: NAMES,
    of: ({ sprint }, { site }) =>
      (site.sprints ?? []).flatMap(({ name, state }) => (name === sprint ? [name, SPRINT_FUNCTIONS[state]] : [])),
    resolve: (text, { site }) => site.sprints?.find(({ id, name }) => isAnyName(text, id, name))?.name,
    functions: Object.values(SPRINT_FUNCTIONS),
  },
  labels: { kind: "name", operators: NAMES, of: (issue) => issue.labels, resolve: (text) => text },
  resolution: {
    kind: "name",
    operators: NAMES,
    of: (issue) => (issue.resolutiondate === null ? ["Unresolved"] : ["Done"]),
    resolve: (text) => ["Unresolved", "Done"].find((name) => isAnyName(text, name)),
  },
  summary: { kind: "text", operators: TEXTS, of: (issue) => [issue.summary] },
  description: {
    kind: "text",
    operators: TEXTS,
    of: (issue) => toList(issue.description && getAdfText(issue.description)),
  },
  comment: { kind: "text", operators: ["~", "!~"], of: (issue) => issue.comments.map(({ body }) => getAdfText(body)) },
  text: {
    kind: "text",
    operators: ["~"],
    of: (issue) => [
      [
        issue.summary,
        issue.description ? getAdfText(issue.description) : "",
        ...issue.comments.map(({ body }) => getAdfText(body)),
      ].join("\n"),
    ],
  },
  created: { kind: "date", operators: [...NAMES, ...RANGES], of: (issue) => [issue.created] },
  updated: { kind: "date", operators: [...NAMES, ...RANGES], of: (issue) => [issue.updated] },
  resolved: { kind: "date", operators: [...NAMES, ...RANGES], of: (issue) => toList(issue.resolutiondate) },
  duedate: { kind: "date", operators: [...NAMES, ...RANGES], of: (issue) => toList(issue.duedate) },
  issuekey: {
    kind: "key",
    operators: [...EQUAL, ...RANGES],
    of: (issue) => [issue.key],
    resolve: (text, { site }) => site.issues.find((candidate) => isAnyName(text, candidate.key, candidate.id))?.key,
    rank: (issue) => Number(issue.key.slice(issue.key.lastIndexOf("-") + 1)),
  },
};

const ALIASES: Record<string, string> = {
  key: "issuekey",
  issue: "issuekey",
  id: "issuekey",
  type: "issuetype",
  creator: "reporter",
  due: "duedate",
  createddate: "created",
  updateddate: "updated",
  resolutiondate: "resolved",
  label: "labels",
};

/** Finds a field by name, ignoring case. */
export function findJqlField(name: string): JqlField | undefined {
  const lower = name.toLowerCase().replace(/\s/g, "");
  const field = ALIASES[lower] ?? lower;
  return Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
}

/** Whether some field has this function. */
export function isFieldFunction(name: string): boolean {
  return Object.values(FIELDS).some(({ functions = [] }) => functions.includes(name.toLowerCase()));
}

/** Priorities compare by rank, "Highest" being the greatest. */
export function getPriorityRank(priority: string): number {
  return -PRIORITIES.findIndex(({ name }) => name === priority);
}

function findPerson(text: string, { accounts }: JqlContext): string | undefined {
  return accounts.find((account) => isAnyName(text, account.accountId, account.displayName, account.emailAddress))
    ?.accountId;
}

function isAnyName(text: string, ...names: string[]): boolean {
  return names.some((name) => name.toLowerCase() === text.toLowerCase());
}

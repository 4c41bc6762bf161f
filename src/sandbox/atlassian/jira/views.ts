import { avatarUrl } from "../../pictures.ts";
import type { Account, Comment, Issue, Project, Site, Status } from "../world.ts";
import { CATEGORIES, ISSUE_TYPES, PRIORITIES } from "./schemes.ts";

/** What the views of one request share. */
export type View = { site: Site; accounts: Account[]; request: Request };

/** Jira's spelling of a moment: `2026-08-24T10:50:03.000+0000`. */
export function jiraTime(iso: string): string {
  return new Date(iso).toISOString().replace("Z", "+0000");
}

/** Base of every `self`, as the gateway writes it. */
export function selfOf(view: View, path: string): string {
  return `${new URL(view.request.url).origin}/ex/jira/${view.site.id}/rest/api/3/${path}`;
}

/** A user; null stays null. */
export function userView(view: View, id: string | null) {
  const account = view.accounts.find(({ accountId }) => accountId === id);
  if (!account) return null;
  return {
    self: selfOf(view, `user?accountId=${encodeURIComponent(account.accountId)}`),
    accountId: account.accountId,
    accountType: "atlassian",
    emailAddress: account.emailAddress,
    avatarUrls: pictures(view, account.displayName),
    displayName: account.displayName,
    active: account.active,
    timeZone: account.timeZone,
  };
}

export function statusView(view: View, status: Status) {
  return {
    self: selfOf(view, `status/${status.id}`),
    description: "",
    iconUrl: avatarUrl(view.request, status.name),
    name: status.name,
    id: status.id,
    statusCategory: categoryView(view, status),
  };
}

export function issueTypeView(view: View, name: string) {
  const type = ISSUE_TYPES.find((one) => one.name === name) ?? ISSUE_TYPES[2];
  return {
    self: selfOf(view, `issuetype/${type.id}`),
    id: type.id,
    description: type.description,
    iconUrl: avatarUrl(view.request, type.name),
    name: type.name,
    subtask: false,
    avatarId: 10_300 + Number(type.id) - 10_000,
    hierarchyLevel: type.hierarchyLevel,
  };
}

export function priorityView(view: View, name: string) {
  const priority = PRIORITIES.find((one) => one.name === name) ?? PRIORITIES[2];
  return {
    self: selfOf(view, `priority/${priority.id}`),
    iconUrl: avatarUrl(view.request, priority.name),
    name: priority.name,
    id: priority.id,
  };
}

/** A project as it stands in an issue. */
export function projectView(view: View, project: Project) {
  return {
    self: selfOf(view, `project/${project.id}`),
    id: project.id,
    key: project.key,
    name: project.name,
    projectTypeKey: "software",
    simplified: false,
    avatarUrls: pictures(view, project.name),
  };
}

export function commentView(view: View, issue: Issue, comment: Comment) {
  return {
    self: selfOf(view, `issue/${issue.id}/comment/${comment.id}`),
    id: comment.id,
    author: userView(view, comment.author),
    body: comment.body,
    updateAuthor: userView(view, comment.updateAuthor ?? comment.author),
    created: jiraTime(comment.created),
    updated: jiraTime(comment.updated),
    jsdPublic: true,
  };
}

/** Project and status of an issue; a world is checked when it is loaded, so they are there. */
export function homeOf(site: Site, issue: Issue): { project: Project; status: Status } {
  const project = site.projects.find(({ key }) => key === issue.key.slice(0, issue.key.lastIndexOf("-")));
  const status = project?.workflow.statuses.find(({ name }) => name === issue.status);
  if (!project || !status) throw new Error(`${issue.key} has no project or no status`);
  return { project, status };
}

/** Every field of an issue. */
export function fieldsView(view: View, issue: Issue): Record<string, unknown> {
  const { project, status } = homeOf(view.site, issue);
  const done = status.statusCategory === "done";
  return {
    summary: issue.summary,
    issuetype: issueTypeView(view, issue.issuetype),
    project: projectView(view, project),
    status: statusView(view, status),
    statusCategory: categoryView(view, status),
    priority: priorityView(view, issue.priority),
    assignee: userView(view, issue.assignee),
    reporter: userView(view, issue.reporter),
    creator: userView(view, issue.reporter),
    labels: issue.labels,
    description: issue.description,
    created: jiraTime(issue.created),
    updated: jiraTime(issue.updated),
    duedate: issue.duedate,
    resolution: done
      ? { self: selfOf(view, "resolution/10000"), id: "10000", description: "Work has been completed.", name: "Done" }
      : null,
    resolutiondate: issue.resolutiondate === null ? null : jiraTime(issue.resolutiondate),
    comment: {
      comments: issue.comments.map((comment) => commentView(view, issue, comment)),
      self: selfOf(view, `issue/${issue.id}/comment`),
      maxResults: issue.comments.length,
      total: issue.comments.length,
      startAt: 0,
    },
  };
}

/** What fields are called, as `expand=names` tells it. */
export function fieldNames(fields: string[]): Record<string, string> {
  return Object.fromEntries(fields.map((name) => [name, FIELD_NAMES[name] ?? name]));
}

const FIELD_NAMES: Record<string, string> = {
  summary: "Summary",
  issuetype: "Issue Type",
  project: "Project",
  status: "Status",
  statusCategory: "Status Category",
  priority: "Priority",
  assignee: "Assignee",
  reporter: "Reporter",
  creator: "Creator",
  labels: "Labels",
  description: "Description",
  created: "Created",
  updated: "Updated",
  duedate: "Due date",
  resolution: "Resolution",
  resolutiondate: "Resolved",
  comment: "Comment",
};

/**
 * The fields that were asked for: names, `*all`, `*navigable` (all but comments), and `-name` to leave one out. Names that no issue has
 * are passed over.
 */
export function selected(fields: Record<string, unknown>, wanted: string[]): Record<string, unknown> {
  const plus = wanted.filter((name) => !name.startsWith("-"));
  const all = plus.includes("*all") || plus.length === 0;
  const kept = Object.keys(fields).filter(
    (name) => all || plus.includes(name) || (plus.includes("*navigable") && name !== "comment"),
  );
  return Object.fromEntries(kept.filter((name) => !wanted.includes(`-${name}`)).map((name) => [name, fields[name]]));
}

/** Four sizes, one picture. */
function pictures(view: View, name: string) {
  const url = avatarUrl(view.request, name);
  return { "48x48": url, "24x24": url, "16x16": url, "32x32": url };
}

function categoryView(view: View, status: Status) {
  const category = CATEGORIES[status.statusCategory];
  return { self: selfOf(view, `statuscategory/${category.id}`), ...category };
}

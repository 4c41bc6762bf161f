import { getAvatarUrl } from "../../files.ts";
import type { Account, Comment, Issue, IssueAttachment, Project, Site, Status } from "../state.ts";
import { CATEGORIES, ISSUE_TYPES, LINK_TYPES, PRIORITIES } from "./schemes.ts";

/** The context of the views of one request. */
export type ViewContext = { site: Site; accounts: Account[]; request: Request };

/** Formats a time like Jira: `2026-08-24T10:50:03.000+0000`. */
export function formatJiraTime(iso: string): string {
  return new Date(iso).toISOString().replace("Z", "+0000");
}

/** Returns the URL of a resource, for its field `self`. */
export function getSelfUrl(view: ViewContext, path: string): string {
  return `${new URL(view.request.url).origin}/ex/jira/${view.site.id}/rest/api/3/${path}`;
}

/** Returns a user; null for an unknown ID or none. */
export function toUserView(view: ViewContext, id: string | null) {
  const account = view.accounts.find(({ accountId }) => accountId === id);
  if (!account) return null;
  return {
    self: getSelfUrl(view, `user?accountId=${encodeURIComponent(account.accountId)}`),
    accountId: account.accountId,
    accountType: "atlassian",
    emailAddress: account.emailAddress,
    avatarUrls: toAvatarUrls(view, account.displayName),
    displayName: account.displayName,
    active: account.active,
    timeZone: account.timeZone,
  };
}

export function toStatusView(view: ViewContext, status: Status) {
  return {
    self: getSelfUrl(view, `status/${status.id}`),
    description: "",
    iconUrl: getAvatarUrl(view.request, status.name),
    name: status.name,
    id: status.id,
    statusCategory: toCategoryView(view, status),
  };
}

export function toIssueTypeView(view: ViewContext, name: string) {
  const type = ISSUE_TYPES.find((type) => type.name === name) ?? ISSUE_TYPES[2];
  return {
    self: getSelfUrl(view, `issuetype/${type.id}`),
    id: type.id,
    description: type.description,
    iconUrl: getAvatarUrl(view.request, type.name),
    name: type.name,
    subtask: false,
    avatarId: 10_300 + Number(type.id) - 10_000,
    hierarchyLevel: type.hierarchyLevel,
  };
}

export function toPriorityView(view: ViewContext, name: string) {
  const priority = PRIORITIES.find((priority) => priority.name === name) ?? PRIORITIES[2];
  return {
    self: getSelfUrl(view, `priority/${priority.id}`),
    iconUrl: getAvatarUrl(view.request, priority.name),
    name: priority.name,
    id: priority.id,
  };
}

/** Returns a project as within an issue. */
export function toProjectView(view: ViewContext, project: Project) {
  return {
    self: getSelfUrl(view, `project/${project.id}`),
    id: project.id,
    key: project.key,
    name: project.name,
    projectTypeKey: "software",
    simplified: false,
    avatarUrls: toAvatarUrls(view, project.name),
  };
}

export function toCommentView(view: ViewContext, issue: Issue, comment: Comment) {
  return {
    self: getSelfUrl(view, `issue/${issue.id}/comment/${comment.id}`),
    id: comment.id,
    author: toUserView(view, comment.author),
    body: comment.body,
    updateAuthor: toUserView(view, comment.updateAuthor ?? comment.author),
    created: formatJiraTime(comment.created),
    updated: formatJiraTime(comment.updated),
    jsdPublic: true,
  };
}

export function toAttachmentView(
  view: ViewContext,
  { id, filename, mimeType, size, author, created }: IssueAttachment,
) {
  return {
    self: getSelfUrl(view, `attachment/${id}`),
    id,
    filename,
    author: toUserView(view, author),
    created: formatJiraTime(created),
    size,
    mimeType,
    content: getSelfUrl(view, `attachment/content/${id}`),
  };
}

/** Returns project and status of an issue, which exist because the world was validated when loaded. */
export function getProjectAndStatus(site: Site, issue: Issue): { project: Project; status: Status } {
  const project = site.projects.find(({ key }) => key === issue.key.slice(0, issue.key.lastIndexOf("-")));
  const status = project?.workflow.statuses.find(({ name }) => name === issue.status);
  if (!project || !status) throw new Error(`${issue.key} has no project or no status`);
  return { project, status };
}

/** Returns every field of an issue. */
export function toFieldsView(view: ViewContext, issue: Issue): Record<string, unknown> {
  const { project, status } = getProjectAndStatus(view.site, issue);
  const isDone = status.statusCategory === "done";
  return {
    summary: issue.summary,
    issuetype: toIssueTypeView(view, issue.issuetype),
    project: toProjectView(view, project),
    status: toStatusView(view, status),
    statusCategory: toCategoryView(view, status),
    priority: toPriorityView(view, issue.priority),
    assignee: toUserView(view, issue.assignee),
    reporter: toUserView(view, issue.reporter),
    creator: toUserView(view, issue.reporter),
    labels: issue.labels,
    description: issue.description,
    created: formatJiraTime(issue.created),
    updated: formatJiraTime(issue.updated),
    duedate: issue.duedate,
    ...(issue.parent === null ? {} : { parent: toParentView(view, issue.parent) }),
    resolution: isDone
      ? {
          self: getSelfUrl(view, "resolution/10000"),
          id: "10000",
          description: "Work has been completed.",
          name: "Done",
        }
      : null,
    resolutiondate: issue.resolutiondate === null ? null : formatJiraTime(issue.resolutiondate),
    timespent: issue.worklogs?.reduce((sum, { timeSpentSeconds }) => sum + timeSpentSeconds, 0) ?? null,
    issuelinks: toLinkViews(view.site.issues, issue),
    attachment: (issue.attachments ?? []).map((attachment) => toAttachmentView(view, attachment)),
    comment: {
      comments: issue.comments.map((comment) => toCommentView(view, issue, comment)),
      self: getSelfUrl(view, `issue/${issue.id}/comment`),
      maxResults: issue.comments.length,
      total: issue.comments.length,
      startAt: 0,
    },
  };
}

/** Returns the field `issuelinks` of an issue, from its side. */
function toLinkViews(issues: Issue[], issue: Issue) {
  const toEnd = (key: string) => {
    const linkedIssue = issues.find((issue) => issue.key === key);
    return { id: linkedIssue?.id, key, fields: { summary: linkedIssue?.summary } };
  };
  const outwardLinks = (issue.links ?? []).map(({ id, type, to }) => ({
    id,
    type: findType(type),
    outwardIssue: toEnd(to),
  }));
  const inwardLinks = issues.flatMap(({ key, links = [] }) =>
    links
      .filter(({ to }) => to === issue.key)
      .map(({ id, type }) => ({ id, type: findType(type), inwardIssue: toEnd(key) })),
  );
  return [...outwardLinks, ...inwardLinks];
}

function findType(name: string) {
  return LINK_TYPES.find((type) => type.name === name) ?? LINK_TYPES[3];
}

function toParentView(view: ViewContext, key: string) {
  const parent = view.site.issues.find((candidate) => candidate.key === key);
  const fields = parent && { summary: parent.summary, issuetype: toIssueTypeView(view, parent.issuetype) };
  return { id: parent?.id, key, self: getSelfUrl(view, `issue/${parent?.id}`), fields };
}

/** Returns the names of fields, for `expand=names`. */
export function getFieldNames(fields: string[]): Record<string, string> {
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
  parent: "Parent",
  resolution: "Resolution",
  resolutiondate: "Resolved",
  timespent: "Time Spent",
  issuelinks: "Linked Issues",
  attachment: "Attachment",
  comment: "Comment",
};

/**
 * Returns the requested fields: names, `*all`, `*navigable` (all but comments), and `-name` to omit one. Ignores
 * unknown names.
 */
export function pickFields(fields: Record<string, unknown>, requestedNames: string[]): Record<string, unknown> {
  const included = requestedNames.filter((name) => !name.startsWith("-"));
  const all = included.includes("*all") || included.length === 0;
  const names = Object.keys(fields).filter(
    (name) => all || included.includes(name) || (included.includes("*navigable") && name !== "comment"),
  );
  return Object.fromEntries(
    names.filter((name) => !requestedNames.includes(`-${name}`)).map((name) => [name, fields[name]]),
  );
}

/** Returns the same picture for all four sizes. */
function toAvatarUrls(view: ViewContext, name: string) {
  const url = getAvatarUrl(view.request, name);
  return { "48x48": url, "24x24": url, "16x16": url, "32x32": url };
}

function toCategoryView(view: ViewContext, status: Status) {
  const category = CATEGORIES[status.statusCategory];
  return { self: getSelfUrl(view, `statuscategory/${category.id}`), ...category };
}

import type { SandboxFile } from "../files.ts";
import type { Adf } from "./jira/adf.ts";

/**
 * The world of the Atlassian stand-in: a seed with everything filled in. People are account ids, times are ISO 8601 in
 * UTC.
 */
export type AtlassianState = { accounts: Account[]; sites: Site[] };

export type Account = {
  accountId: string;
  displayName: string;
  emailAddress: string;
  timeZone: string;
  active: boolean;
};

export type Site = {
  /** The cloud id. */
  id: string;
  name: string;
  /** If omitted, the sandbox shows the site under `/sites/<name>`. */
  url?: string;
  scopes?: string[];
  accounts: string[];
  projects: Project[];
  sprints?: Sprint[];
  issues: Issue[];
  spaces: Space[];
  pages: Page[];
};

type Sprint = { id: string; name: string; state: "active" | "future" | "closed" };

export type StatusCategory = "new" | "indeterminate" | "done";
export type Status = { id: string; name: string; statusCategory: StatusCategory };
type Transition = { id: string; name: string; from?: string[]; to: string };
type Workflow = { statuses: Status[]; transitions: Transition[] };

export type Project = {
  id: string;
  key: string;
  name: string;
  description: string;
  lead: string;
  issueTypes: string[];
  workflow: Workflow;
};

export type Comment = {
  id: string;
  author: string;
  /** Who last changed it, if anyone did. */
  updateAuthor?: string;
  body: Adf;
  created: string;
  updated: string;
};

export type IssueAttachment = SandboxFile & { author: string; created: string };

export type Worklog = { id: string; author: string; timeSpentSeconds: number; started: string; comment?: Adf };

export type Issue = {
  id: string;
  key: string;
  summary: string;
  issuetype: string;
  status: string;
  priority: string;
  assignee: string | null;
  reporter: string;
  labels: string[];
  /** Name of its sprint. */
  sprint?: string;
  duedate: string | null;
  /** Key of the issue above. */
  parent: string | null;
  description: Adf | null;
  comments: Comment[];
  worklogs?: Worklog[];
  /** Links of which this is the inward issue, by the name of their type. */
  links?: { id: string; type: string; to: string }[];
  attachments?: IssueAttachment[];
  created: string;
  updated: string;
  resolutiondate: string | null;
};

export type Space = { id: string; key: string; name: string; description: string };

export type Page = {
  id: string;
  space: string;
  title: string;
  body: string;
  parent: string | null;
  author: string;
  version: number;
  created: string;
  updated: string;
  comments: PageComment[];
};

/** A comment below a page, in storage format. */
export type PageComment = { id: string; author: string; body: string; created: string };

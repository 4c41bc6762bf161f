/** The world of the GitHub stand-in: a seed with everything filled in. People are logins, times are ISO 8601 in UTC. */
export type GithubState = { users: User[]; organizations: Organization[]; repositories: Repository[] };

export type User = { login: string; id: number; name: string; email: string; bio: string; created_at: string };

type Organization = { login: string; id: number; name: string; members: string[] };

export type Repository = {
  owner: string;
  name: string;
  id: number;
  private: boolean;
  archived: boolean;
  description: string;
  language: string;
  default_branch: string;
  branches?: string[];
  stargazers_count: number;
  collaborators: string[];
  labels: string[];
  /** Of the default branch. */
  checks: Check[];
  created_at: string;
  updated_at: string;
  issues: Issue[];
  pull_requests: PullRequest[];
};

export type Comment = { id: number; user: string; body: string; created_at: string };

export type Issue = {
  number: number;
  title: string;
  body: string;
  user: string;
  assignees: string[];
  labels: string[];
  state: "open" | "closed";
  state_reason: "completed" | "not_planned" | "reopened" | null;
  comments: Comment[];
  created_at: string;
  updated_at: string;
  closed_at: string | null;
};

export type Review = {
  id: number;
  user: string;
  state: "APPROVED" | "CHANGES_REQUESTED" | "COMMENTED" | "DISMISSED";
  body: string;
  submitted_at: string;
};

export type PullRequest = Issue & {
  head: string;
  base: string;
  draft: boolean;
  merged: boolean;
  merged_at: string | null;
  requested_reviewers: string[];
  reviews: Review[];
  additions: number;
  deletions: number;
  changed_files: number;
  files?: { filename: string; status: "added" | "modified" | "removed"; patch: string }[];
  checks: Check[];
};

/** A CI check of the newest commit of a branch. Without a conclusion, it runs. */
export type Check = { name: string; conclusion: "success" | "failure" | "neutral" | "cancelled" | "skipped" | null };

export function isPullRequest(issue: Issue | PullRequest): issue is PullRequest {
  return "head" in issue;
}

/**
 * The world of the Bitbucket stand-in: a seed with everything filled in. People are account ids, times are ISO 8601 in
 * UTC.
 */
export type BitbucketState = { accounts: Account[]; workspaces: Workspace[] };

export type Account = {
  account_id: string;
  uuid: string;
  display_name: string;
  nickname: string;
  email: string;
  created_on: string;
};

export type Workspace = {
  slug: string;
  uuid: string;
  name: string;
  members: string[];
  created_on: string;
  repositories: Repository[];
};

export type Repository = {
  slug: string;
  uuid: string;
  name: string;
  description: string;
  is_private: boolean;
  language: string;
  project: { key: string; name: string };
  mainbranch: string;
  branches: string[];
  created_on: string;
  updated_on: string;
  pull_requests: PullRequest[];
};

export const PULL_REQUEST_STATES = ["OPEN", "MERGED", "DECLINED", "SUPERSEDED"] as const;
type PullRequestState = (typeof PULL_REQUEST_STATES)[number];

export type PullRequest = {
  id: number;
  title: string;
  description: string;
  state: PullRequestState;
  author: string;
  source: string;
  destination: string;
  reviewers: string[];
  approved_by: string[];
  changes_requested_by: string[];
  closed_by: string | null;
  close_source_branch: boolean;
  comments: Comment[];
  created_on: string;
  updated_on: string;
};

export type Comment = {
  id: number;
  user: string;
  raw: string;
  created_on: string;
  inline?: { path: string; to?: number; from?: number | null };
  parent?: number;
};

import * as z from "zod/mini";

/** The GitHub part of a seed. Names are GitHub's own; everything that can be generated may be omitted. */

const text = z.string().check(z.minLength(1));
const optional = z.optional(text);
const login = z.string().check(z.regex(/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})$/, "a login has letters, digits and -"));
const name = z.string().check(z.regex(/^[A-Za-z0-9._-]+$/, "a repository has letters, digits, ., _ and -"));
const positive = z.optional(z.number().check(z.int(), z.gte(1)));

const User = z.strictObject({
  login,
  id: positive,
  name: text,
  email: text,
  bio: z.optional(z.string()),
  created_at: optional,
});

const Organization = z.strictObject({
  login,
  id: positive,
  name: optional,
  /** Its members; every account if omitted. */
  members: z.optional(z.array(text)),
});

const Comment = z.strictObject({ id: positive, user: text, body: z.string(), created_at: optional });

const Issue = z.strictObject({
  number: positive,
  title: text,
  body: z.optional(z.string()),
  user: text,
  assignees: z.optional(z.array(text)),
  labels: z.optional(z.array(text)),
  state: z.optional(z.enum(["open", "closed"])),
  state_reason: z.optional(z.nullable(z.enum(["completed", "not_planned", "reopened"]))),
  comments: z.optional(z.array(Comment)),
  created_at: optional,
  updated_at: optional,
  closed_at: z.optional(z.nullable(text)),
});

const Review = z.strictObject({
  id: positive,
  user: text,
  state: z.enum(["APPROVED", "CHANGES_REQUESTED", "COMMENTED", "DISMISSED"]),
  body: z.optional(z.string()),
  submitted_at: optional,
});

const checks = z.optional(
  z.array(
    z.strictObject({
      name: text,
      conclusion: z.nullable(z.enum(["success", "failure", "neutral", "cancelled", "skipped"])),
    }),
  ),
);

const PullRequest = z.strictObject({
  ...Issue.shape,
  head: text,
  base: optional,
  draft: z.optional(z.boolean()),
  merged: z.optional(z.boolean()),
  merged_at: z.optional(z.nullable(text)),
  requested_reviewers: z.optional(z.array(text)),
  reviews: z.optional(z.array(Review)),
  checks,
  additions: z.optional(z.number().check(z.int(), z.gte(0))),
  deletions: z.optional(z.number().check(z.int(), z.gte(0))),
  changed_files: z.optional(z.number().check(z.int(), z.gte(0))),
  /** The diff, where the seed has one. */
  files: z.optional(
    z.array(z.strictObject({ filename: text, status: z.enum(["added", "modified", "removed"]), patch: z.string() })),
  ),
});

const Repository = z.strictObject({
  owner: text,
  name,
  id: positive,
  private: z.optional(z.boolean()),
  archived: z.optional(z.boolean()),
  description: z.optional(z.string()),
  language: z.optional(z.string()),
  default_branch: optional,
  /** Branches besides those of pull requests. */
  branches: z.optional(z.array(text)),
  stargazers_count: z.optional(z.number().check(z.int(), z.gte(0))),
  /** Accounts that may write besides its owner. */
  collaborators: z.optional(z.array(text)),
  labels: z.optional(z.array(text)),
  checks,
  created_at: optional,
  updated_at: optional,
  issues: z.optional(z.array(Issue)),
  pull_requests: z.optional(z.array(PullRequest)),
});

export const GithubSeed = z.strictObject({
  users: z.array(User).check(z.minLength(1)),
  organizations: z.optional(z.array(Organization)),
  repositories: z.optional(z.array(Repository)),
});
export type GithubSeed = z.infer<typeof GithubSeed>;
export type RepositorySeed = z.infer<typeof Repository>;
export type IssueSeed = z.infer<typeof Issue>;
export type PullRequestSeed = z.infer<typeof PullRequest>;

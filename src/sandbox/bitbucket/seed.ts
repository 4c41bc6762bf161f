import * as z from "zod/mini";
import { PULL_REQUEST_STATES } from "./state.ts";

/** The Bitbucket part of a seed. Names are Bitbucket's own; everything that can be generated may be omitted. */

const text = z.string().check(z.minLength(1));
const optional = z.optional(text);
const slug = z.string().check(z.regex(/^[a-z0-9._-]+$/, "a slug has small letters, digits, ., _ and -"));

const Account = z.strictObject({
  account_id: text,
  uuid: optional,
  display_name: text,
  nickname: text,
  email: text,
  created_on: optional,
});

const Comment = z.strictObject({
  id: z.optional(z.number()),
  user: text,
  raw: text,
  created_on: optional,
  inline: z.optional(
    z.strictObject({ path: text, to: z.optional(z.number()), from: z.optional(z.nullable(z.number())) }),
  ),
  parent: z.optional(z.number()),
});

const PullRequest = z.strictObject({
  id: z.optional(z.number().check(z.int(), z.gte(1))),
  title: text,
  description: z.optional(z.string()),
  state: z.optional(z.enum(PULL_REQUEST_STATES)),
  author: text,
  source: text,
  destination: optional,
  reviewers: z.optional(z.array(text)),
  approved_by: z.optional(z.array(text)),
  changes_requested_by: z.optional(z.array(text)),
  closed_by: z.optional(z.nullable(text)),
  close_source_branch: z.optional(z.boolean()),
  comments: z.optional(z.array(Comment)),
  created_on: optional,
  updated_on: optional,
});

const Repository = z.strictObject({
  slug,
  uuid: optional,
  name: optional,
  description: z.optional(z.string()),
  is_private: z.optional(z.boolean()),
  language: z.optional(z.string()),
  project: z.optional(z.strictObject({ key: text, name: text })),
  mainbranch: optional,
  branches: z.optional(z.array(text)),
  created_on: optional,
  updated_on: optional,
  pull_requests: z.optional(z.array(PullRequest)),
});

const Workspace = z.strictObject({
  slug,
  uuid: optional,
  name: optional,
  /** Its members; every account if omitted. */
  members: z.optional(z.array(text)),
  created_on: optional,
  repositories: z.optional(z.array(Repository)),
});

export const BitbucketSeed = z.strictObject({
  accounts: z.array(Account).check(z.minLength(1)),
  workspaces: z.array(Workspace),
});
export type BitbucketSeed = z.infer<typeof BitbucketSeed>;
export type WorkspaceSeed = z.infer<typeof Workspace>;
export type RepositorySeed = z.infer<typeof Repository>;
export type PullRequestSeed = z.infer<typeof PullRequest>;

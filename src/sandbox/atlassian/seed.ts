import * as z from "zod/mini";
import { SandboxFile } from "../files.ts";

/**
 * The Atlassian part of a seed. Names are Jira's and Confluence's own; everything that can be generated may be omitted.
 */

const text = z.string().check(z.minLength(1));
const optional = z.optional(text);
/** An Atlassian document, or plain text that becomes one. */
const Rich = z.union([
  z.string(),
  z.looseObject({ type: z.literal("doc"), version: z.literal(1), content: z.array(z.unknown()) }),
]);

const Account = z.strictObject({
  accountId: text,
  displayName: text,
  emailAddress: text,
  timeZone: optional,
  active: z.optional(z.boolean()),
});

const Comment = z.strictObject({ id: optional, author: optional, body: Rich, created: optional, updated: optional });

const Worklog = z.strictObject({
  id: text,
  author: text,
  timeSpentSeconds: z.number().check(z.int(), z.gte(60)),
  started: text,
  comment: z.optional(Rich),
});

const Issue = z.strictObject({
  id: optional,
  key: z.string().check(z.regex(/^[A-Z][A-Z0-9_]+-[1-9]\d*$/, "a key looks like KAY-3")),
  summary: text,
  issuetype: optional,
  status: optional,
  priority: optional,
  assignee: z.optional(z.nullable(text)),
  reporter: optional,
  labels: z.optional(z.array(text)),
  /** Name of a sprint of the site. */
  sprint: optional,
  parent: z.optional(z.nullable(text)),
  duedate: z.optional(z.nullable(z.string().check(z.regex(/^\d{4}-\d\d-\d\d$/, "a day looks like 2026-01-31")))),
  description: z.optional(z.nullable(Rich)),
  comments: z.optional(z.array(Comment)),
  worklogs: z.optional(z.array(Worklog)),
  /** Links of which this is the inward issue, by the name of their type. */
  links: z.optional(z.array(z.strictObject({ id: text, type: text, to: text }))),
  attachments: z.optional(z.array(z.strictObject({ ...SandboxFile.shape, author: text, created: text }))),
  created: optional,
  updated: optional,
  resolutiondate: z.optional(z.nullable(text)),
});

const Workflow = z.strictObject({
  statuses: z
    .array(z.strictObject({ id: optional, name: text, statusCategory: z.enum(["new", "indeterminate", "done"]) }))
    .check(z.minLength(1)),
  transitions: z.array(z.strictObject({ id: optional, name: text, from: z.optional(z.array(text)), to: text })),
});

const Project = z.strictObject({
  id: optional,
  key: z.string().check(z.regex(/^[A-Z][A-Z0-9_]+$/, "a key looks like KAY")),
  name: text,
  description: z.optional(z.string()),
  lead: optional,
  issueTypes: z.optional(z.array(text).check(z.minLength(1))),
  workflow: z.optional(Workflow),
});

const Space = z.strictObject({ id: optional, key: text, name: text, description: z.optional(z.string()) });

/** Comments below a page are in storage format, as the page is. */
const PageComment = z.strictObject({ id: optional, author: optional, body: z.string(), created: optional });

const Page = z.strictObject({
  id: optional,
  space: text,
  title: text,
  /** Storage format (XHTML). */
  body: z.optional(z.string()),
  parent: z.optional(z.nullable(text)),
  author: optional,
  version: z.optional(z.number().check(z.int(), z.gte(1))),
  comments: z.optional(z.array(PageComment)),
  created: optional,
  updated: optional,
});

const Sprint = z.strictObject({ id: optional, name: text, state: z.enum(["active", "future", "closed"]) });

const Site = z.strictObject({
  id: optional,
  name: text,
  url: z.optional(z.string().check(z.regex(/^https?:\/\/[^/\s]+(\/[^\s]*)?$/, "a site's url is http: or https:"))),
  /** The most scopes that this site grants; all if omitted. */
  scopes: z.optional(z.array(text)),
  /** Accounts that can use it; all if omitted. */
  accounts: z.optional(z.array(text)),
  projects: z.optional(z.array(Project)),
  sprints: z.optional(z.array(Sprint)),
  issues: z.optional(z.array(Issue)),
  spaces: z.optional(z.array(Space)),
  pages: z.optional(z.array(Page)),
});

export const AtlassianSeed = z.strictObject({
  accounts: z.array(Account).check(z.minLength(1)),
  sites: z.array(Site),
});
export type AtlassianSeed = z.infer<typeof AtlassianSeed>;
export type SiteSeed = z.infer<typeof Site>;
export type ProjectSeed = z.infer<typeof Project>;
export type IssueSeed = z.infer<typeof Issue>;
export type PageSeed = z.infer<typeof Page>;

import { type Context, Hono } from "hono";
import { describeFile, readFormFiles } from "../../files.ts";
import type { ProviderContext } from "../../provider.ts";
import { getSiteUrl, requireScope, type SiteEnv } from "../gateway.ts";
import type { AtlassianState, IssueAttachment } from "../state.ts";
import { toAdf } from "./adf.ts";
import { registerCommentRoutes, registerTextCommentRoutes } from "./comments.ts";
import { jiraError, parseBody, sendNoEndpoint } from "./errors.ts";
import { findIssue, getNextNumber, touchIssue, toViewContext } from "./issue.ts";
import { createIssue, registerIssueRoutes } from "./issues.ts";
import { registerLinkRoutes } from "./links.ts";
import { registerProjectRoutes } from "./projects.ts";
import { ISSUE_TYPES, PRIORITIES } from "./schemes.ts";
import { registerSearchRoutes } from "./search.ts";
import { formatJiraTime, getFieldNames, toAttachmentView, toPriorityView, type ViewContext } from "./views.ts";

/**
 * The part of Jira Cloud's REST API, version 3, that an agent needs. Mounted behind the gateway at
 * `/ex/jira/{cloudid}/rest/api/3`.
 */
export function createJiraApp(provider: ProviderContext<AtlassianState>): Hono<SiteEnv> {
  const app = new Hono<SiteEnv>();
  app.get("/serverInfo", requireScope("read:jira-work"), (c) =>
    c.json({
      baseUrl: getSiteUrl(c.get("site"), c.req.raw),
      version: "1001.0.0-SNAPSHOT",
      versionNumbers: [1001, 0, 0],
      deploymentType: "Cloud",
      buildNumber: 100_290,
      serverTime: formatJiraTime(provider.timestamp()),
      serverTitle: "Jira",
      defaultLocale: { locale: "en_US" },
    }),
  );
  registerSearchRoutes(app, provider);
  registerProjectRoutes(app);
  registerFieldMetaRoutes(app);
  registerIssueRoutes(app, provider);
  registerCommentRoutes(app, provider);
  registerAttachmentRoutes(app, provider);
  registerLinkRoutes(app, provider);
  app.all("/*", sendNoEndpoint);
  return app;
}

/**
 * The part of version 2 that clients use to send text: issues and comments are written here and read in version 3. Text
 * is stored in paragraphs; wiki markup is not interpreted. Mounted at `/ex/jira/{cloudid}/rest/api/2`.
 */
export function createJiraTextApp(provider: ProviderContext<AtlassianState>): Hono<SiteEnv> {
  const app = new Hono<SiteEnv>();
  const toDocument = (text: unknown) => (typeof text === "string" ? toAdf(text) : text);
  app.post("/issue", requireScope("write:jira-work"), async (c) => {
    const body = await parseBody(c);
    const { description, ...fields } = (body.fields ?? {}) as Record<string, unknown>;
    const input = description === undefined ? fields : { ...fields, description: toDocument(description) };
    return c.json(createIssue(c, { ...body, fields: input }, provider), 201);
  });
  registerTextCommentRoutes(app, provider, toDocument);
  app.all("/*", sendNoEndpoint);
  return app;
}

/** Attachments of issues (developer.atlassian.com/cloud/jira/platform/rest/v3, group issue-attachments). */
function registerAttachmentRoutes(app: Hono<SiteEnv>, provider: ProviderContext<AtlassianState>): void {
  app.post("/issue/:key/attachments", requireScope("write:jira-work"), (c) => add(c, provider));
}

async function add(c: Context<SiteEnv>, provider: ProviderContext<AtlassianState>) {
  if (c.req.header("x-atlassian-token") !== "no-check") throw jiraError(403, ["XSRF check failed"]);
  const issue = findIssue(c);
  const files = await readFormFiles(c.req.raw, "file");
  if (files.length === 0) throw jiraError(400, ["No file was sent."]);
  const ids = c.get("site").issues.flatMap(({ attachments = [] }) => attachments.map(({ id }) => Number(id)));
  const first = getNextNumber(ids, 30_000);
  const timestamp = provider.timestamp();
  const newAttachments = files.map(
    ({ filename, mimeType, bytes }, index): IssueAttachment => ({
      ...describeFile(String(first + index), filename, mimeType, bytes),
      author: c.get("account").accountId,
      created: timestamp,
    }),
  );
  issue.attachments = [...(issue.attachments ?? []), ...newAttachments];
  touchIssue(issue, provider);
  return c.json(newAttachments.map((attachment) => toAttachmentView(toViewContext(c), attachment)));
}

const TYPES: Record<string, { type: string; items?: string }> = {
  summary: { type: "string" },
  description: { type: "string" },
  priority: { type: "priority" },
  assignee: { type: "user" },
  reporter: { type: "user" },
  labels: { type: "array", items: "string" },
  duedate: { type: "date" },
  parent: { type: "issuelink" },
};

/**
 * The fields of an issue's forms (developer.atlassian.com/cloud/jira/platform/rest/v3, "Get create field metadata" and
 * "Get edit issue metadata").
 */
function registerFieldMetaRoutes(app: Hono<SiteEnv>): void {
  const read = requireScope("read:jira-work");
  app.get("/issue/createmeta/:key/issuetypes/:type", read, (c) => {
    const type = ISSUE_TYPES.find(({ id }) => id === c.req.param("type"));
    const fields = type ? listFields(toViewContext(c)) : [];
    return c.json({ startAt: 0, maxResults: 50, total: fields.length, fields });
  });
  app.get("/issue/:key/editmeta", read, (c) => {
    findIssue(c);
    const fields = listFields(toViewContext(c)).map((field) => [field.fieldId, field]);
    return c.json({ fields: Object.fromEntries(fields) });
  });
}

function listFields(view: ViewContext) {
  const names = getFieldNames(Object.keys(TYPES));
  return Object.entries(TYPES).map(([id, schema]) => ({
    required: id === "summary",
    schema: { ...schema, system: id },
    name: names[id] ?? id,
    key: id,
    fieldId: id,
    hasDefaultValue: id === "priority",
    operations: schema.type === "array" ? ["add", "set", "remove"] : ["set"],
    ...(id === "priority" ? { allowedValues: PRIORITIES.map(({ name }) => toPriorityView(view, name)) } : {}),
  }));
}

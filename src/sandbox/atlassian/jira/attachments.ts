import type { Context, Hono } from "hono";
import { describeFile, readFormFiles } from "../../files.ts";
import type { ProviderContext } from "../../provider.ts";
import { requireScope, type SiteEnv } from "../gateway.ts";
import type { AtlassianState, IssueAttachment } from "../state.ts";
import { JiraError } from "./errors.ts";
import { findIssue, getNextNumber, touchIssue, toViewContext } from "./issue.ts";
import { toAttachmentView } from "./views.ts";

/** Attachments of issues (developer.atlassian.com/cloud/jira/platform/rest/v3, group issue-attachments). */
export function registerAttachmentRoutes(app: Hono<SiteEnv>, provider: ProviderContext<AtlassianState>): void {
  app.post("/issue/:key/attachments", requireScope("write:jira-work"), (c) => add(c, provider));
}

async function add(c: Context<SiteEnv>, provider: ProviderContext<AtlassianState>) {
  if (c.req.header("x-atlassian-token") !== "no-check") throw new JiraError(403, ["XSRF check failed"]);
  const issue = findIssue(c);
  const files = await readFormFiles(c.req.raw, "file");
  if (files.length === 0) throw new JiraError(400, ["No file was sent."]);
  const taken = c.get("site").issues.flatMap(({ attachments = [] }) => attachments.map(({ id }) => Number(id)));
  const first = getNextNumber(taken, 30_000);
  const created = new Date(provider.now()).toISOString();
  const added = files.map(
    ({ filename, mimeType, bytes }, index): IssueAttachment => ({
      ...describeFile(String(first + index), filename, mimeType, bytes),
      author: c.get("account").accountId,
      created,
    }),
  );
  issue.attachments = [...(issue.attachments ?? []), ...added];
  touchIssue(issue, provider);
  return c.json(added.map((one) => toAttachmentView(toViewContext(c, provider), one)));
}

import { Hono } from "hono";
import type { ProviderContext } from "../../provider.ts";
import { getSiteUrl, requireScope, type SiteEnv } from "../gateway.ts";
import type { AtlassianState } from "../state.ts";
import { toAdf } from "./adf.ts";
import { registerAttachmentRoutes } from "./attachments.ts";
import { registerCommentRoutes, registerTextCommentRoutes } from "./comments.ts";
import { handleErrors, parseBody, sendNoEndpoint } from "./errors.ts";
import { registerFieldMetaRoutes } from "./field-meta.ts";
import { createIssue, registerIssueRoutes } from "./issues.ts";
import { registerProjectRoutes } from "./projects.ts";
import { registerSearchRoutes } from "./search.ts";
import { formatJiraTime } from "./views.ts";

/**
 * The part of Jira Cloud's REST API, version 3, that an agent needs. Mounted behind the gateway at
 * `/ex/jira/{cloudid}/rest/api/3`.
 */
export function createJiraApp(provider: ProviderContext<AtlassianState>): Hono<SiteEnv> {
  const app = new Hono<SiteEnv>();
  app.onError(handleErrors);
  app.get("/serverInfo", requireScope("read:jira-work"), (c) =>
    c.json({
      baseUrl: getSiteUrl(c.get("site"), c.req.raw),
      version: "1001.0.0-SNAPSHOT",
      versionNumbers: [1001, 0, 0],
      deploymentType: "Cloud",
      buildNumber: 100_290,
      serverTime: formatJiraTime(new Date(provider.now()).toISOString()),
      serverTitle: "Jira",
      defaultLocale: { locale: "en_US" },
    }),
  );
  registerSearchRoutes(app, provider);
  registerProjectRoutes(app, provider);
  registerFieldMetaRoutes(app, provider);
  registerIssueRoutes(app, provider);
  registerCommentRoutes(app, provider);
  registerAttachmentRoutes(app, provider);
  app.all("/*", sendNoEndpoint);
  return app;
}

/**
 * The part of version 2 that clients use to send text: issues and comments are written here and read in version 3. Text
 * is stored in paragraphs; wiki markup is not interpreted. Mounted at `/ex/jira/{cloudid}/rest/api/2`.
 */
export function createJiraTextApp(provider: ProviderContext<AtlassianState>): Hono<SiteEnv> {
  const app = new Hono<SiteEnv>();
  app.onError(handleErrors);
  const toDocument = (text: unknown) => (typeof text === "string" ? toAdf(text) : text);
  app.post("/issue", requireScope("write:jira-work"), async (c) => {
    const body = await parseBody(c);
    const { description, ...fields } = (body.fields ?? {}) as Record<string, unknown>;
    const written = description === undefined ? fields : { ...fields, description: toDocument(description) };
    return c.json(createIssue(c, { ...body, fields: written }, provider), 201);
  });
  registerTextCommentRoutes(app, provider, toDocument);
  app.all("/*", sendNoEndpoint);
  return app;
}

import { Hono } from "hono";
import type { Place } from "../../provider.ts";
import { needs, type SiteEnv, siteUrl } from "../gateway.ts";
import type { AtlassianWorld } from "../world.ts";
import { toAdf } from "./adf.ts";
import { commentRoutes, textCommentRoutes } from "./comments.ts";
import { bodyOf, noEndpoint, refusals } from "./errors.ts";
import { created, issueRoutes } from "./issues.ts";
import { projectRoutes } from "./projects.ts";
import { searchRoutes } from "./search.ts";
import { jiraTime } from "./views.ts";

/** Jira Cloud's REST API, version 3, as far as an agent needs it. Mounted behind the gateway at `/ex/jira/{cloudid}/rest/api/3`. */
export function jira(place: Place<AtlassianWorld>): Hono<SiteEnv> {
  const app = new Hono<SiteEnv>();
  app.onError(refusals);
  app.get("/serverInfo", needs("read:jira-work"), (c) =>
    c.json({
      baseUrl: siteUrl(c.get("site"), c.req.raw),
      version: "1001.0.0-SNAPSHOT",
      versionNumbers: [1001, 0, 0],
      deploymentType: "Cloud",
      buildNumber: 100_290,
      serverTime: jiraTime(new Date(place.now()).toISOString()),
      serverTitle: "Jira",
      defaultLocale: { locale: "en_US" },
    }),
  );
  searchRoutes(app, place);
  projectRoutes(app, place);
  issueRoutes(app, place);
  commentRoutes(app, place);
  app.all("/*", noEndpoint);
  return app;
}

/**
 * Version 2, as far as clients of version 3 send text by it: issues and comments are written, and read in version 3. Text is kept as it is,
 * in paragraphs; wiki markup is not understood. Mounted at `/ex/jira/{cloudid}/rest/api/2`.
 */
export function jiraText(place: Place<AtlassianWorld>): Hono<SiteEnv> {
  const app = new Hono<SiteEnv>();
  app.onError(refusals);
  const document = (text: unknown) => (typeof text === "string" ? toAdf(text) : text);
  app.post("/issue", needs("write:jira-work"), async (c) => {
    const body = await bodyOf(c);
    const { description, ...fields } = (body.fields ?? {}) as Record<string, unknown>;
    const written = description === undefined ? fields : { ...fields, description: document(description) };
    return c.json(created(c, { ...body, fields: written }, place), 201);
  });
  textCommentRoutes(app, place, document);
  app.all("/*", noEndpoint);
  return app;
}

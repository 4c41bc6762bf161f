import { Hono } from "hono";
import type { Place } from "../../provider.ts";
import { needs, type SiteEnv, siteUrl } from "../gateway.ts";
import type { AtlassianWorld } from "../world.ts";
import { noEndpoint, refusals } from "./errors.ts";
import { issueRoutes } from "./issues.ts";
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
  app.all("/*", noEndpoint);
  return app;
}

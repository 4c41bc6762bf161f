import { Hono } from "hono";
import type { ProviderContext } from "../../provider.ts";
import type { SiteEnv } from "../gateway.ts";
import type { AtlassianState } from "../state.ts";
import { registerCommentRoutes } from "./comments.ts";
import { handleErrors, notFoundError } from "./errors.ts";
import { registerPageRoutes } from "./pages.ts";
import { registerSearchRoutes } from "./search.ts";

/** Confluence Cloud: REST API v2 for pages, their comments and spaces, v1 for search. Mounted behind the gateway at `/ex/confluence/{cloudid}/wiki`. */
export function createConfluenceApp(provider: ProviderContext<AtlassianState>): Hono<SiteEnv> {
  const app = new Hono<SiteEnv>();
  const [v1, v2] = [new Hono<SiteEnv>(), new Hono<SiteEnv>()];
  registerSearchRoutes(v1, provider);
  registerPageRoutes(v2, provider);
  registerCommentRoutes(v2, provider);
  app.onError(handleErrors);
  app.route("/rest/api", v1);
  app.route("/api/v2", v2);
  app.all("/*", () => {
    throw notFoundError("Not Found");
  });
  return app;
}

import { Hono } from "hono";
import type { Place } from "../../provider.ts";
import type { SiteEnv } from "../gateway.ts";
import type { AtlassianWorld } from "../world.ts";
import { commentRoutes } from "./comments.ts";
import { notFound, refusals } from "./errors.ts";
import { pageRoutes } from "./pages.ts";
import { searchRoutes } from "./search.ts";

/** Confluence Cloud: REST API v2 for pages, their comments and spaces, v1 for search. Mounted behind the gateway at `/ex/confluence/{cloudid}/wiki`. */
export function confluence(place: Place<AtlassianWorld>): Hono<SiteEnv> {
  const app = new Hono<SiteEnv>();
  const [v1, v2] = [new Hono<SiteEnv>(), new Hono<SiteEnv>()];
  searchRoutes(v1, place);
  pageRoutes(v2, place);
  commentRoutes(v2, place);
  app.onError(refusals);
  app.route("/rest/api", v1);
  app.route("/api/v2", v2);
  app.all("/*", () => {
    throw notFound("Not Found");
  });
  return app;
}

import { Hono } from "hono";
import type { OAuthTraits, Provider } from "../provider.ts";
import { CAPABILITIES, type NotionEnv, needs, paged, signedIn } from "./access.ts";
import { blockRoutes } from "./blocks.ts";
import { browse } from "./browse.ts";
import { buildNotion } from "./build.ts";
import { BUILT_IN } from "./builtin.ts";
import { commentRoutes } from "./comments.ts";
import { dataSourceRoutes } from "./data-sources.ts";
import { invalid, NotionRefusal, notFound, refusals } from "./errors.ts";
import { pageRoutes } from "./pages.ts";
import { searchRoutes } from "./search.ts";
import { NotionSeed } from "./seed.ts";
import { botId, botView, userView } from "./views.ts";
import type { NotionWorld } from "./world.ts";

/**
 * OAuth 2.0 at Notion (developers.notion.com/docs/authorization). Answers name no end of the access token; each refresh gives a new refresh
 * token. Here an access token lives a day.
 */
const oauth: OAuthTraits = {
  authorizePath: "/v1/oauth/authorize",
  tokenPath: "/v1/oauth/token",
  subject: () => "Notion",
  scopes: CAPABILITIES,
  fixed: { owner: "user" },
  accessSeconds: 86_400,
  refresh: "rotating",
  answer: ({ account, access, refresh }) => ({
    access_token: access,
    token_type: "bearer",
    ...(refresh === undefined ? {} : { refresh_token: refresh }),
    bot_id: botId(account),
    workspace_icon: null,
    owner: { type: "user", user: { object: "user", id: account } },
    duplicated_template_id: null,
  }),
  errors: {
    client: { status: 401, body: { error: "invalid_client", error_description: "Client authentication failed." } },
    code: { status: 400, body: { error: "invalid_grant", error_description: "Invalid code." } },
    refresh: { status: 400, body: { error: "invalid_grant", error_description: "Invalid refresh token." } },
    grant_type: {
      status: 400,
      body: { error: "unsupported_grant_type", error_description: "Unsupported grant type." },
    },
    request: { status: 400, body: { error: "invalid_request", error_description: "Error parsing JSON body." } },
  },
};

/** Stand-in for api.notion.com and the pages of notion.so, on one origin. */
export const notion: Provider<NotionWorld> = {
  name: "notion",
  title: "Notion",
  oauth,
  seed: NotionSeed,
  builtIn: BUILT_IN,
  build: (seed, now) => buildNotion(seed as NotionSeed, now),
  accounts: (world) => world.users,
  routes(app, place) {
    const v1 = new Hono<NotionEnv>();
    v1.onError(refusals);
    v1.use(signedIn(place));
    userRoutes(v1);
    searchRoutes(v1);
    pageRoutes(v1, place);
    blockRoutes(v1, place);
    dataSourceRoutes(v1);
    commentRoutes(v1, place);
    v1.all("/*", () => {
      throw new NotionRefusal(400, "invalid_request_url", "Invalid request URL.");
    });
    app.route("/v1", v1);
    browse(app, place);
  },
};

/** People (developers.notion.com/reference/user). */
function userRoutes(app: Hono<NotionEnv>): void {
  app.get("/users/me", (c) => c.json(botView(c.get("world"), c.get("user"))));
  app.get("/users", needs("read_users"), (c) => {
    const { users } = c.get("world");
    const views = [...users.map(userView), botView(c.get("world"), c.get("user"))];
    return c.json({ ...paged(views, c.req.query("page_size"), c.req.query("start_cursor")), type: "user", user: {} });
  });
  app.get("/users/:id", needs("read_users"), (c) => {
    const id = c.req.param("id");
    if (!/^[0-9a-f-]{32,36}$/.test(id)) throw invalid("path failed validation: path.user_id should be a valid uuid.");
    const user = c.get("world").users.find((one) => one.id === id);
    if (!user) throw notFound("user", id);
    return c.json(userView(user));
  });
}

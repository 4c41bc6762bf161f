import { type Context, Hono } from "hono";
import { toRecord } from "#protocol/json";
import { toOAuthError } from "../oauth/token.ts";
import type { OAuthTraits, Provider, ProviderContext } from "../provider.ts";
import {
  CAPABILITIES,
  createId,
  findPage,
  getEntry,
  type NotionEnv,
  paginate,
  parseBody,
  requireCapability,
  requireToken,
  requireVersion,
} from "./access.ts";
import { registerBlockRoutes } from "./blocks.ts";
import { buildNotion } from "./build.ts";
import { registerDataSourceRoutes } from "./data-sources.ts";
import { DEFAULT_SEED } from "./default-seed.ts";
import { invalidError, notFoundError, notionError } from "./errors.ts";
import { checkRichText } from "./limits.ts";
import { registerPageRoutes } from "./pages.ts";
import { NotionSeed } from "./seed.ts";
import type { NotionState } from "./state.ts";
import { toPlainText } from "./values.ts";
import { getBotId, getTitle, toBotView, toCommentView, toDataSourceView, toPageView, toUserView } from "./views.ts";
import { registerWebPages } from "./web-pages.ts";

/**
 * OAuth 2.0 at Notion (developers.notion.com/docs/authorization). Responses do not say when the access token expires;
 * each refresh returns a new refresh token. Here, an access token is valid for a day.
 */
const oauth: OAuthTraits = {
  authorizePath: "/v1/oauth/authorize",
  tokenPath: "/v1/oauth/token",
  subject: () => "Notion",
  scopes: CAPABILITIES,
  fixed: { owner: "user" },
  accessSeconds: 86_400,
  refresh: "rotating",
  revocation: { path: "/v1/oauth/revoke", covers: "consent" },
  answer: ({ account, access, refresh }) => ({
    access_token: access,
    token_type: "bearer",
    ...(refresh === undefined ? {} : { refresh_token: refresh }),
    bot_id: getBotId(account),
    workspace_icon: null,
    owner: { type: "user", user: { object: "user", id: account } },
    duplicated_template_id: null,
  }),
  errors: {
    client: toOAuthError(401, "invalid_client", "Client authentication failed."),
    code: toOAuthError(400, "invalid_grant", "Invalid code."),
    refresh: toOAuthError(400, "invalid_grant", "Invalid refresh token."),
    grant_type: toOAuthError(400, "unsupported_grant_type", "Unsupported grant type."),
    request: toOAuthError(400, "invalid_request", "Error parsing JSON body."),
  },
};

/** Stand-in for api.notion.com and the pages of notion.so, on one origin. */
export const notion: Provider<NotionState> = {
  name: "notion",
  title: "Notion",
  oauth,
  seed: NotionSeed,
  builtIn: DEFAULT_SEED,
  build: (seed, now) => buildNotion(seed as NotionSeed, now),
  accounts: (world) => world.users,
  routes(app, provider) {
    const v1 = new Hono<NotionEnv>();
    v1.use(requireToken(provider), requireVersion);
    registerUserRoutes(v1);
    registerSearchRoutes(v1);
    registerPageRoutes(v1, provider);
    registerBlockRoutes(v1, provider);
    registerDataSourceRoutes(v1);
    registerCommentRoutes(v1, provider);
    v1.all("/*", () => {
      throw notionError(400, "invalid_request_url", "Invalid request URL.");
    });
    app.route("/v1", v1);
    registerWebPages(app, provider);
  },
};

/** People (developers.notion.com/reference/user). */
function registerUserRoutes(app: Hono<NotionEnv>): void {
  app.get("/users/me", (c) => c.json(toBotView(c.get("world"), c.get("account"))));
  app.get("/users", requireCapability("read_users"), (c) => {
    const { users } = c.get("world");
    const views = [...users.map(toUserView), toBotView(c.get("world"), c.get("account"))];
    return c.json({
      ...paginate(views, c.req.query("page_size"), c.req.query("start_cursor")),
      type: "user",
      user: {},
    });
  });
  app.get("/users/:id", requireCapability("read_users"), (c) => {
    const id = c.req.param("id");
    if (!/^[0-9a-f-]{32,36}$/.test(id))
      throw invalidError("path failed validation: path.user_id should be a valid uuid.");
    const user = c.get("world").users.find((user) => user.id === id);
    if (!user) throw notFoundError("user", id);
    return c.json(toUserView(user));
  });
}

/** Search by title (developers.notion.com/reference/post-search): every word must occur; last changed first. */
function registerSearchRoutes(app: Hono<NotionEnv>): void {
  app.post("/search", requireCapability("read_content"), (c) => search(c));
}

async function search(c: Context<NotionEnv>) {
  const body = await parseBody(c);
  const { pages, databases } = c.get("world");
  const { property, value } = toRecord(body.filter);
  if (body.filter !== undefined && (property !== "object" || !["page", "data_source"].includes(String(value)))) {
    throw invalidError('body failed validation: body.filter.value should be `"page"` or `"data_source"`.');
  }
  const words = String(body.query ?? "")
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean);
  const matches = (title: string) => words.every((word) => title.toLowerCase().includes(word));
  const results = [
    ...pages.map((page) => ({ title: page.title, entry: page, view: () => toPageView(c, { page }) })),
    ...databases.flatMap((database) =>
      database.rows.map((row) => ({
        title: getTitle({ row, database }),
        entry: row,
        view: () => toPageView(c, { row, database }),
      })),
    ),
  ].filter(({ title, entry }) => !entry.in_trash && matches(title));
  const sources = databases
    .filter(({ title }) => matches(title))
    .map((database) => ({ entry: database, view: () => toDataSourceView(c, database) }));
  const candidates = [...(value === "data_source" ? [] : results), ...(value === "page" ? [] : sources)];
  const direction = toRecord(body.sort).direction === "ascending" ? 1 : -1;
  candidates.sort((a, b) => direction * a.entry.last_edited_time.localeCompare(b.entry.last_edited_time));
  const views = candidates.map(({ view }) => view());
  return c.json({
    ...paginate(views, body.page_size, body.start_cursor),
    type: "page_or_data_source",
    page_or_data_source: {},
  });
}

/** Comments on pages (developers.notion.com/reference/comment-object). */
function registerCommentRoutes(app: Hono<NotionEnv>, provider: ProviderContext<NotionState>): void {
  app.get("/comments", requireCapability("read_comments"), (c) => {
    const entry = getEntry(findPage(c.get("world"), c.req.query("block_id") ?? ""));
    const views = entry.comments.map((comment) => toCommentView(comment, entry.id));
    return c.json({
      ...paginate(views, c.req.query("page_size"), c.req.query("start_cursor")),
      type: "comment",
      comment: {},
    });
  });
  app.post("/comments", requireCapability("insert_comments"), (c) => create(c, provider));
}

async function create(c: Context<NotionEnv>, provider: ProviderContext<NotionState>) {
  const body = await parseBody(c);
  const { page_id } = toRecord(body.parent);
  if (page_id === undefined)
    throw invalidError("body failed validation: body.parent.page_id should be defined, instead was `undefined`.");
  checkRichText(body.rich_text, "body.rich_text");
  const entry = getEntry(findPage(c.get("world"), String(page_id)));
  const text = toPlainText(body.rich_text);
  const comment = {
    id: createId(provider),
    author: c.get("account").id,
    text,
    created_time: provider.timestamp(),
  };
  entry.comments.push(comment);
  provider.save();
  return c.json(toCommentView(comment, entry.id));
}

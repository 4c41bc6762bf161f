import { type Context, Hono } from "hono";
import { html } from "hono/html";
import type { ApiError } from "../api.ts";
import { getAvatarUrl } from "../files.ts";
import { toOAuthError, toTokenBody } from "../oauth/token.ts";
import type { OAuthTraits, Provider, ProviderContext, SandboxEnv } from "../provider.ts";
import { renderEntry, renderFacts, sendWebPage } from "../web-page.ts";
import {
  findPost,
  type LinkedinEnv,
  linkedinError,
  parseBody,
  requireScope,
  requireSelf,
  requireToken,
  requireVersion,
  SCOPES,
} from "./access.ts";
import { buildLinkedin, createNextId } from "./build.ts";
import { parseLittle, registerPostRoutes } from "./posts.ts";
import { DEFAULT_SEED, LinkedinSeed } from "./seed.ts";
import { type Comment, type LinkedinState, type Post, REACTIONS } from "./state.ts";

const ACCESS_SECONDS = 60 * 86_400;

/**
 * OAuth at LinkedIn (learn.microsoft.com/en-us/linkedin/shared/authentication/authorization-code-flow): 60 days and no
 * refresh token.
 */
const oauth: OAuthTraits = {
  authorizePath: "/oauth/v2/authorization",
  tokenPath: "/oauth/v2/accessToken",
  subject: () => "LinkedIn",
  scopes: SCOPES,
  accessSeconds: ACCESS_SECONDS,
  refresh: "none",
  answer: (tokens) => ({ ...toTokenBody(tokens), scope: tokens.scopes.join(",") }),
  errors: {
    client: toOAuthError(401, "invalid_client", "Client authentication failed"),
    code: toOAuthError(
      400,
      "invalid_request",
      "Unable to retrieve access token: appid/redirect uri/code verifier does not match authorization code. Or authorization code expired.",
    ),
    refresh: toOAuthError(400, "invalid_request", "The provided authorization grant or refresh token is invalid"),
    grant_type: toOAuthError(400, "invalid_request", "The grant_type is not supported"),
    request: toOAuthError(400, "invalid_request", "The request body cannot be read"),
  },
};

/** Stand-in for www.linkedin.com and api.linkedin.com, on one origin. */
export const linkedin: Provider<LinkedinState> = {
  name: "linkedin",
  title: "LinkedIn",
  oauth,
  seed: LinkedinSeed,
  builtIn: DEFAULT_SEED,
  build: (seed, now) => buildLinkedin(seed as LinkedinSeed, now),
  accounts: (world) =>
    world.members.map(({ sub, given_name, family_name, email }) => ({
      id: sub,
      name: `${given_name} ${family_name}`.trim(),
      email,
    })),
  routes(app, provider) {
    registerWebPages(app, provider);
    const api = new Hono<LinkedinEnv>();
    for (const path of ["/v2/*", "/rest/*"]) api.use(path, requireToken(provider));
    api.use("/rest/*", requireVersion(provider));
    api.get("/v2/userinfo", (c) => {
      requireScope(c, "openid", "userinfo.GET");
      const { sub, given_name, family_name, email, locale } = c.get("account");
      const { scopes } = c.get("grant");
      const name = `${given_name} ${family_name}`.trim();
      return c.json({
        sub,
        ...(scopes.includes("profile")
          ? { name, given_name, family_name, locale, picture: getAvatarUrl(c.req.raw, name) }
          : {}),
        ...(scopes.includes("email") ? { email, email_verified: true } : {}),
      });
    });
    registerPostRoutes(api, provider);
    registerSocialRoutes(api, provider);
    for (const path of ["/v2/*", "/rest/*"]) {
      api.all(path, (c) => {
        throw linkedinError(404, "RESOURCE_NOT_FOUND", `No virtual resource found for ${c.req.path}`);
      });
    }
    app.route("/", api);
  },
};

/** Read-only page that links lead to: `/feed/update/<urn>/`. */
function registerWebPages(app: Hono<SandboxEnv>, provider: ProviderContext<LinkedinState>): void {
  app.get("/feed/update/:urn/", (c) => {
    const { members, posts } = provider.world();
    const post = posts.find(({ id }) => id === c.req.param("urn"));
    if (!post) return c.notFound();
    const getMemberName = (sub: string) => {
      const member = members.find((member) => member.sub === sub);
      return member ? `${member.given_name} ${member.family_name}`.trim() : "Unknown member";
    };
    const facts = {
      Posted: post.publishedAt.slice(0, 10),
      "Seen by": post.visibility === "CONNECTIONS" ? "connections" : "everyone",
      Link: post.article ? `${post.article.title} (${post.article.source})` : "none",
      Reactions:
        post.reactions.map(({ actor, reactionType }) => `${getMemberName(actor)}: ${reactionType}`).join(", ") ||
        "none",
    };
    const comments = post.comments.map(({ actor, text, created }) =>
      renderEntry(`${getMemberName(actor)}, ${created.slice(0, 10)}`, text),
    );
    const content = html`<article>${parseLittle(post.commentary)}</article>${renderFacts(facts)}${comments}`;
    return sendWebPage(c, `A post of ${getMemberName(post.author)}`, content);
  });
}

/** Longest text of a comment. */
const COMMENT = 1_250;

/**
 * Comments and reactions (learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/comments-api and
 * …/reactions-api).
 */
function registerSocialRoutes(app: Hono<LinkedinEnv>, provider: ProviderContext<LinkedinState>): void {
  app.get("/rest/socialActions/:urn/comments", (c) => {
    requireScope(c, "r_member_social", "partnerApiSocialActions.GET");
    const post = findPost(c, c.req.param("urn"));
    return c.json({
      paging: { start: 0, count: 10, links: [] },
      elements: post.comments.map((comment) => toCommentView(post, comment)),
    });
  });
  app.post("/rest/socialActions/:urn/comments", (c) => addComment(c, provider));
  app.post("/rest/reactions", (c) => react(c, provider));
}

async function addComment(c: Context<LinkedinEnv>, provider: ProviderContext<LinkedinState>) {
  requireScope(c, "w_member_social", "partnerApiSocialActions.CREATE");
  const post = findPost(c, c.req.param("urn") ?? "");
  const body = await parseBody(c);
  requireSelf(c, body.actor, "actor");
  const text = (body.message as { text?: unknown } | undefined)?.text;
  if (typeof text !== "string" || text.trim() === "") throw invalid("message :: text is required");
  if (text.length > COMMENT) throw invalid(`message/text :: length ${text.length} is more than ${COMMENT}`);
  const comment: Comment = {
    id: createNextId(c.get("world")),
    actor: c.get("account").sub,
    text,
    created: provider.timestamp(),
  };
  post.comments.push(comment);
  provider.save();
  return c.json(toCommentView(post, comment), 201, { "x-restli-id": comment.id });
}

async function react(c: Context<LinkedinEnv>, provider: ProviderContext<LinkedinState>) {
  requireScope(c, "w_member_social", "partnerApiReactions.CREATE");
  requireSelf(c, c.req.query("actor"), "actor");
  const body = await parseBody(c);
  const post = findPost(c, String(body.root ?? ""));
  const reactionType = REACTIONS.find((reactionType) => reactionType === body.reactionType);
  if (!reactionType) throw invalid(`reactionType :: "${String(body.reactionType)}" is not a reaction`);
  const actor = c.get("account").sub;
  if (post.reactions.some((reaction) => reaction.actor === actor)) {
    throw linkedinError(409, "CONFLICT", `The member has already reacted to ${post.id}`);
  }
  post.reactions.push({ actor, reactionType });
  provider.save();
  const person = `urn:li:person:${actor}`;
  const id = `urn:li:reaction:(${person},${post.id})`;
  return c.json({ id, reactionType, root: post.id, created: { actor: person, time: provider.now() } }, 201, {
    "x-restli-id": id,
  });
}

function toCommentView(post: Post, { id, actor, text, created }: Comment) {
  const person = `urn:li:person:${actor}`;
  const time = Date.parse(created);
  return {
    id,
    commentUrn: `urn:li:comment:(${post.id},${id})`,
    actor: person,
    object: post.id,
    message: { attributes: [], text },
    created: { actor: person, time },
    lastModified: { actor: person, time },
  };
}

function invalid(message: string): ApiError {
  return linkedinError(422, "UNPROCESSABLE_ENTITY", message);
}

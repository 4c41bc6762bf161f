import { Hono } from "hono";
import { avatarUrl } from "../pictures.ts";
import type { OAuthTraits, Provider } from "../provider.ts";
import { type LinkedinEnv, need, SCOPES, signedIn, versioned } from "./access.ts";
import { browse } from "./browse.ts";
import { buildLinkedin } from "./build.ts";
import { BUILT_IN } from "./builtin.ts";
import { LinkedinRefusal, refusals } from "./errors.ts";
import { postRoutes } from "./posts.ts";
import { LinkedinSeed } from "./seed.ts";
import { socialRoutes } from "./social.ts";
import type { LinkedinWorld } from "./world.ts";

/** Sixty days. */
const ACCESS_SECONDS = 5_184_000;

/** OAuth at LinkedIn (learn.microsoft.com/en-us/linkedin/shared/authentication/authorization-code-flow): 60 days and no refresh token. */
const oauth: OAuthTraits = {
  authorizePath: "/oauth/v2/authorization",
  tokenPath: "/oauth/v2/accessToken",
  subject: () => "LinkedIn",
  scopes: SCOPES,
  fixed: {},
  accessSeconds: ACCESS_SECONDS,
  refresh: "none",
  answer: ({ access, scopes, expiresIn }) => ({
    access_token: access,
    expires_in: expiresIn,
    scope: scopes.join(","),
    token_type: "Bearer",
  }),
  errors: {
    client: { status: 401, body: { error: "invalid_client", error_description: "Client authentication failed" } },
    code: {
      status: 400,
      body: {
        error: "invalid_request",
        error_description:
          "Unable to retrieve access token: appid/redirect uri/code verifier does not match authorization code. Or authorization code expired.",
      },
    },
    refresh: {
      status: 400,
      body: {
        error: "invalid_request",
        error_description: "The provided authorization grant or refresh token is invalid",
      },
    },
    grant_type: {
      status: 400,
      body: { error: "invalid_request", error_description: "The grant_type is not supported" },
    },
    request: { status: 400, body: { error: "invalid_request", error_description: "The request body cannot be read" } },
  },
};

/** Stand-in for www.linkedin.com and api.linkedin.com, on one origin. */
export const linkedin: Provider<LinkedinWorld> = {
  name: "linkedin",
  title: "LinkedIn",
  oauth,
  seed: LinkedinSeed,
  builtIn: BUILT_IN,
  build: (seed, now) => buildLinkedin(seed as LinkedinSeed, now),
  accounts: (world) =>
    world.members.map(({ sub, given_name, family_name, email }) => ({
      id: sub,
      name: `${given_name} ${family_name}`.trim(),
      email,
    })),
  routes(app, place) {
    browse(app, place);
    const api = new Hono<LinkedinEnv>();
    api.onError(refusals);
    for (const path of ["/v2/*", "/rest/*"]) api.use(path, signedIn(place));
    api.use("/rest/*", versioned(place));
    api.get("/v2/userinfo", (c) => {
      need(c, "openid", "userinfo.GET");
      const { sub, given_name, family_name, email, locale } = c.get("member");
      const { scopes } = c.get("grant");
      const name = `${given_name} ${family_name}`.trim();
      return c.json({
        sub,
        ...(scopes.includes("profile")
          ? { name, given_name, family_name, locale, picture: avatarUrl(c.req.raw, name) }
          : {}),
        ...(scopes.includes("email") ? { email, email_verified: true } : {}),
      });
    });
    postRoutes(api, place);
    socialRoutes(api, place);
    for (const path of ["/v2/*", "/rest/*"]) {
      api.all(path, (c) => {
        throw new LinkedinRefusal(404, "RESOURCE_NOT_FOUND", `No virtual resource found for ${c.req.path}`);
      });
    }
    app.route("/", api);
  },
};

import { Hono } from "hono";
import { getAvatarUrl } from "../pictures.ts";
import type { OAuthTraits, Provider } from "../provider.ts";
import { type LinkedinEnv, requireScope, requireToken, requireVersion, SCOPES } from "./access.ts";
import { buildLinkedin } from "./build.ts";
import { DEFAULT_SEED } from "./default-seed.ts";
import { handleErrors, LinkedinError } from "./errors.ts";
import { registerPostRoutes } from "./posts.ts";
import { LinkedinSeed } from "./seed.ts";
import { registerSocialRoutes } from "./social.ts";
import type { LinkedinState } from "./state.ts";
import { registerWebPages } from "./web-pages.ts";

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
  routes(app, place) {
    registerWebPages(app, place);
    const api = new Hono<LinkedinEnv>();
    api.onError(handleErrors);
    for (const path of ["/v2/*", "/rest/*"]) api.use(path, requireToken(place));
    api.use("/rest/*", requireVersion(place));
    api.get("/v2/userinfo", (c) => {
      requireScope(c, "openid", "userinfo.GET");
      const { sub, given_name, family_name, email, locale } = c.get("member");
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
    registerPostRoutes(api, place);
    registerSocialRoutes(api, place);
    for (const path of ["/v2/*", "/rest/*"]) {
      api.all(path, (c) => {
        throw new LinkedinError(404, "RESOURCE_NOT_FOUND", `No virtual resource found for ${c.req.path}`);
      });
    }
    app.route("/", api);
  },
};

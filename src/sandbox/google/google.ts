import { Hono } from "hono";
import { getAvatarUrl } from "../files.ts";
import { toOAuthError, toTokenBody } from "../oauth/token.ts";
import type { OAuthTraits, Provider } from "../provider.ts";
import { type GoogleEnv, requireToken } from "./access.ts";
import { buildGoogle } from "./build.ts";
import { registerCalendarRoutes } from "./calendar/calendar.ts";
import { DEFAULT_SEED } from "./default-seed.ts";
import { registerDocsRoutes } from "./docs/docs.ts";
import { registerDriveRoutes } from "./drive/drive.ts";
import { notFoundError } from "./errors.ts";
import { registerGmailRoutes } from "./gmail/gmail.ts";
import { describeScopes, SCOPES } from "./scopes.ts";
import { GoogleSeed } from "./seed.ts";
import { registerSheetsRoutes } from "./sheets/sheets.ts";
import type { GoogleState } from "./state.ts";
import { registerWebPages } from "./web-pages.ts";

/**
 * OAuth 2.0 at Google (developers.google.com/identity/protocols/oauth2/web-server): `access_type=offline` returns a
 * refresh token at the first consent, and `prompt=consent` at each one; a refresh returns none, and the first stays
 * valid.
 */
const oauth: OAuthTraits = {
  authorizePath: "/o/oauth2/v2/auth",
  tokenPath: "/token",
  subject: describeScopes,
  scopes: SCOPES,
  accessSeconds: 3599,
  refresh: "stable",
  asksRefresh(query) {
    if (query.get("access_type") !== "offline") return "never";
    return (query.get("prompt") ?? "").split(" ").includes("consent") ? "always" : "first";
  },
  // developers.google.com/identity/protocols/oauth2/web-server#tokenrevoke
  revocation: {
    path: "/revoke",
    covers: "account",
    open: true,
    unknown: toOAuthError(400, "invalid_token", "Token expired or revoked"),
  },
  answer({ refresh, ...tokens }, grantType) {
    const scopes = tokens.scopes.map((scope) => FULL[scope] ?? scope);
    return toTokenBody({ ...tokens, scopes, ...(grantType === "refresh_token" ? {} : { refresh }) });
  },
  errors: {
    client: toOAuthError(401, "invalid_client", "The provided client secret is invalid."),
    code: toOAuthError(400, "invalid_grant", "Malformed auth code."),
    refresh: toOAuthError(400, "invalid_grant", "Token has been expired or revoked."),
    grant_type: toOAuthError(400, "unsupported_grant_type", "Invalid grant_type: "),
    request: toOAuthError(400, "invalid_request", "Invalid parameter value"),
  },
};

/** Two scopes have short names in OpenID Connect; responses have the long ones. */
const FULL: Record<string, string> = {
  email: "https://www.googleapis.com/auth/userinfo.email",
  profile: "https://www.googleapis.com/auth/userinfo.profile",
};

/** Stand-in for accounts.google.com and the APIs of Gmail, Calendar, Drive, Docs and Sheets, on one origin. */
export const google: Provider<GoogleState> = {
  name: "google",
  title: "Google",
  oauth,
  seed: GoogleSeed,
  builtIn: DEFAULT_SEED,
  build: (seed, now) => buildGoogle(seed as GoogleSeed, now),
  accounts: (world) => world.accounts.map(({ id, name, email }) => ({ id, name, email })),
  routes(app, provider) {
    registerWebPages(app, provider);
    const api = new Hono<GoogleEnv>();
    for (const path of ["/v1/*", "/v4/*", "/gmail/*", "/upload/gmail/*", "/calendar/v3/*", "/drive/v3/*"])
      api.use(path, requireToken(provider));
    api.get("/v1/userinfo", (c) => {
      const { id: sub, name, email } = c.get("account");
      const [given_name = name, ...family] = name.split(" ");
      const picture = getAvatarUrl(c.req.raw, name);
      return c.json({ sub, name, given_name, family_name: family.join(" "), picture, email, email_verified: true });
    });
    registerGmailRoutes(api, provider);
    registerCalendarRoutes(api, provider);
    registerDriveRoutes(api, provider);
    registerDocsRoutes(api, provider);
    registerSheetsRoutes(api, provider);
    for (const path of ["/v1/*", "/v4/*", "/gmail/*", "/upload/gmail/*", "/calendar/v3/*", "/drive/v3/*"]) {
      api.all(path, () => {
        throw notFoundError("Not Found");
      });
    }
    app.route("/", api);
  },
};

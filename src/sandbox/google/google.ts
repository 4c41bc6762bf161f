import { Hono } from "hono";
import { avatarUrl } from "../pictures.ts";
import type { OAuthTraits, Provider } from "../provider.ts";
import { type GoogleEnv, signedIn } from "./access.ts";
import { browse } from "./browse.ts";
import { buildGoogle } from "./build.ts";
import { BUILT_IN } from "./builtin.ts";
import { calendarRoutes } from "./calendar/calendar.ts";
import { docsRoutes } from "./docs/docs.ts";
import { driveRoutes } from "./drive/drive.ts";
import { notFound, refusals } from "./errors.ts";
import { gmailRoutes } from "./gmail/gmail.ts";
import { SCOPES, subjectOf } from "./scopes.ts";
import { GoogleSeed } from "./seed.ts";
import { sheetsRoutes } from "./sheets/sheets.ts";
import type { GoogleWorld } from "./world.ts";

/**
 * OAuth 2.0 at Google (developers.google.com/identity/protocols/oauth2/web-server): a refresh token comes with `access_type=offline` at the
 * first consent, and with `prompt=consent` at each; a refresh answers without one, and the first stays.
 */
const oauth: OAuthTraits = {
  authorizePath: "/o/oauth2/v2/auth",
  tokenPath: "/token",
  subject: subjectOf,
  scopes: SCOPES,
  fixed: {},
  accessSeconds: 3599,
  refresh: "stable",
  asksRefresh(query) {
    if (query.get("access_type") !== "offline") return "never";
    return (query.get("prompt") ?? "").split(" ").includes("consent") ? "always" : "first";
  },
  answer: ({ access, refresh, scopes, expiresIn }, grantType) => ({
    access_token: access,
    expires_in: expiresIn,
    scope: scopes.map((scope) => FULL[scope] ?? scope).join(" "),
    token_type: "Bearer",
    ...(refresh === undefined || grantType === "refresh_token" ? {} : { refresh_token: refresh }),
  }),
  errors: {
    client: {
      status: 401,
      body: { error: "invalid_client", error_description: "The provided client secret is invalid." },
    },
    code: { status: 400, body: { error: "invalid_grant", error_description: "Malformed auth code." } },
    refresh: { status: 400, body: { error: "invalid_grant", error_description: "Token has been expired or revoked." } },
    grant_type: { status: 400, body: { error: "unsupported_grant_type", error_description: "Invalid grant_type: " } },
    request: { status: 400, body: { error: "invalid_request", error_description: "Invalid parameter value" } },
  },
};

/** Two scopes have short names of OpenID Connect; answers have the long ones. */
const FULL: Record<string, string> = {
  email: "https://www.googleapis.com/auth/userinfo.email",
  profile: "https://www.googleapis.com/auth/userinfo.profile",
};

/** Stand-in for accounts.google.com and the APIs of Gmail, Calendar, Drive, Docs and Sheets, on one origin. */
export const google: Provider<GoogleWorld> = {
  name: "google",
  title: "Google",
  oauth,
  seed: GoogleSeed,
  builtIn: BUILT_IN,
  build: (seed, now) => buildGoogle(seed as GoogleSeed, now),
  accounts: (world) => world.accounts.map(({ id, name, email }) => ({ id, name, email })),
  routes(app, place) {
    browse(app, place);
    const api = new Hono<GoogleEnv>();
    api.onError(refusals);
    for (const path of ["/v1/*", "/v4/*", "/gmail/*", "/calendar/v3/*", "/drive/v3/*"]) api.use(path, signedIn(place));
    api.get("/v1/userinfo", (c) => {
      const { id: sub, name, email } = c.get("account");
      const [given_name = name, ...family] = name.split(" ");
      const picture = avatarUrl(c.req.raw, name);
      return c.json({ sub, name, given_name, family_name: family.join(" "), picture, email, email_verified: true });
    });
    gmailRoutes(api, place);
    calendarRoutes(api, place);
    driveRoutes(api, place);
    docsRoutes(api, place);
    sheetsRoutes(api, place);
    for (const path of ["/v1/*", "/v4/*", "/gmail/*", "/calendar/v3/*", "/drive/v3/*"]) {
      api.all(path, () => {
        throw notFound("Not Found");
      });
    }
    app.route("/", api);
  },
};

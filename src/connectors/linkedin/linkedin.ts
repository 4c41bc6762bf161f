import { SAFE_GET } from "../http/generic-request.ts";
import type { Service } from "../service.ts";
import { fetchLinkedinIdentity, getProfileTool } from "./me.ts";
import { createPostTool, deletePostTool } from "./publish.ts";
import { addCommentTool, addReactionTool } from "./respond.ts";

/**
 * The part of LinkedIn that is open to all apps: sign-in (OpenID Connect) and posting ("Share on LinkedIn"). It has no
 * search for people, and only selected developers get `r_member_social` for reading posts, so kay has no tools for
 * either. Tokens last 60 days; most apps get no refresh token and need a new consent. Source:
 * https://learn.microsoft.com/en-us/linkedin/shared/authentication/authorization-code-flow
 */
export const linkedin: Service = {
  name: "linkedin",
  title: "LinkedIn",
  oauth: {
    provider: "linkedin",
    scopes: ["openid", "profile", "email", "w_member_social"],
    pkce: false,
    clientAuth: "client_secret_post",
    refresh: "none",
    accessPage: "https://www.linkedin.com/psettings/permitted-services",
  },
  endpoints: {
    authorize: "https://www.linkedin.com/oauth/v2/authorization",
    token: "https://www.linkedin.com/oauth/v2/accessToken",
    api: "https://api.linkedin.com",
    web: "https://www.linkedin.com",
  },
  api: { genericReads: SAFE_GET },
  identify: fetchLinkedinIdentity,
  tools: [getProfileTool, createPostTool, deletePostTool, addCommentTool, addReactionTool],
};

import { Hono } from "hono";
import { Problem } from "#protocol/errors";
import { tryParseJson } from "#protocol/json";
import type { BackendPorts } from "../../ports.ts";
import { registerClient } from "../../programs/clients.ts";
import {
  AUTHORIZE_PATH,
  buildResourceMetadata,
  buildServerMetadata,
  isOwnResource,
  REGISTER_PATH,
  RESOURCE_METADATA_PATH,
  REVOKE_PATH,
  SERVER_METADATA_PATH,
  TOKEN_PATH,
} from "../../programs/metadata.ts";
import { OAuthError, toOAuthResponse } from "../../programs/oauth-error.ts";
import { beginRequest, buildRedirect, findAllowedRequest } from "../../programs/requests.ts";
import { exchangeCode, refreshTokens, revokeToken } from "../../programs/tokens.ts";
import { showRefusal, showRequestPage, showReturnPage } from "./pages.ts";

/**
 * The authorization server of `/mcp` (OAuth 2.1 as the MCP specification of 2026-07-28 uses it), for programs and for the
 * browser of their user.
 */
export function createOAuthRoutes(ports: BackendPorts): Hono<{ Bindings: { address?: string } }> {
  const app = new Hono<{ Bindings: { address?: string } }>();
  // Clients look below the well-known path by the path of what they look for (RFC 9728 section 3.1, RFC 8414 section 3).
  app.on("GET", [RESOURCE_METADATA_PATH, `${RESOURCE_METADATA_PATH}/*`], (c) => c.json(buildResourceMetadata(ports)));
  app.on("GET", [SERVER_METADATA_PATH, `${SERVER_METADATA_PATH}/*`], (c) => c.json(buildServerMetadata(ports)));
  app.get(AUTHORIZE_PATH, async (c) => {
    try {
      const request = await beginRequest(ports, new URL(c.req.url).searchParams, c.env?.address);
      return showRequestPage(ports, request, buildRedirect(ports, request, { error: "access_denied" }));
    } catch (error) {
      if (!(error instanceof OAuthError) && !(error instanceof Problem)) throw error;
      return showRefusal(error.message, 400);
    }
  });
  app.get(`${AUTHORIZE_PATH}/:code`, async (c) => {
    const code = c.req.param("code");
    const request = await findAllowedRequest(ports, code);
    if (!request) return showRefusal("This link no longer works. It works once, for ten minutes.", 410);
    return showReturnPage(request, buildRedirect(ports, request, { code }));
  });
  app.post(REGISTER_PATH, async (c) => {
    try {
      const { id, name, redirectUris } = registerClient(ports, tryParseJson(await c.req.text()));
      return c.json({ client_id: id, client_name: name, redirect_uris: redirectUris, ...PUBLIC_CLIENT }, 201);
    } catch (error) {
      return toOAuthResponse(error);
    }
  });
  app.post(TOKEN_PATH, async (c) => {
    try {
      return c.json(await issueTokens(ports, new URLSearchParams(await c.req.text())));
    } catch (error) {
      return toOAuthResponse(error);
    }
  });
  app.post(REVOKE_PATH, async (c) => {
    await revokeToken(ports, new URLSearchParams(await c.req.text()).get("token") ?? "");
    return c.json({});
  });
  return app;
}

const PUBLIC_CLIENT = {
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
};

async function issueTokens(ports: BackendPorts, form: URLSearchParams) {
  const clientId = form.get("client_id") ?? "";
  if (!form.getAll("resource").every((resource) => isOwnResource(ports, resource)))
    throw new OAuthError("invalid_target", "resource must be the address of this MCP server.");
  switch (form.get("grant_type")) {
    case "authorization_code":
      return await exchangeCode(ports, {
        clientId,
        code: form.get("code") ?? "",
        redirectUri: form.get("redirect_uri"),
        verifier: form.get("code_verifier") ?? "",
      });
    case "refresh_token":
      return await refreshTokens(ports, { clientId, refreshToken: form.get("refresh_token") ?? "" });
    default:
      throw new OAuthError("unsupported_grant_type", "grant_type must be authorization_code or refresh_token.");
  }
}

import type { BackendPorts } from "../ports.ts";

type Ports = Pick<BackendPorts, "publicUrl">;

/** The MCP endpoint, and the paths of its authorization server. */
export const MCP_PATH = "/mcp";
export const AUTHORIZE_PATH = `${MCP_PATH}/authorize`;
export const TOKEN_PATH = `${MCP_PATH}/token`;
export const REGISTER_PATH = `${MCP_PATH}/register`;
export const REVOKE_PATH = `${MCP_PATH}/revoke`;
export const RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource";
export const SERVER_METADATA_PATH = "/.well-known/oauth-authorization-server";

/** The one scope: calling kay's tools. kay's own gate decides what each call may do. */
export const SCOPE = "mcp";

/** Returns the name of the authorization server, byte for byte as its metadata states it. */
export function getIssuer({ publicUrl }: Ports): string {
  return publicUrl;
}

/** Returns the only resource that tokens of programs are valid for (RFC 8707). */
export function getResource({ publicUrl }: Ports): string {
  return `${publicUrl}${MCP_PATH}`;
}

/** Whether a `resource` parameter means this MCP server; capitals in its host and a slash at its end do not matter. */
export function isOwnResource(ports: Ports, resource: string): boolean {
  return URL.parse(resource)?.href.replace(/\/$/, "") === getResource(ports);
}

/** Describes the MCP server as a protected resource (RFC 9728). */
export function buildResourceMetadata(ports: Ports): Record<string, unknown> {
  return {
    resource: getResource(ports),
    authorization_servers: [getIssuer(ports)],
    scopes_supported: [SCOPE],
    bearer_methods_supported: ["header"],
    resource_name: "kay",
  };
}

/** Describes the authorization server (RFC 8414), which takes public clients with PKCE only. */
export function buildServerMetadata(ports: Ports): Record<string, unknown> {
  const toPublicUrl = (path: string) => `${ports.publicUrl}${path}`;
  return {
    issuer: getIssuer(ports),
    authorization_endpoint: toPublicUrl(AUTHORIZE_PATH),
    token_endpoint: toPublicUrl(TOKEN_PATH),
    registration_endpoint: toPublicUrl(REGISTER_PATH),
    revocation_endpoint: toPublicUrl(REVOKE_PATH),
    scopes_supported: [SCOPE],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
}

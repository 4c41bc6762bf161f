import { createHash, randomBytes } from "node:crypto";
import type { Fetch } from "#net/ports";

/** Addresses of the test MCP server and of its sign-in. */
export const NOTES = "https://notes.example.test/mcp";
export const LOGIN = "https://login.example.test/t1";

type Client = { id: string; secret?: string; redirects: string[] };
type Code = { client: string; redirect: string; challenge: string; resource: string; scope: string };
type Tokens = { client: string; scope: string; family: string };

/** What may be different with the server of a test. */
export type LoginOptions = {
  /** Addresses of the server and its authorization server, if not the usual ones. */
  notes?: string;
  login?: string;
  /** Changes of the two documents; `undefined` removes a field. */
  resource?: Record<string, unknown>;
  metadata?: Record<string, unknown>;
  /** Where the 401 says that the resource metadata is, and the scopes it requires. */
  challenge?: string;
  /** Registered clients get a secret. */
  secrets?: boolean;
  /** Permissions that a call needs. */
  needs?: string;
  /** Existing clients: registered by hand, or read from a document whose URL is the ID. */
  clients?: Client[];
};

/**
 * An MCP server with a sign-in, and its authorization server, as strict as the specification lets them be: PKCE,
 * resource, redirect address and client are checked, each refresh token is valid once, and a reused one revokes its
 * whole family.
 */
export function mcpLogin(options: LoginOptions = {}) {
  const { notes = NOTES, login: issuer = LOGIN } = options;
  const clients = new Map((options.clients ?? []).map((client) => [client.id, client]));
  const about = `${new URL(notes).origin}/.well-known/oauth-protected-resource${new URL(notes).pathname}`.replace(
    /\/$/,
    "",
  );
  const asMetadata = `${new URL(issuer).origin}/.well-known/oauth-authorization-server${new URL(issuer).pathname}`;
  const codes = new Map<string, Code>();
  const access = new Map<string, Tokens>();
  const refresh = new Map<string, Tokens & { spent: boolean }>();
  const requests: string[] = [];
  const state = { needs: options.needs ?? "notes:read", options, registrations: 0, faults: [] as string[] };

  const fault = (words: string, status = 400, error = "invalid_request") => {
    state.faults.push(words);
    return Response.json({ error, error_description: words }, { status });
  };

  function metadata(): Record<string, unknown> {
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      revocation_endpoint: `${issuer}/revoke`,
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: options.secrets ? ["client_secret_basic"] : ["none"],
      authorization_response_iss_parameter_supported: true,
      ...state.options.metadata,
    };
  }

  function resource(): Record<string, unknown> {
    return {
      resource: notes,
      authorization_servers: [issuer],
      scopes_supported: ["notes:read"],
      ...state.options.resource,
    };
  }

  function register(body: Record<string, unknown>): Response {
    const redirects = body.redirect_uris as string[];
    if (body.client_name !== "kay" || redirects.length !== 1) return fault("bad registration");
    const id = `client-${++state.registrations}`;
    const secret = options.secrets ? `s:${randomBytes(8).toString("hex")}/+` : undefined;
    clients.set(id, { id, redirects, ...(secret ? { secret } : {}) });
    const credentials = secret ? { client_secret: secret, client_secret_expires_at: 0 } : {};
    return Response.json({ ...body, client_id: id, ...credentials }, { status: 201 });
  }

  function findClient(request: Request, form: URLSearchParams): Client | undefined {
    const basic = /^Basic (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
    const [id = "", secret] = basic
      ? Buffer.from(basic, "base64")
          .toString()
          .split(":")
          .map((part) => decodeURIComponent(part.replaceAll("+", " ")))
      : [form.get("client_id") ?? "", form.get("client_secret") ?? undefined];
    const client = clients.get(id);
    return client && client.secret === secret ? client : undefined;
  }

  function issue(client: string, scope: string, family: string): Response {
    const [token, next] = [`at-${randomBytes(8).toString("hex")}`, `rt-${randomBytes(8).toString("hex")}`];
    access.set(token, { client, scope, family });
    refresh.set(next, { client, scope, family, spent: false });
    return Response.json({ access_token: token, refresh_token: next, token_type: "Bearer", expires_in: 3600, scope });
  }

  function end(family: string): void {
    for (const tokens of [access, refresh])
      for (const [token, about] of tokens) if (about.family === family) tokens.delete(token);
  }

  async function token(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    const client = findClient(request, form);
    if (!client) return fault("unknown client", 401, "invalid_client");
    if (form.get("resource") !== (resource().resource ?? notes)) return fault("no resource", 400, "invalid_target");
    if (form.get("grant_type") === "refresh_token") {
      const old = refresh.get(form.get("refresh_token") ?? "");
      if (!old || old.client !== client.id) return fault("bad refresh token", 400, "invalid_grant");
      if (old.spent) {
        end(old.family);
        return fault("refresh token reused", 400, "invalid_grant");
      }
      old.spent = true;
      return issue(client.id, old.scope, old.family);
    }
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const verifier = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (!code || code.client !== client.id || code.redirect !== form.get("redirect_uri"))
      return fault("bad code", 400, "invalid_grant");
    if (code.challenge !== verifier) return fault("bad verifier", 400, "invalid_grant");
    return issue(client.id, code.scope, randomBytes(4).toString("hex"));
  }

  async function revoke(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    const token = form.get("token") ?? "";
    const about = refresh.get(token) ?? access.get(token);
    if (!findClient(request, form)) return fault("unknown client", 401, "invalid_client");
    if (about) end(about.family);
    return new Response(null, { status: 200 });
  }

  function refusal(status: number, more: string): Response {
    const place = state.options.challenge ?? about;
    const header = `Basic realm="x", Bearer ${more}resource_metadata="${place}"`;
    return new Response(null, { status, headers: { "www-authenticate": header } });
  }

  /** The refusal of a request to the server, if its token is not valid for it. */
  function checkToken(request: Request): Response | undefined {
    const token = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
    const about = token === undefined ? undefined : access.get(token);
    if (!about) return refusal(401, token ? 'error="invalid_token", ' : "");
    const isMissing = state.needs.split(" ").some((scope) => !about.scope.split(" ").includes(scope));
    return isMissing ? refusal(403, `error="insufficient_scope", scope="${state.needs}", `) : undefined;
  }

  const fetch: Fetch = async (address, init) => {
    const request = new Request(address, init);
    const url = new URL(address);
    requests.push(`${request.method} ${address}`);
    if (address === about) return Response.json(resource());
    if (address === asMetadata) return Response.json(metadata());
    if (address === `${issuer}/register`) return register((await request.json()) as Record<string, unknown>);
    if (address === `${issuer}/token`) return await token(request);
    if (address === `${issuer}/revoke`) return await revoke(request);
    if (url.href === notes) return checkToken(request) ?? Response.json({ jsonrpc: "2.0", id: 1, result: {} });
    return new Response(null, { status: 404 });
  };

  /** The user's action at the page of the link. Returns the address that the browser returns to. */
  function consent(link: string): URL {
    const url = new URL(link);
    const query = url.searchParams;
    const client = clients.get(query.get("client_id") ?? "");
    const redirect = query.get("redirect_uri") ?? "";
    const right =
      url.href.startsWith(`${issuer}/authorize?`) &&
      client?.redirects.includes(redirect) &&
      query.get("code_challenge_method") === "S256" &&
      query.get("resource") === (resource().resource ?? notes) &&
      query.get("response_type") === "code";
    if (!client || !right) throw new Error(`The authorization server refuses ${link}`);
    const code = randomBytes(8).toString("hex");
    codes.set(code, {
      client: client.id,
      redirect,
      challenge: query.get("code_challenge") ?? "",
      resource: query.get("resource") ?? "",
      scope: query.get("scope") ?? "",
    });
    const back = new URL(redirect);
    for (const [name, value] of Object.entries({ code, state: query.get("state") ?? "", iss: issuer }))
      back.searchParams.set(name, value);
    return back;
  }

  return {
    fetch,
    seen: requests,
    state,
    consent,
    refused: checkToken,
    access,
    refresh,
    /** The server forgets every client. */
    forgetClients: () => clients.clear(),
    /** Access tokens expire, refresh tokens do not. */
    endAccess: () => access.clear(),
  };
}

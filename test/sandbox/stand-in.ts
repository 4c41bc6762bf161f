import { createSandbox, type SandboxPorts } from "#sandbox/sandbox";

/** The moment at which every test's sandbox starts. */
const NOW = Date.parse("2026-11-20T09:00:00Z");
export const ATLASSIAN = "http://127.0.0.1:4401";
export const BITBUCKET = "http://127.0.0.1:4402";
export const SLACK = "http://127.0.0.1:4403";
export const GITHUB = "http://127.0.0.1:4404";
export const GOOGLE = "http://127.0.0.1:4405";
export const NOTION = "http://127.0.0.1:4406";
export const AIRTABLE = "http://127.0.0.1:4407";
export const HUBSPOT = "http://127.0.0.1:4408";
const LINKEDIN = "http://127.0.0.1:4409";
export const REDIRECT = "http://127.0.0.1:4000/auth/callback";
export const DANA = "557058:0d4a7e52-6f0b-4c39-9a51-3f2c8f1d0a01";
export const SAM = "557058:7c1e93b4-2a68-4f7d-8e40-b5d9a6c31f02";
export const ALL_SCOPES =
  "read:jira-work write:jira-work read:jira-user search:confluence read:page:confluence write:page:confluence delete:page:confluence read:space:confluence read:comment:confluence write:comment:confluence read:me offline_access";

type Place = {
  base: string;
  authorize: string;
  token: string;
  /** How a client sends its secret and its parameters at the token endpoint. */
  client: "json" | "form" | "basic";
  /** Parameters without which a provider refuses the authorization request. */
  fixed?: Record<string, string>;
  scope?: string;
};

/** Where each origin listens in tests, and how its clients use OAuth. */
const PLACES = {
  atlassian: {
    base: ATLASSIAN,
    authorize: "/authorize",
    token: "/oauth/token",
    client: "json",
    fixed: { audience: "api.atlassian.com", prompt: "consent" },
  },
  bitbucket: {
    base: BITBUCKET,
    authorize: "/site/oauth2/authorize",
    token: "/site/oauth2/access_token",
    client: "basic",
  },
  slack: {
    base: SLACK,
    authorize: "/oauth/v2/authorize",
    token: "/api/oauth.v2.access",
    client: "basic",
    scope: "user_scope",
  },
  github: { base: GITHUB, authorize: "/login/oauth/authorize", token: "/login/oauth/access_token", client: "json" },
  google: { base: GOOGLE, authorize: "/o/oauth2/v2/auth", token: "/token", client: "form" },
  notion: {
    base: NOTION,
    authorize: "/v1/oauth/authorize",
    token: "/v1/oauth/token",
    client: "basic",
    fixed: { owner: "user" },
  },
  airtable: {
    base: AIRTABLE,
    authorize: "/oauth2/v1/authorize",
    token: "/oauth2/v1/token",
    client: "basic",
    fixed: { code_challenge_method: "S256", code_challenge: "7w_YNF9DSfIdPf_pRjSq646_kPr-2-o9NAl16JGghdM" },
  },
  hubspot: { base: HUBSPOT, authorize: "/oauth/authorize", token: "/oauth/v3/token", client: "form" },
  linkedin: { base: LINKEDIN, authorize: "/oauth/v2/authorization", token: "/oauth/v2/accessToken", client: "form" },
} as const satisfies Record<string, Place>;
type Name = keyof typeof PLACES;
const VERIFIED: Partial<Record<Name, { code_verifier: string }>> = { airtable: { code_verifier: "v".repeat(43) } };
type Options = Partial<Pick<SandboxPorts, "seed" | "saved" | "save" | "warn">>;

/** A sandbox in this process with a test clock and counting randomness. */
export function sandbox(options: Options = {}) {
  let now = NOW;
  let counter = 0;
  const random = (bytes: number) => {
    counter += 1;
    return new Uint8Array(bytes).map((_, index) => (counter * 31 + index * 7) % 256);
  };
  const world = createSandbox({ clock: { now: () => now }, random, ...options });
  const findPlace = (name: Name): Place => PLACES[name];

  /** Sends a request to an origin, like a program on this machine. */
  async function ask(
    name: Name,
    path: string,
    init: RequestInit & { json?: unknown; token?: string; address?: string } = {},
  ) {
    const { json, token, address = "127.0.0.1", ...rest } = init;
    const headers = new Headers(rest.headers);
    if (json !== undefined) headers.set("content-type", "application/json");
    if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
    const body = json === undefined ? rest.body : JSON.stringify(json);
    const url = path.startsWith("http") ? path : `${findPlace(name).base}${path}`;
    const response = await world.origins[name](
      new Request(url, { redirect: "manual", ...rest, headers, body }),
      address,
    );
    const text = await response.text();
    const type = response.headers.get("content-type") ?? "";
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: type.includes("json") && text ? JSON.parse(text) : text,
    };
  }

  /** Address of the consent page. */
  function authorizeUrl(name: Name, scope: string, more: Record<string, string> = {}) {
    const { base, authorize, scope: parameter = "scope", fixed } = findPlace(name);
    const url = new URL(base + authorize);
    const query = {
      client_id: world.clients[name].id,
      [parameter]: scope,
      redirect_uri: REDIRECT,
      state: "s1",
      response_type: "code",
      ...fixed,
      ...more,
    };
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
    return url.href;
  }

  /** A code from a consent without a browser. */
  async function code(name: Name, scope: string, account?: string, more: Record<string, string> = {}) {
    const answer = {
      authorization_url: authorizeUrl(name, scope, more),
      decision: "allow",
      ...(account ? { account } : {}),
    };
    const { body } = await ask(name, "/_sandbox/consent", { method: "POST", json: answer });
    return new URL(body.redirect_url).searchParams.get("code") ?? "";
  }

  /** Tokens for a consent, requested like the provider's own clients do. */
  async function tokens(name: Name, scope: string, account?: string) {
    return exchange(name, {
      grant_type: "authorization_code",
      code: await code(name, scope, account),
      redirect_uri: REDIRECT,
    });
  }

  async function exchange(name: Name, parameters: Record<string, string>) {
    const { id, secret } = world.clients[name];
    const { token, client } = findPlace(name);
    const body = { ...parameters, ...VERIFIED[name] };
    const fields: Record<string, string> = client === "basic" ? {} : { client_id: id, client_secret: secret };
    const headers = {
      accept: "application/json",
      ...(client === "basic" ? { authorization: `Basic ${btoa(`${id}:${secret}`)}` } : {}),
    };
    if (client === "json") return ask(name, token, { method: "POST", headers, json: { ...fields, ...body } });
    return ask(name, token, { method: "POST", headers, body: new URLSearchParams({ ...fields, ...body }) });
  }

  /** A signed-in program for one site, or for Bitbucket. */
  async function signIn(name: Name, scope: string, account?: string) {
    const answer = (await tokens(name, scope, account)).body;
    const body = answer.authed_user ?? answer;
    const token: string = body.access_token;
    const call = (path: string, init: Parameters<typeof ask>[2] = {}) => ask(name, path, { token, ...init });
    if (name !== "atlassian")
      return { token, refresh: body.refresh_token as string, call, jira: call, wiki: call, cloudId: "" };
    const [site] = (await call("/oauth/token/accessible-resources")).body;
    const cloudId: string = site?.id ?? "";
    return {
      token,
      refresh: body.refresh_token as string,
      cloudId,
      call,
      jira: (path: string, init?: Parameters<typeof ask>[2]) => call(`/ex/jira/${cloudId}/rest/api/3${path}`, init),
      wiki: (path: string, init?: Parameters<typeof ask>[2]) => call(`/ex/confluence/${cloudId}/wiki${path}`, init),
    };
  }

  const later = (milliseconds: number) => {
    now += milliseconds;
  };
  return { ...world, ask, authorizeUrl, code, tokens, exchange, signIn, later };
}

/** A document of one paragraph. */
export function paragraph(text: string) {
  return { type: "doc", version: 1, content: [{ type: "paragraph", content: [{ type: "text", text }] }] };
}

import { createSandbox, type SandboxPorts } from "#sandbox/sandbox";

/** The moment at which every test's sandbox starts. */
const NOW = Date.parse("2026-11-20T09:00:00Z");
export const ATLASSIAN = "http://127.0.0.1:4401";
export const BITBUCKET = "http://127.0.0.1:4402";
export const HUBSPOT = "http://127.0.0.1:4403";
const LINKEDIN = "http://127.0.0.1:4404";
export const REDIRECT = "http://127.0.0.1:4000/auth/callback";
export const DANA = "557058:0d4a7e52-6f0b-4c39-9a51-3f2c8f1d0a01";
export const SAM = "557058:7c1e93b4-2a68-4f7d-8e40-b5d9a6c31f02";
export const ALL_SCOPES =
  "read:jira-work write:jira-work read:jira-user search:confluence read:page:confluence write:page:confluence delete:page:confluence read:space:confluence read:me offline_access";

type Name = "atlassian" | "bitbucket" | "hubspot" | "linkedin";

/** Where each origin listens in tests, and its two OAuth endpoints. */
const PLACES: Record<Name, { base: string; authorize: string; token: string }> = {
  atlassian: { base: ATLASSIAN, authorize: "/authorize", token: "/oauth/token" },
  bitbucket: { base: BITBUCKET, authorize: "/site/oauth2/authorize", token: "/site/oauth2/access_token" },
  hubspot: { base: HUBSPOT, authorize: "/oauth/authorize", token: "/oauth/v3/token" },
  linkedin: { base: LINKEDIN, authorize: "/oauth/v2/authorization", token: "/oauth/v2/accessToken" },
};
type Options = Partial<Pick<SandboxPorts, "seed" | "saved" | "save">>;

/** A sandbox in this process with a clock that the test moves and randomness that counts. */
export function sandbox(options: Options = {}) {
  let now = NOW;
  let counter = 0;
  const random = (bytes: number) => {
    counter += 1;
    return new Uint8Array(bytes).map((_, index) => (counter * 31 + index * 7) % 256);
  };
  const made = createSandbox({ clock: { now: () => now }, random, ...options });

  /** Ask an origin for something, as a program on this machine. */
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
    const url = path.startsWith("http") ? path : `${PLACES[name].base}${path}`;
    const response = await made.origins[name](
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
    const url = new URL(PLACES[name].base + PLACES[name].authorize);
    const fixed = name === "atlassian" ? { audience: "api.atlassian.com", prompt: "consent" } : {};
    const query = {
      client_id: made.clients[name].id,
      scope,
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

  /** Tokens for a consent, the way the provider's own clients ask for them. */
  async function tokens(name: Name, scope: string, account?: string) {
    return exchange(name, {
      grant_type: "authorization_code",
      code: await code(name, scope, account),
      redirect_uri: REDIRECT,
    });
  }

  async function exchange(name: Name, parameters: Record<string, string>) {
    const { id, secret } = made.clients[name];
    if (name === "atlassian") {
      return ask(name, "/oauth/token", {
        method: "POST",
        json: { client_id: id, client_secret: secret, ...parameters },
      });
    }
    if (name !== "bitbucket") {
      const body = new URLSearchParams({ client_id: id, client_secret: secret, ...parameters });
      return ask(name, PLACES[name].token, { method: "POST", body });
    }
    const headers = { authorization: `Basic ${btoa(`${id}:${secret}`)}` };
    return ask(name, "/site/oauth2/access_token", { method: "POST", headers, body: new URLSearchParams(parameters) });
  }

  /** A program that is signed in and works on one site, or on Bitbucket. */
  async function signedIn(name: Name, scope: string, account?: string) {
    const { body } = await tokens(name, scope, account);
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
  return { ...made, ask, authorizeUrl, code, tokens, exchange, signedIn, later };
}

/** A document of one paragraph. */
export function paragraph(text: string) {
  return { type: "doc", version: 1, content: [{ type: "paragraph", content: [{ type: "text", text }] }] };
}

import { createHash, randomBytes } from "node:crypto";
import { parseTokenResponse } from "#backend/connections/tokens/token-answer";
import { configureServices } from "#connectors/catalogue";
import { createServiceHttp } from "#connectors/http/client";
import type { ToolResult } from "#connectors/tool";
import { createSandbox } from "#sandbox/sandbox";

const NOW = Date.parse("2026-11-27T12:00:00Z");
const REDIRECT = "http://127.0.0.1:4000/auth/callback";
const ORIGINS = {
  atlassian: "http://127.0.0.1:4010",
  bitbucket: "http://127.0.0.1:4011",
  slack: "http://127.0.0.1:4012",
  github: "http://127.0.0.1:4013",
  google: "http://127.0.0.1:4014",
  notion: "http://127.0.0.1:4015",
  airtable: "http://127.0.0.1:4016",
  hubspot: "http://127.0.0.1:4017",
  linkedin: "http://127.0.0.1:4018",
} as const;

/** A sandbox in this process, and services that reach it through `fetch` alone, as they reach the real ones. */
export function sandboxServices(seed?: unknown) {
  const sandbox = createSandbox({ clock: { now: () => NOW }, random: (size) => randomBytes(size), seed });
  const origins = Object.entries(ORIGINS) as [keyof typeof ORIGINS, string][];
  const configured = configureServices({
    clients: {},
    sandbox: Object.fromEntries(origins.map(([name, origin]) => [name, { origin, client: sandbox.clients[name] }])),
  });
  async function fetch(url: string, init?: RequestInit): Promise<Response> {
    const name = origins.find(([, origin]) => new URL(url).origin === origin)?.[0];
    if (!name) throw new Error(`nothing listens at ${url}`);
    return sandbox.origins[name](new Request(url, init), "127.0.0.1");
  }
  return { configured, fetch };
}

/** Connects a service through its consent page. Returns a function that runs its tools by name. */
export async function connectService(world: ReturnType<typeof sandboxServices>, name: string, scopes?: string[]) {
  const configuration = world.configured.find(({ service }) => service.name === name);
  if (!configuration?.client) throw new Error(`${name} cannot be connected`);
  const { service, endpoints, client } = configuration;
  const token = await consent(world, endpoints, client, { ...service.oauth, scopes: scopes ?? service.oauth.scopes });
  const clock = { now: () => NOW };
  const http = createServiceHttp({ ...world, endpoints, service, client, token: async () => token, clock });
  const identity = await service.identify(http);
  async function run(tool: string, input: Record<string, unknown>): Promise<ToolResult> {
    const foundTool = service.tools.find((candidate) => candidate.name === tool);
    if (!foundTool) throw new Error(`no tool ${tool}`);
    const { signal } = new AbortController();
    const { metadata } = identity;
    return foundTool.run(foundTool.input.parse(input), { http, metadata, signal, idempotencyKey: "effect_1", clock });
  }
  return { identity, run };
}

type OAuth = {
  scopes: string[];
  scopeParameter?: string;
  authorizeParams?: Record<string, string>;
  clientAuth: string;
  pkce: boolean;
  tokenBody?: "json";
  tokensIn?: string;
};

async function consent(
  { fetch }: ReturnType<typeof sandboxServices>,
  endpoints: { authorize: string; token: string },
  client: { id: string; secret?: string },
  oauth: OAuth,
): Promise<string> {
  const query = {
    ...oauth.authorizeParams,
    client_id: client.id,
    redirect_uri: REDIRECT,
    response_type: "code",
    state: "s",
    ...(oauth.scopes.length > 0 ? { [oauth.scopeParameter ?? "scope"]: oauth.scopes.join(" ") } : {}),
    ...(oauth.pkce ? { code_challenge: challenge(VERIFIER), code_challenge_method: "S256" } : {}),
  };
  const page = await (await fetch(`${endpoints.authorize}?${new URLSearchParams(query)}`)).text();
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(page)?.[1] ?? "";
  const answers = { ticket: field("ticket"), account: field("account"), decision: "allow" };
  const answer = await fetch(endpoints.authorize, { method: "POST", body: new URLSearchParams(answers) });
  const code = new URL(answer.headers.get("location") ?? "").searchParams.get("code") ?? "";
  const basic = `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString("base64")}`;
  const inBody = oauth.clientAuth === "client_secret_post";
  const parameters = {
    grant_type: "authorization_code",
    code,
    redirect_uri: REDIRECT,
    ...(oauth.pkce ? { code_verifier: VERIFIER } : {}),
    ...(inBody ? { client_id: client.id, client_secret: client.secret ?? "" } : {}),
  };
  const json = oauth.tokenBody === "json";
  const response = await fetch(endpoints.token, {
    method: "POST",
    headers: {
      accept: "application/json",
      ...(inBody ? {} : { authorization: basic }),
      ...(json ? { "content-type": "application/json" } : {}),
    },
    body: json ? JSON.stringify(parameters) : new URLSearchParams(parameters),
  });
  const tokens = parseTokenResponse(response.status, await response.text(), oauth.tokensIn);
  if (tokens.kind !== "tokens") throw new Error("the consent gave no token");
  return String(tokens.fields.access_token);
}

const VERIFIER = "v".repeat(43);

function challenge(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url");
}

import { Hono } from "hono";
import { sendApiError } from "./api.ts";
import { createControlRoutes } from "./controls/controls.ts";
import { createFaults, type Faults } from "./controls/faults.ts";
import { createRequestLog, type RequestLog, redactBody, redactPath } from "./controls/requests.ts";
import { registerAvatars } from "./files.ts";
import { createGrants, type GrantRows, type Grants } from "./oauth/grants.ts";
import { registerOAuthRoutes } from "./oauth/routes.ts";
import type { Client } from "./oauth/token.ts";
import type { Grant, Provider, SandboxEnv } from "./provider.ts";

const BODY_BYTES = 40_000_000;

/** Options of an origin. `seed` is validated; `saved` is the last saved world. */
export type OriginStart<World> = {
  provider: Provider<World>;
  client: Client;
  seed: unknown;
  saved: { world: unknown; tokens: GrantRows };
  check(data: unknown): World;
  now(): number;
  random(bytes: number): Uint8Array;
  changed(): void;
};

/** One stand-in: `fetch` answers like the provider, `snapshot` returns the state for a restart. */
export type Origin = {
  fetch(request: Request, address?: string): Promise<Response>;
  snapshot(): { world: unknown; tokens: GrantRows };
};

/** Wraps a provider in its OAuth server, faults, request log and controls. */
export function createOrigin<World>(start: OriginStart<World>): Origin {
  const { provider, now, random, changed } = start;
  const tokens = start.saved.tokens;
  let world = start.check(start.saved.world);
  const grants = createGrants(provider.oauth, tokens, { now, random, changed });
  const [faults, requests] = [createFaults(), createRequestLog()];
  const oauth = {
    title: provider.title,
    traits: provider.oauth,
    client: start.client,
    grants,
    accounts: () => provider.accounts(world),
    now,
    random,
  };
  const load = (data: unknown) => {
    world = start.check(data);
    changed();
  };
  const findHolder = (request: Request) => findBearerGrant(request, grants, provider.oauth.tokenScheme);
  const findGrant = (request: Request) => {
    const grant = findHolder(request);
    return provider.accounts(world).some(({ id }) => id === grant?.account) ? grant : undefined;
  };
  const app = new Hono<SandboxEnv>();
  app.route(
    "/_sandbox",
    createControlRoutes({ oauth, faults, requests, world: () => world, load, reset: () => reset() }),
  );
  function reset() {
    load(start.seed);
    faults.set([]);
    requests.clear();
  }
  registerAvatars(app);
  registerOAuthRoutes(app, oauth);
  const api = new Hono<SandboxEnv>();
  api.onError(sendApiError);
  provider.routes(api, {
    world: () => world,
    save: changed,
    now,
    timestamp: () => new Date(now()).toISOString(),
    random,
    grant: findGrant,
    revoke: grants.revoke,
    client: start.client,
  });
  app.route("/", api);
  return {
    fetch: (request, address) => serve(request, address, { app, faults, requests, holder: findHolder, now }),
    snapshot: () => ({ world, tokens }),
  };
}

type Serving = {
  app: Hono<SandboxEnv>;
  faults: Faults;
  requests: RequestLog;
  holder(request: Request): Grant | undefined;
  now(): number;
};

async function serve(request: Request, address: string | undefined, serving: Serving): Promise<Response> {
  const run = async (r: Request) => serving.app.fetch(r, address === undefined ? {} : { address });
  if (new URL(request.url).pathname.startsWith("/_sandbox/")) return run(request);
  const bytes = Buffer.from(await request.clone().arrayBuffer());
  if (bytes.byteLength > BODY_BYTES) return new Response("Payload Too Large", { status: 413 });
  const account = serving.holder(request)?.account ?? null;
  const time = new Date(serving.now()).toISOString();
  const body = redactBody(bytes, request.headers.get("content-type") ?? "");
  const response = await serving.faults.meet(request, () => run(request));
  serving.requests.add({
    time,
    method: request.method,
    path: redactPath(request.url),
    body,
    account,
    status: response.status,
  });
  return response;
}

function findBearerGrant(request: Request, grants: Grants, tokenScheme = false): Grant | undefined {
  const scheme = tokenScheme ? /^(?:bearer|token)\s+(\S+)$/i : /^bearer\s+(\S+)$/i;
  const token = scheme.exec(request.headers.get("authorization") ?? "")?.[1];
  return token === undefined ? undefined : grants.access(token);
}

import { type Context, Hono, type MiddlewareHandler } from "hono";
import * as z from "zod/mini";
import { isLoopbackAddress, isLoopbackHost } from "#net/addresses";
import { type ErrorCode, Problem, toProblemBody } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import { parseAuthorization } from "../oauth/authorization.ts";
import { answerConsent, type OAuthTarget } from "../oauth/routes.ts";
import type { SandboxEnv } from "../provider.ts";
import { Fault, type Faults } from "./faults.ts";
import type { RequestLog } from "./requests.ts";

/**
 * Controls are for programs on this machine. Refuses other peers, browsers' cross-site requests (Origin,
 * Sec-Fetch-Site), and requests for another host name, as from a web page whose name was rebound to 127.0.0.1.
 */
const requireLocal: MiddlewareHandler<SandboxEnv> = async (c, next) => {
  const reason = findRefusal(c.req.raw, c.env?.address);
  if (reason !== undefined) return c.json({ error: "FORBIDDEN", message: reason }, 403);
  await next();
};

function findRefusal(request: Request, address: string | undefined): string | undefined {
  if (address === undefined || !isLoopbackAddress(address))
    return "The sandbox's controls answer to this machine only.";
  const site = request.headers.get("sec-fetch-site");
  if (request.headers.has("origin") || (site !== null && site !== "none"))
    return "The sandbox's controls do not answer to web pages.";
  const { hostname } = new URL(request.url);
  if (!isLoopbackHost(hostname)) return "The sandbox's controls answer to loopback names only.";
  return undefined;
}

/** The state that the controls of an origin can change. */
export type ControlTarget = {
  oauth: OAuthTarget;
  faults: Faults;
  requests: RequestLog;
  world(): unknown;
  /** Replaces the world by a seed; throws a Problem for an invalid one. */
  load(data: unknown): void;
  /** Restores the seed that the sandbox was started with. */
  reset(): void;
};

const TokenOwner = z.strictObject({ account: z.optional(z.string()) });
const Consent = z.strictObject({
  authorization_url: z.string(),
  decision: z.enum(["allow", "deny"]),
  /** ID, name or email; the first account by default. */
  account: z.optional(z.string()),
});

/** `/_sandbox/…` of an origin (protocol section 7): they put the stand-in into any state and show its requests. */
export function createControlRoutes(target: ControlTarget): Hono<SandboxEnv> {
  const app = new Hono<SandboxEnv>();
  app.use(requireLocal);
  app.get("/requests", (c) => c.json({ requests: target.requests.list() }));
  app.get("/state", (c) => c.json(target.world() as object));
  app.put("/state", async (c) => {
    target.load(await readJson(c));
    return c.json(target.world() as object);
  });
  app.post("/reset", (c) => {
    target.reset();
    return c.json({ reset: true });
  });
  app.get("/faults", (c) => c.json({ faults: target.faults.list() }));
  app.put("/faults", async (c) => {
    const body = await readJson(c);
    const faults = Array.isArray(body) ? body : [body];
    target.faults.set(faults.map((fault) => parseShape(Fault, fault, "the fault")));
    return c.json({ faults: target.faults.list() });
  });
  app.post("/tokens/expire", async (c) =>
    c.json({ expired: target.oauth.grants.expire(await readAccount(c, target)) }),
  );
  app.post("/tokens/revoke", async (c) =>
    c.json({ revoked: target.oauth.grants.revokeAll(await readAccount(c, target)) }),
  );
  app.post("/consent", async (c) =>
    c.json({ redirect_url: redirectConsent(target.oauth, parseShape(Consent, await readJson(c), "the consent")) }),
  );
  app.all("/*", (c) => {
    throw createProblem(`The sandbox has no control ${c.req.path}.`, "NOT_FOUND");
  });
  app.onError((error, c) => {
    if (!(error instanceof Problem)) throw error;
    return c.json(toProblemBody(error), error.status as 400);
  });
  return app;
}

function redirectConsent(target: OAuthTarget, answer: z.infer<typeof Consent>): string {
  const url = URL.canParse(answer.authorization_url) ? new URL(answer.authorization_url) : undefined;
  if (url?.pathname !== target.traits.authorizePath) {
    throw createProblem(`authorization_url must be an address of ${target.traits.authorizePath} on this origin.`);
  }
  const parsed = parseAuthorization(url.searchParams, target.traits, target.client.id);
  if (parsed.outcome === "refuse") throw createProblem(parsed.reason);
  if (parsed.outcome === "redirect") return parsed.location;
  return answerConsent(
    target,
    parsed.authorization,
    answer.decision === "allow" ? getAccount(target, answer.account) : null,
  );
}

async function readAccount(c: Context<SandboxEnv>, target: ControlTarget): Promise<string | undefined> {
  const { account } = parseShape(TokenOwner, await readJson(c), "the request");
  return account === undefined ? undefined : getAccount(target.oauth, account);
}

function getAccount(target: OAuthTarget, accountId: string | undefined): string {
  const accounts = target.accounts();
  const account =
    accountId === undefined
      ? accounts[0]
      : accounts.find(({ id, name, email }) => [id, name, email].includes(accountId));
  if (!account) throw createProblem(`There is no account ${accountId ?? ""} here.`, "NOT_FOUND");
  return account.id;
}

async function readJson(c: Context<SandboxEnv>): Promise<unknown> {
  const text = await c.req.text();
  try {
    return text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    throw createProblem("The request is not JSON.");
  }
}

function createProblem(sentence: string, code: ErrorCode = "INVALID_REQUEST"): Problem {
  return new Problem(code, sentence);
}

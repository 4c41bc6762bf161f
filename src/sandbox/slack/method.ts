import type { Context, Hono } from "hono";
import type { JsonRecord } from "#protocol/json";
import { ApiError } from "../api.ts";
import type { Grant, ProviderContext, SandboxEnv } from "../provider.ts";
import { type Channel, type Conversation, isIm, type SlackState, type User } from "./state.ts";

/** A failure of Slack: 200 `{"ok": false, "error": …}`. */
export function slackError(error: string, details: JsonRecord = {}): ApiError {
  return new ApiError(200, error, { ok: false, error, ...details });
}

/** Context of a method call: its arguments from any place, and the account of its token. */
export type MethodCall = {
  args: Record<string, string | undefined>;
  grant: Grant;
  me: User;
  world: SlackState;
  provider: ProviderContext<SlackState>;
  request: Request;
};

/**
 * Adds a method of the Web API (docs.slack.dev/apis/web-api): GET or POST, arguments in the query, a form or JSON,
 * always 200.
 */
export function registerMethod(
  app: Hono<SandboxEnv>,
  provider: ProviderContext<SlackState>,
  name: string,
  scope: string | undefined,
  run: (call: MethodCall) => Record<string, unknown>,
): void {
  app.on(["GET", "POST"], `/api/${name}`, async (c) => {
    const args = await getArguments(c);
    const call = { args, ...authenticate(c, provider), world: provider.world(), provider, request: c.req.raw };
    c.header("x-oauth-scopes", call.grant.scopes.join(","));
    if (scope !== undefined) {
      c.header("x-accepted-oauth-scopes", scope);
      requireScope(call, scope);
    }
    return c.json({ ok: true, ...run(call), ...createWarning(c) });
  });
}

/** Requires a scope. @throws ApiError `missing_scope` with the needed and provided scopes */
export function requireScope({ grant }: Pick<MethodCall, "grant">, scope: string): void {
  if (grant.scopes.includes(scope)) return;
  throw slackError("missing_scope", { needed: scope, provided: grant.scopes.join(",") });
}

/** Returns the scope of an action for a kind of conversation: `channels:history`, `groups:history`, `im:history`. */
export function getScope(conversation: Conversation, action: "read" | "history"): string {
  if (isIm(conversation)) return `im:${action}`;
  return `${conversation.is_private ? "groups" : "channels"}:${action}`;
}

/**
 * Finds the conversation of the argument `channel`, if this user may see it.
 * @throws ApiError `channel_not_found`
 */
export function findConversation({ args, world, me }: MethodCall): Conversation {
  const conversation = [...world.channels, ...world.ims].find(({ id }) => id === args.channel);
  if (!conversation || !canSee(conversation, me)) throw slackError("channel_not_found");
  return conversation;
}

export function canSee(conversation: Conversation, me: User): boolean {
  return isIm(conversation)
    ? conversation.users.includes(me.id)
    : !conversation.is_private || isMember(conversation, me);
}

export function isMember({ members }: Channel, me: User): boolean {
  return members.includes(me.id);
}

/** Returns a page of a list with the cursor of the next (docs.slack.dev/apis/web-api/pagination). */
export function paginate<T>(
  { args }: MethodCall,
  items: T[],
  { fallback = 100, most = 1000 } = {},
): { page: T[]; next: string } {
  const limit = Number(args.limit || fallback);
  if (!Number.isInteger(limit) || limit < 1 || limit >= most + 1) throw slackError("invalid_limit");
  const start = args.cursor ? getPosition(args.cursor) : 0;
  const end = start + limit;
  return {
    page: items.slice(start, end),
    next: end < items.length ? Buffer.from(`next:${end}`).toString("base64") : "",
  };
}

function getPosition(cursor: string): number {
  const position = /^next:(\d+)$/.exec(Buffer.from(cursor, "base64").toString())?.[1];
  if (position === undefined) throw slackError("invalid_cursor");
  return Number(position);
}

function authenticate(c: Context<SandboxEnv>, provider: ProviderContext<SlackState>): { grant: Grant; me: User } {
  if (!c.req.header("authorization")) throw slackError("not_authed");
  const grant = provider.grant(c.req.raw);
  const me = provider.world().users.find(({ id }) => id === grant?.account);
  if (!grant || !me) throw slackError("invalid_auth");
  return { grant, me };
}

async function getArguments(c: Context<SandboxEnv>): Promise<Record<string, string | undefined>> {
  const args: Record<string, string> = { ...c.req.query() };
  const type = c.req.header("content-type") ?? "";
  const text = await c.req.text();
  if (!type.includes("json")) return { ...args, ...Object.fromEntries(new URLSearchParams(text)) };
  try {
    const body: unknown = JSON.parse(text || "{}");
    const entries = Object.entries(typeof body === "object" && body !== null ? body : {});
    return {
      ...args,
      ...Object.fromEntries(
        entries.map(([name, value]) => [name, typeof value === "object" ? JSON.stringify(value) : String(value)]),
      ),
    };
  } catch {
    return args;
  }
}

/** Slack warns about JSON without a charset but handles the request. */
function createWarning(c: Context<SandboxEnv>): Record<string, unknown> {
  const type = c.req.header("content-type") ?? "";
  if (!type.includes("json") || /charset=utf-8/i.test(type)) return {};
  return { warning: "missing_charset", response_metadata: { warnings: ["missing_charset"] } };
}

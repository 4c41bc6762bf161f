import { createHash } from "node:crypto";

type Json = Record<string, unknown>;
type Reply = [status: number, body: Json];
type Incoming = { query: URLSearchParams; body: Json; session?: string; rest: string };
type Routes = Record<string, (incoming: Incoming) => Reply>;
type Store = ReturnType<typeof createStore>;

/** The status that a guide-only backend reports for later connections: none, or always pending. */
export type LaterStatus = "unknown" | "pending";

/** A backend with only what the integration guide has, written from it alone. */
export type GuideBackend = {
  fetch(request: Request): Promise<Response>;
  /** The user allows the request of an authorization URL. */
  consent(authorizationUrl: string): Promise<void>;
  /** The database is lost: all sessions are unknown. */
  forget(): void;
  /** The model's key is missing. */
  loseModel(): void;
};

/** The guide's example person and site. */
const USER = { account_id: "557058:abc123-def456-ghi789", name: "John Doe", email: "john@example.com" };
const SITE = { url: "https://example.atlassian.net" };
const SERVICES = ["jira", "confluence", "bitbucket", "kyg"];
const INVALID_SESSION = {
  error: "Invalid session_id",
  message: "The provided session_id no longer exists. Please reconnect your services.",
  session_reset_required: true,
};

/** Creates a {@link GuideBackend}. */
export function guideBackend(clock: { now(): number }, later: LaterStatus = "unknown"): GuideBackend {
  const store = createStore(clock);
  const routes = { ...createConnectRoutes(store, later), ...createSessionRoutes(store), ...createAskRoutes(store) };
  return {
    loseModel: () => {
      store.model = false;
    },
    forget: () => {
      for (const session of store.sessions.keys()) store.end(session);
      store.sessions.clear();
    },
    consent: async (authorizationUrl) => {
      const state = store.states.get(new URL(authorizationUrl).searchParams.get("state") ?? "");
      if (!state) throw new Error("no such state");
      state.done = true;
      store.sessions.get(state.session)?.add(state.service);
    },
    async fetch(request) {
      const { pathname, searchParams: query } = new URL(request.url);
      const name = `${request.method} ${pathname}`;
      const route = Object.keys(routes).find(
        (prefix) => prefix === name || (prefix.endsWith("/") && name.startsWith(prefix)),
      );
      // As web frameworks answer by default.
      const page = { status: 404, headers: { "content-type": "text/html" } };
      if (!route) return new Response(`<pre>Cannot ${name}</pre>`, page);
      const token = request.headers.get("authorization")?.replace("Bearer ", "");
      const session = token === undefined ? undefined : store.ownerOf(token);
      const body = request.method === "POST" ? JSON.parse((await request.text()) || "{}") : {};
      const refused = token !== undefined && session === undefined;
      const reply = refused
        ? refuseToken("TOKEN_EXPIRED", "Token has expired")
        : routes[route]?.({ query, body, session, rest: name.slice(route.length) });
      return Response.json(reply?.[1], { status: reply?.[0] });
    },
  };
}

/** Everything it remembers. */
function createStore(clock: { now(): number }) {
  const sessions = new Map<string, Set<string>>();
  const states = new Map<string, { session: string; service: string; first: boolean; done: boolean }>();
  const tokens = new Map<string, { session: string; exp: number }>();
  const refreshTokens = new Map<string, string>();
  let count = 0;
  const hex = (name: string) => createHash("sha256").update(`${name} ${++count}`).digest("hex");
  const seconds = () => Math.floor(clock.now() / 1000);
  return {
    sessions,
    states,
    refreshTokens,
    confirmations: new Map<string, string>(),
    conversations: new Map<string, string[]>(),
    model: true,
    hex,
    unique: (name: string) => `${name}_${clock.now()}_${hex(name).slice(0, 12)}`,
    ownerOf(token: string) {
      const knownToken = tokens.get(token);
      return knownToken && knownToken.exp > seconds() ? knownToken.session : undefined;
    },
    issue(session: string) {
      const exp = seconds() + 30 * 60;
      const token = jwt({ sub: session, iat: seconds(), exp, jti: hex("token") });
      const refresh = hex("refresh");
      tokens.set(token, { session, exp });
      refreshTokens.set(refresh, session);
      return { token, refresh_token: refresh };
    },
    end(session: string) {
      for (const [token, owner] of tokens) if (owner.session === session) tokens.delete(token);
      for (const [token, owner] of refreshTokens) if (owner === session) refreshTokens.delete(token);
    },
  };
}

/** "Service Connection Flow": calls without an access token. */
function createConnectRoutes(store: Store, later: LaterStatus): Routes {
  const { sessions, states } = store;
  const view = (session: string) => {
    const readOne = (name: string) =>
      sessions.get(session)?.has(name) ? { connected: true, user: USER, metadata: SITE } : { connected: false };
    return { connections: Object.fromEntries(SERVICES.map((name) => [name, readOne(name)])) };
  };
  return {
    "POST /connections/connect": ({ query, body }) => begin(store, query.get("service") ?? "", body.session_id),
    "GET /auth/status/": ({ rest }) => {
      const state = states.get(rest);
      const pending = { status: "pending", message: "Authorization not yet completed" };
      if (!state || (!state.first && later === "unknown"))
        return [400, { error: "INVALID_STATE", message: "Invalid or expired state parameter" }];
      if (!state.done || !state.first) return [200, pending];
      const message = "Authorization completed successfully. You can close this window.";
      return [200, { status: "completed", account_id: USER.account_id, ...store.issue(state.session), message }];
    },
    "GET /connections": ({ query, session }) => {
      const sessionId = query.get("session_id");
      if (session) return [200, view(session)];
      if (sessionId === null) return refuseToken("TOKEN_MISSING", "No Authorization header or invalid format");
      return sessions.has(sessionId) ? [200, view(sessionId)] : [400, INVALID_SESSION];
    },
    "POST /connections/disconnect": ({ query, body }) => {
      const service = query.get("service") ?? "";
      const session = sessions.get(String(body.session_id));
      if (!session) return [400, INVALID_SESSION];
      if (!SERVICES.includes(service)) return refuseService(service);
      session.delete(service);
      return [200, { service, connected: false, message: `Successfully disconnected from ${service}` }];
    },
  };
}

/** A state counts as a first connection's when nobody is signed in for its session. */
function begin({ sessions, states, refreshTokens, unique, hex }: Store, service: string, sessionId: unknown): Reply {
  if (!SERVICES.includes(service)) return refuseService(service);
  const isKnown = typeof sessionId === "string" && sessions.has(sessionId);
  const session = isKnown ? sessionId : unique("kaysession");
  if (!isKnown) sessions.set(session, new Set());
  const state = hex("state");
  const first = ![...refreshTokens.values()].includes(session);
  states.set(state, { session, service, first, done: false });
  const reset = sessionId !== undefined && !isKnown;
  const message = `${reset ? "New session created. " : ""}Please visit the authorization URL to connect ${service}`;
  const authorization_url = `https://auth.atlassian.com/authorize?state=${state}&prompt=consent`;
  const answer = { service, session_id: session, authorization_url, state, message };
  return [200, reset ? { ...answer, session_reset: true } : answer];
}

/** "Token Refresh" and "POST /auth/logout". */
function createSessionRoutes(store: Store): Routes {
  return {
    "POST /auth/refresh": ({ body }) => {
      if (typeof body.refresh_token !== "string")
        return [400, { error: "MISSING_PARAMETER", message: "refresh_token is required" }];
      const session = store.refreshTokens.get(String(body.refresh_token));
      if (!session) return refuseToken("INVALID_REFRESH_TOKEN", "Invalid or expired refresh token");
      store.refreshTokens.delete(String(body.refresh_token));
      return [200, { ...store.issue(session), message: "Token refreshed successfully" }];
    },
    "POST /auth/logout": ({ session }) => {
      if (!session) return refuseToken("TOKEN_MISSING", "No Authorization header or invalid format");
      store.end(session);
      return [200, { message: "Logged out successfully" }];
    },
  };
}

/** "Ask Endpoint". */
function createAskRoutes(store: Store): Routes {
  const { confirmations, conversations, unique } = store;
  const refuseRequest = (message: string): Reply => [400, { status: "error", message }];
  return {
    "POST /ask": ({ body: { prompt, context = {}, confirm, interactive, session_id }, session }) => {
      if (!session) return refuseToken("TOKEN_MISSING", "No Authorization header or invalid format");
      if (typeof prompt !== "string" || prompt === "") return refuseRequest("Missing required field: prompt");
      if (!store.model) return [500, { status: "error", message: "OpenAI API key is not configured" }];
      if (confirm === true) {
        const confirmation_token = unique("confirm");
        confirmations.set(confirmation_token, prompt);
        const message = `Please confirm the following action: ${prompt}`;
        const response = { status: "confirmation_required", confirmation_token, requires_confirmation: true, message };
        return [200, { ...response, data: { prompt, context } }];
      }
      const answer = `You said: ${prompt}`;
      if (interactive !== true)
        return [200, { status: "completed", message: answer, data: { prompt, response: answer } }];
      const id = session_id === undefined ? unique("session") : String(session_id);
      const turns = session_id === undefined ? [] : conversations.get(id);
      if (!turns) return refuseRequest("Invalid or expired session_id");
      conversations.set(id, [...turns, prompt]);
      const message = `Turn ${turns.length + 1}: ${prompt}`;
      return [200, { status: "interactive_response", session_id: id, interactive: true, message, data: { prompt } }];
    },
    "POST /ask/confirm": ({ body, session }) => {
      if (!session) return refuseToken("TOKEN_MISSING", "No Authorization header or invalid format");
      const token = String(body.confirmation_token);
      const prompt = confirmations.get(token);
      if (prompt === undefined) return refuseRequest("Invalid or expired confirmation_token");
      confirmations.delete(token);
      if (body.approved !== true) return [200, { status: "completed", message: "Action cancelled by user" }];
      return [200, { status: "completed", message: "Action confirmed and executed successfully", data: { prompt } }];
    },
  };
}

function refuseService(service: string): Reply {
  return [400, { error: "INVALID_SERVICE", message: `Unknown service: ${service}` }];
}

function refuseToken(code: string, message: string): Reply {
  return [401, { error: code, code, message }];
}

function jwt(payload: Json): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "HS256", typ: "JWT" })}.${part(payload)}.c2ln`;
}

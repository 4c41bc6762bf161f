/**
 * A client written from the integration guide alone: its endpoints, its bodies, nothing else. It shares no code with kay's own client, so
 * that a mistake made on both sides of the wire cannot hide here.
 */

/** An answer: HTTP status, and the JSON body. */
export type Answer = { status: number; body: Record<string, unknown> };

/** What a client has after a complete first connection. */
export type SignedIn = { session_id: string; token: string; refresh_token: string; account_id: string };

export type GuideClient = ReturnType<typeof guideClient>;

/** @param baseUrl `http://localhost:4000`, without a slash at its end */
export function guideClient(baseUrl: string) {
  const get = (path: string, token?: string) => exchange("GET", baseUrl + path, undefined, token);
  const post = (path: string, body: unknown, token?: string) => exchange("POST", baseUrl + path, body, token);
  return {
    connect: (service: string, body: { session_id?: string } = {}) =>
      post(`/connections/connect?service=${service}`, body),
    status: (state: string) => get(`/auth/status/${state}`),
    connections: (who: { token?: string; session_id?: string }) =>
      get(who.session_id === undefined ? "/connections" : `/connections?session_id=${who.session_id}`, who.token),
    disconnect: (service: string, session_id: string) =>
      post(`/connections/disconnect?service=${service}`, { session_id }),
    refresh: (refresh_token: string) => post("/auth/refresh", { refresh_token }),
    logout: (token?: string) => post("/auth/logout", undefined, token),
    ask: (body: Record<string, unknown>, token?: string) => post("/ask", body, token),
    confirm: (body: Record<string, unknown>, token?: string) => post("/ask/confirm", body, token),
    post,
  };
}

async function exchange(method: string, url: string, body: unknown, token?: string): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

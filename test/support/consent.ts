import { deriveInstallationId } from "#backend/accounts/sessions";
import type { Answer, World } from "./backend.ts";
import { json } from "./outside.ts";

/** Accounts and sites of the fake Atlassian. */
export const ANN = { account_id: "557058:ann", name: "Ann Example", email: "ann@example.test" };
export const BOB = { account_id: "557058:bob", name: "Bob Example", email: "bob@example.test" };
export const MAIN = site("c-main", "main");
export const OTHER = site("c-other", "other");

export const ATLASSIAN_TOKEN = "POST https://auth.atlassian.com/oauth/token";

function site(id: string, name: string) {
  const scopes = ["read:jira-work", "write:jira-work", "search:confluence", "read:page:confluence"];
  return { id, name, url: `https://${name}.example.test`, scopes };
}

export type Consent = { account?: object; sites?: object[]; tokens?: object; token?: string };

/** Expects the backend's requests for a consent at Atlassian: the code exchange, the sites, the account. */
export function expectAtlassian(
  { outside }: World,
  { account = ANN, sites = [MAIN], tokens = {} }: Consent = {},
): void {
  const answer = {
    access_token: "jira-access-1",
    refresh_token: "jira-refresh-1",
    expires_in: 3600,
    token_type: "Bearer",
  };
  outside.expect(ATLASSIAN_TOKEN, json({ ...answer, ...tokens }));
  outside.expect("GET https://api.atlassian.com/oauth/token/accessible-resources", json(sites));
  outside.expect("GET https://api.atlassian.com/me", json(account));
}

/** Starts to connect a service, and returns what the client needs to continue. */
export async function begin(
  world: World,
  body: object = {},
  service = "jira",
  token?: string,
): Promise<{ session: string; state: string }> {
  const answer = await world.call(`POST /connections/connect?service=${service}`, { body, token });
  return { session: String(answer.body.session_id), state: String(answer.body.state) };
}

/** The browser returns with a code. */
export function callback(world: World, state: string, code = "the-code"): Promise<Answer> {
  return world.call(`GET /auth/callback?code=${code}&state=${state}`);
}

/** A whole connection of an Atlassian service: begin, consent, status. */
export async function connect(world: World, body: object = {}, options: Consent & { service?: string } = {}) {
  const { session, state } = await begin(world, body, options.service, options.token);
  expectAtlassian(world, options);
  const page = await callback(world, state);
  const status = await world.call(`GET /auth/status/${state}`);
  return {
    session,
    installation: deriveInstallationId(session),
    state,
    page,
    status,
    token: String(status.body.token),
    refreshToken: String(status.body.refresh_token),
  };
}

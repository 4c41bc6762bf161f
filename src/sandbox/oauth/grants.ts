import { hash } from "node:crypto";
import * as z from "zod/mini";
import type { Grant, IssuedTokens, OAuthTraits, RefreshTokenRule } from "../provider.ts";

const CODE_MS = 60_000;

const GrantRow = z.object({ account: z.string(), client: z.string(), scopes: z.array(z.string()) });
const CodeRow = z.object({
  grant: z.string(),
  redirect_uri: z.string(),
  challenge: z.optional(z.string()),
  /** Set if the request decided about the refresh token. */
  refresh: z.optional(z.boolean()),
  expires: z.number(),
  spent: z.boolean(),
});

/** Codes and tokens by their SHA-256, so saved data can never be used as a token. */
export const GrantRows = z.object({
  grants: z.record(z.string(), GrantRow),
  codes: z.record(z.string(), CodeRow),
  access: z.record(z.string(), z.object({ grant: z.string(), expires: z.number() })),
  refresh: z.record(z.string(), z.object({ grant: z.string(), spent: z.boolean(), expires: z.optional(z.number()) })),
});

export type GrantRows = z.infer<typeof GrantRows>;

/** The consent that a code is issued for, and the values that the token request must repeat. */
export type CodeRequest = {
  account: string;
  client: string;
  scopes: string[];
  redirectUri: string;
  challenge?: string;
  asksRefresh?: RefreshTokenRule;
};

/** The data that the functions below work on. */
type Store = {
  traits: OAuthTraits;
  rows: GrantRows;
  now(): number;
  random(bytes: number): Uint8Array;
  changed(): void;
};

export type Grants = ReturnType<typeof createGrants>;

/**
 * Codes, access and refresh tokens of one origin. A code is valid for one minute and once; a second use revokes the
 * tokens that it issued (RFC 6749 section 4.1.2). A spent refresh token is refused.
 */
export function createGrants(traits: OAuthTraits, rows: GrantRows, ports: Omit<Store, "traits" | "rows">) {
  const store: Store = { traits, rows, ...ports };
  return {
    /** Issues a code for a consent. */
    code: (request: CodeRequest) => createCode(store, request),

    /** Exchanges a code for tokens; undefined if anything is invalid. */
    exchange: (code: string, client: string, redirectUri: string, verifier: string | undefined) =>
      exchange(store, code, { client, redirectUri, verifier }),

    /** Exchanges a refresh token for new tokens; undefined if it is unknown, spent, revoked or another client's. */
    refresh: (token: string, client: string) => refresh(store, token, client),

    /** Finds the grant of a valid access token. */
    access(token: string): Grant | undefined {
      const row = rows.access[hashValue(token)];
      return row && row.expires > store.now() ? getGrant(rows, row.grant) : undefined;
    },

    /** Revokes the consent of an access or refresh token. @returns whether there was one */
    revoke(token: string, covers: "consent" | "account"): boolean {
      const row = rows.access[hashValue(token)] ?? rows.refresh[hashValue(token)];
      const grant = row && getGrant(rows, row.grant);
      if (!grant) return false;
      const isCovered = ({ account, client }: Omit<Grant, "id">) =>
        account === grant.account && client === grant.client;
      for (const [id, code] of Object.entries(rows.grants))
        if (id === grant.id || (covers === "account" && isCovered(code))) revoke(store, id);
      return true;
    },

    /** Expires access tokens now; refresh tokens stay. @returns how many */
    expire: (account?: string) => expire(store, account),

    /** Revokes consents with all their tokens. @returns how many */
    revokeAll(account?: string): number {
      const ids = Object.keys(rows.grants).filter((id) => !account || rows.grants[id]?.account === account);
      for (const id of ids) revoke(store, id);
      return ids.length;
    },
  };
}

/** Creates an empty store. */
export function createGrantRows(): GrantRows {
  return { grants: {}, codes: {}, access: {}, refresh: {} };
}

function createCode(store: Store, request: CodeRequest): string {
  const { account, client, scopes, redirectUri, challenge, asksRefresh } = request;
  const { rows, now } = store;
  prune(rows, now());
  const hasConsented = Object.values(rows.grants).some((grant) => grant.account === account && grant.client === client);
  const [id, code] = [createSecret(store), createSecret(store)];
  rows.grants[id] = { account, client, scopes };
  rows.codes[hashValue(code)] = {
    grant: id,
    redirect_uri: redirectUri,
    ...(challenge === undefined ? {} : { challenge }),
    ...(asksRefresh === undefined
      ? {}
      : { refresh: asksRefresh === "always" || (asksRefresh === "first" && !hasConsented) }),
    expires: now() + CODE_MS,
    spent: false,
  };
  store.changed();
  return code;
}

type Proof = { client: string; redirectUri: string; verifier: string | undefined };

function exchange(store: Store, code: string, { client, redirectUri, verifier }: Proof): IssuedTokens | undefined {
  const { rows, traits, now } = store;
  const row = rows.codes[hashValue(code)];
  const grant = row && getGrant(rows, row.grant);
  if (!row || !grant || grant.client !== client) return undefined;
  if (row.spent) {
    revoke(store, grant.id);
    return undefined;
  }
  row.spent = true;
  store.changed();
  // The stored challenge is an S256 digest (RFC 7636), like the keys of this store.
  const isProven = row.challenge === undefined || (verifier !== undefined && hashValue(verifier) === row.challenge);
  if (row.expires <= now() || row.redirect_uri !== redirectUri || !isProven) return undefined;
  const isOffline = traits.offlineScope === undefined || grant.scopes.includes(traits.offlineScope);
  return issue(store, grant, row.refresh ?? (isOffline && traits.refresh !== "none"));
}

function refresh(store: Store, token: string, client: string): IssuedTokens | undefined {
  const row = store.rows.refresh[hashValue(token)];
  const grant = row && getGrant(store.rows, row.grant);
  if (!row || !grant || row.spent || grant.client !== client) return undefined;
  if (row.expires !== undefined && row.expires <= store.now()) return undefined;
  if (store.traits.refresh === "stable") return { ...issue(store, grant, false), refresh: token };
  row.spent = true;
  return issue(store, grant, true);
}

function issue(store: Store, grant: Grant, withRefresh: boolean): IssuedTokens {
  const { rows, traits, now } = store;
  const { access, refresh } = traits.prefixes ?? { access: "", refresh: "" };
  const { scopes, account } = grant;
  const tokens: IssuedTokens = {
    access: access + createSecret(store),
    scopes,
    expiresIn: traits.accessSeconds,
    account,
  };
  rows.access[hashValue(tokens.access)] = { grant: grant.id, expires: now() + traits.accessSeconds * 1000 };
  if (withRefresh) {
    tokens.refresh = refresh + createSecret(store);
    const expires = traits.refreshSeconds && now() + traits.refreshSeconds * 1000;
    rows.refresh[hashValue(tokens.refresh)] = { grant: grant.id, spent: false, ...(expires ? { expires } : {}) };
  }
  store.changed();
  return tokens;
}

function expire({ rows, now, changed }: Store, account: string | undefined): number {
  const validRows = Object.values(rows.access).filter(
    (row) => row.expires > now() && (!account || rows.grants[row.grant]?.account === account),
  );
  for (const row of validRows) row.expires = now();
  changed();
  return validRows.length;
}

function revoke({ rows, changed }: Store, id: string) {
  delete rows.grants[id];
  for (const table of [rows.codes, rows.access, rows.refresh]) {
    for (const [key, row] of Object.entries(table)) if (row.grant === id) delete table[key];
  }
  changed();
}

function getGrant(rows: GrantRows, id: string): Grant | undefined {
  const row = rows.grants[id];
  return row && { id, ...row };
}

function createSecret({ random }: Store): string {
  return Buffer.from(random(32)).toString("base64url");
}

/** Deletes codes and access tokens a day after they expire, and grants without any. */
function prune(rows: GrantRows, now: number) {
  const old = now - 86_400_000;
  for (const [key, row] of Object.entries(rows.codes)) if (row.expires < old) delete rows.codes[key];
  for (const [key, row] of Object.entries(rows.access)) if (row.expires < old) delete rows.access[key];
  const usedGrants = new Set(
    [rows.codes, rows.access, rows.refresh].flatMap((table) => Object.values(table).map((row) => row.grant)),
  );
  for (const id of Object.keys(rows.grants)) if (!usedGrants.has(id)) delete rows.grants[id];
}

function hashValue(value: string): string {
  return hash("sha256", value, "base64url");
}

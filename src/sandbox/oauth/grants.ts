import { createHash } from "node:crypto";
import * as z from "zod/mini";
import type { IssuedTokens, OAuthTraits } from "../provider.ts";

const CODE_MS = 60_000;

const GrantRow = z.object({ account: z.string(), client: z.string(), scopes: z.array(z.string()) });
const CodeRow = z.object({
  grant: z.string(),
  redirect_uri: z.string(),
  challenge: z.optional(z.string()),
  expires: z.number(),
  spent: z.boolean(),
});

/** Codes and tokens, by the SHA-256 of their value: what is saved can never be used as a token. */
export const GrantRows = z.object({
  grants: z.record(z.string(), GrantRow),
  codes: z.record(z.string(), CodeRow),
  access: z.record(z.string(), z.object({ grant: z.string(), expires: z.number() })),
  refresh: z.record(z.string(), z.object({ grant: z.string(), spent: z.boolean() })),
});
export type GrantRows = z.infer<typeof GrantRows>;

/** One consent: who gave it, to which client, for what. */
export type Grant = { id: string; account: string; client: string; scopes: string[] };

/** What one code was made for, and what the token request must then show. */
export type CodeRequest = {
  account: string;
  client: string;
  scopes: string[];
  redirectUri: string;
  challenge?: string;
};

export type Grants = ReturnType<typeof createGrants>;

/**
 * Codes, access and refresh tokens of one origin. A code lives one minute and works once; using it again revokes what it issued
 * (RFC 6749 section 4.1.2). A spent refresh token is refused.
 */
export function createGrants(
  traits: OAuthTraits,
  rows: GrantRows,
  ports: { now(): number; random(bytes: number): Uint8Array; changed(): void },
) {
  const { now, changed } = ports;
  const secret = () => Buffer.from(ports.random(32)).toString("base64url");

  function issue(grant: Grant, withRefresh: boolean): IssuedTokens {
    const access = secret();
    rows.access[hash(access)] = { grant: grant.id, expires: now() + traits.accessSeconds * 1000 };
    const tokens: IssuedTokens = { access, scopes: grant.scopes, expiresIn: traits.accessSeconds };
    if (withRefresh) {
      tokens.refresh = secret();
      rows.refresh[hash(tokens.refresh)] = { grant: grant.id, spent: false };
    }
    changed();
    return tokens;
  }

  function grantOf(id: string): Grant | undefined {
    const row = rows.grants[id];
    return row && { id, ...row };
  }

  function revoke(id: string) {
    delete rows.grants[id];
    for (const table of [rows.codes, rows.access, rows.refresh]) {
      for (const [key, row] of Object.entries(table)) if (row.grant === id) delete table[key];
    }
    changed();
  }

  return {
    /** A new code for a consent. */
    code(request: CodeRequest): string {
      prune(rows, now());
      const id = secret();
      const { account, client, scopes } = request;
      rows.grants[id] = { account, client, scopes };
      const code = secret();
      rows.codes[hash(code)] = {
        grant: id,
        redirect_uri: request.redirectUri,
        ...(request.challenge === undefined ? {} : { challenge: request.challenge }),
        expires: now() + CODE_MS,
        spent: false,
      };
      changed();
      return code;
    },

    /** Tokens for a code, or undefined when anything about it is wrong. */
    exchange(
      code: string,
      client: string,
      redirectUri: string,
      verifier: string | undefined,
    ): IssuedTokens | undefined {
      const row = rows.codes[hash(code)];
      const grant = row && grantOf(row.grant);
      if (!row || !grant || grant.client !== client) return undefined;
      if (row.spent) {
        revoke(grant.id);
        return undefined;
      }
      row.spent = true;
      changed();
      const proven = row.challenge === undefined || (verifier !== undefined && challengeOf(verifier) === row.challenge);
      if (row.expires <= now() || row.redirect_uri !== redirectUri || !proven) return undefined;
      return issue(grant, traits.offlineScope === undefined || grant.scopes.includes(traits.offlineScope));
    },

    /** New tokens for a refresh token, or undefined when it is unknown, spent, revoked or of another client. */
    refresh(token: string, client: string): IssuedTokens | undefined {
      const row = rows.refresh[hash(token)];
      const grant = row && grantOf(row.grant);
      if (!row || !grant || row.spent || grant.client !== client) return undefined;
      if (traits.refresh === "stable") return { ...issue(grant, false), refresh: token };
      row.spent = true;
      return issue(grant, true);
    },

    /** The grant behind an access token that works now. */
    access(token: string): Grant | undefined {
      const row = rows.access[hash(token)];
      return row && row.expires > now() ? grantOf(row.grant) : undefined;
    },

    /** Let access tokens run out now; refresh tokens stay. @returns how many */
    expire(account?: string): number {
      const rowsOf = Object.values(rows.access).filter(
        (row) => row.expires > now() && (!account || grantOf(row.grant)?.account === account),
      );
      for (const row of rowsOf) row.expires = now();
      changed();
      return rowsOf.length;
    },

    /** Take consents back, with every token of theirs. @returns how many */
    revokeAll(account?: string): number {
      const ids = Object.keys(rows.grants).filter((id) => !account || rows.grants[id]?.account === account);
      for (const id of ids) revoke(id);
      return ids.length;
    },
  };
}

/** An empty store. */
export function noGrants(): GrantRows {
  return { grants: {}, codes: {}, access: {}, refresh: {} };
}

/** Codes and access tokens a day past their end are of no use to anybody; grants with nothing left go with them. */
function prune(rows: GrantRows, now: number) {
  const old = now - 86_400_000;
  for (const [key, row] of Object.entries(rows.codes)) if (row.expires < old) delete rows.codes[key];
  for (const [key, row] of Object.entries(rows.access)) if (row.expires < old) delete rows.access[key];
  const used = new Set(
    [rows.codes, rows.access, rows.refresh].flatMap((table) => Object.values(table).map((row) => row.grant)),
  );
  for (const id of Object.keys(rows.grants)) if (!used.has(id)) delete rows.grants[id];
}

function hash(value: string): string {
  return createHash("sha256").update(value).digest("base64url");
}

/** S256 of RFC 7636: the same digest in the same alphabet. */
function challengeOf(verifier: string): string {
  return hash(verifier);
}

import { LIFETIME_SECONDS, signAccessToken, verifyAccessToken } from "../accounts/access-tokens.ts";
import type { BackendPorts } from "../ports.ts";
import { advanceProgram, deleteProgram, findProgram, type Program } from "../store/programs.ts";
import { createTicket, isTicket } from "../store/secrets.ts";
import { getResource, SCOPE } from "./metadata.ts";
import { OAuthError } from "./oauth-error.ts";
import { type CodeExchange, spendCode } from "./requests.ts";

type Ports = Pick<BackendPorts, "db" | "clock" | "keys" | "publicUrl" | "localSecret" | "log">;

/** The answer of the token endpoint (OAuth 2.1 section 3.2.3). */
export type ProgramTokens = {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
  refresh_token: string;
  scope: string;
};

/** How long the last refresh token gives the same tokens again, in ms: the program may end before it stores them. */
const GRACE_MS = 60_000;

const REFRESH_TOKEN = /^(program_[0-9a-f]{32})\.(\d{1,9})\.([\w-]{43})$/;

/** Exchanges a code for tokens. @throws OAuthError invalid_grant */
export async function exchangeCode(ports: Ports, exchange: CodeExchange): Promise<ProgramTokens> {
  const id = await spendCode(ports, exchange);
  const program = await findProgram(ports.db, id, new Date(ports.clock.now()));
  if (program) return await signTokens(ports, program);
  throw accessEndedError();
}

/**
 * Exchanges a refresh token for new tokens. Each works once, so a repeated one was copied and ends the access of its
 * program (RFC 9700 section 4.14.2).
 *
 * @throws OAuthError invalid_grant
 */
export async function refreshTokens(
  ports: Ports,
  { refreshToken, clientId }: { refreshToken: string; clientId: string },
): Promise<ProgramTokens> {
  const token = parseRefreshToken(ports, refreshToken);
  if (!token) throw accessEndedError();
  const now = new Date(ports.clock.now());
  const program = await ports.db.transaction().execute(async (tx): Promise<Program | undefined> => {
    const program = await findProgram(tx, token.id, now, { lock: true });
    if (!program || program.client_id !== clientId) return undefined;
    if (token.sequence === program.sequence) {
      const next = { ...program, sequence: program.sequence + 1, used_at: now };
      await advanceProgram(tx, next.id, next.sequence, now);
      return next;
    }
    if (token.sequence === program.sequence - 1 && now.getTime() - program.used_at.getTime() <= GRACE_MS)
      return program;
    await deleteProgram(tx, program.id);
    ports.log("warn", "program.refresh_reused", { program: program.id, sequence: token.sequence });
    return undefined;
  });
  if (program) return await signTokens(ports, program);
  throw accessEndedError();
}

/**
 * Ends the access of the program that a refresh token or an access token belongs to (RFC 7009). Ignores unknown tokens.
 */
export async function revokeToken(ports: Ports, token: string): Promise<void> {
  const id = parseRefreshToken(ports, token)?.id ?? (await findTokenProgram(ports, token).catch(() => undefined))?.id;
  if (id !== undefined) await deleteProgram(ports.db, id);
}

/**
 * Finds the program that an access token was made for. Tokens of kay's own clients are for another audience, and
 * theirs are not accepted here.
 *
 * @returns undefined if its access has ended
 * @throws Problem TOKEN_INVALID, TOKEN_EXPIRED
 */
export async function findTokenProgram(ports: Ports, token: string): Promise<Program | undefined> {
  const { familyId: id, installationId } = await verifyAccessToken(ports, token, getResource(ports));
  const program = await findProgram(ports.db, id, new Date(ports.clock.now()));
  return program?.installationId === installationId ? program : undefined;
}

async function signTokens(ports: Ports, program: Program): Promise<ProgramTokens> {
  const { id, sequence, installationId, used_at: issuedAt } = program;
  const state = `${id}.${sequence}`;
  return {
    access_token: await signAccessToken(
      ports,
      { installationId, familyId: id, sequence, issuedAt },
      getResource(ports),
    ),
    token_type: "Bearer",
    expires_in: LIFETIME_SECONDS,
    refresh_token: `${state}.${createTicket(ports, "program-refresh", state)}`,
    scope: SCOPE,
  };
}

/** Parses a refresh token. It is signed, not stored: the program's row has the number of the last one. */
function parseRefreshToken(ports: Ports, token: string): { id: string; sequence: number } | undefined {
  const [, id = "", sequence = "", ticket = ""] = REFRESH_TOKEN.exec(token) ?? [];
  return isTicket(ports, "program-refresh", `${id}.${sequence}`, ticket)
    ? { id, sequence: Number(sequence) }
    : undefined;
}

function accessEndedError(): OAuthError {
  return new OAuthError("invalid_grant", "The access of this program has ended. Let its user sign in again.");
}

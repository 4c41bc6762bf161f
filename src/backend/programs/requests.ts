import { hash, randomBytes } from "node:crypto";
import { Problem } from "#protocol/errors";
import { createUserCode } from "../connections/consent/browsers.ts";
import type { FetchPolicyPorts } from "../connections/mcp/fetch-policy.ts";
import type { BackendPorts } from "../ports.ts";
import {
  allowRequest,
  deleteProgram,
  deleteRequest,
  findOpenRequest,
  findRequestByCode,
  insertProgram,
  insertProgramRequest,
  type ProgramRequest,
} from "../store/programs.ts";
import { compareSecrets, hashSecret } from "../store/secrets.ts";
import { findFamily } from "../store/token-families.ts";
import { allowsRedirect, findClient } from "./clients.ts";
import { AUTHORIZE_PATH, getIssuer, isOwnResource } from "./metadata.ts";
import { OAuthError } from "./oauth-error.ts";

type Ports = Pick<BackendPorts, "db" | "clock" | "keys" | "publicUrl" | "log">;

/** How long a program's request and its code are valid, in ms. */
const LIFE_MS = 10 * 60_000;

const LONGEST_STATE = 2_000;

/** Looks like an S256 challenge or a code: 32 bytes in base64url. */
const HASH = /^[\w-]{43}$/;

/**
 * Stores the request of a program at `GET /mcp/authorize` (OAuth 2.1 section 4.1.1), until its user answers in a
 * terminal.
 *
 * @param address of the browser
 * @throws OAuthError with the reason
 */
export async function beginRequest(
  ports: Ports & FetchPolicyPorts,
  query: URLSearchParams,
  address: string | undefined,
): Promise<ProgramRequest> {
  const client = await findClient(ports, query.get("client_id") ?? "");
  const redirectUri = query.get("redirect_uri") ?? "";
  const challenge = query.get("code_challenge") ?? "";
  const state = query.get("state");
  if (!allowsRedirect(client, redirectUri))
    throw invalidRequestError("redirect_uri must be one that the program registered.");
  if (query.get("response_type") !== "code") throw invalidRequestError("response_type must be code.");
  if (query.get("code_challenge_method") !== "S256" || !HASH.test(challenge))
    throw invalidRequestError("PKCE is required: code_challenge with the code_challenge_method S256.");
  if (!query.getAll("resource").every((resource) => isOwnResource(ports, resource)))
    throw new OAuthError("invalid_target", "resource must be the address of this MCP server.");
  if (state !== null && state.length > LONGEST_STATE) throw invalidRequestError("state is too long.");
  const now = ports.clock.now();
  const request = {
    user_code: createUserCode(),
    client_id: client.id,
    name: client.name,
    redirect_uri: redirectUri,
    state,
    code_challenge: challenge,
    requested_from: address ?? null,
    created_at: new Date(now),
    expires_at: new Date(now + LIFE_MS),
  };
  await insertProgramRequest(ports.db, request);
  return { ...request, family_id: null, code_hash: null, program_id: null };
}

/** @throws Problem NOT_FOUND for a code that was answered, has expired or never was */
export async function getOpenRequest({ db, clock }: Ports, userCode: string): Promise<ProgramRequest> {
  const request = await findOpenRequest(db, toUserCode(userCode), new Date(clock.now()));
  if (request) return request;
  throw unknownCodeProblem();
}

/**
 * Answers a request for a signed-in user.
 *
 * @returns the address where the user's browser takes the answer to the program; undefined if the program gets no
 * access
 * @throws Problem NOT_FOUND
 */
export async function answerRequest(
  ports: Ports,
  familyId: string,
  { userCode, allow }: { userCode: string; allow: boolean },
): Promise<string | undefined> {
  const { user_code } = await getOpenRequest(ports, userCode);
  if (!allow) {
    await deleteRequest(ports.db, user_code);
    return undefined;
  }
  const code = randomBytes(32).toString("base64url");
  const answer = { familyId, codeHash: hashSecret(code) };
  if (!(await allowRequest(ports.db, user_code, answer, new Date(ports.clock.now())))) throw unknownCodeProblem();
  return `${ports.publicUrl}${AUTHORIZE_PATH}/${code}`;
}

/** Finds a request that a user allowed and that brought the program no tokens yet. Looking at it changes nothing. */
export async function findAllowedRequest({ db, clock }: Ports, code: string): Promise<ProgramRequest | undefined> {
  const request = HASH.test(code) ? await findRequestByCode(db, hashSecret(code), new Date(clock.now())) : undefined;
  return request?.program_id === null ? request : undefined;
}

/** Returns the program's redirect address with the answer: the code and its issuer (RFC 9207), or the error. */
export function buildRedirect(
  ports: Ports,
  { redirect_uri, state }: ProgramRequest,
  answer: { code: string } | { error: "access_denied" },
): string {
  const url = new URL(redirect_uri);
  const query = { ...answer, ...(state === null ? {} : { state }), iss: getIssuer(ports) };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/** Parameters of a program's token request. */
export type CodeExchange = { code: string; clientId: string; redirectUri: string | null; verifier: string };

/**
 * Redeems a code. It works once, only for its program and address and with its PKCE verifier. A second use ends the
 * access that the first one gave (OAuth 2.1 section 4.1.3).
 *
 * @returns the ID of the program
 * @throws OAuthError invalid_grant
 */
export async function spendCode(ports: Ports, exchange: CodeExchange): Promise<string> {
  const now = new Date(ports.clock.now());
  const programId = `program_${randomBytes(16).toString("hex")}`;
  const isSpent = await ports.db.transaction().execute(async (tx) => {
    const request = await findRequestByCode(tx, hashSecret(exchange.code), now, { lock: true });
    if (!request?.family_id) return false;
    const { family_id, user_code, client_id, name, redirect_uri } = request;
    if (request.program_id !== null) {
      await deleteProgram(tx, request.program_id);
      ports.log("warn", "program.code_reused", { program: request.program_id });
      return false;
    }
    const family = await findFamily(tx, family_id);
    if (!family || family.revoked_at || family.expires_at <= now || !isForRequest(request, exchange)) {
      await deleteRequest(tx, user_code);
      return false;
    }
    const program = { id: programId, family_id, client_id, name, redirect_uri, sequence: 0 };
    await insertProgram(tx, user_code, { ...program, created_at: now, used_at: now });
    return true;
  });
  if (isSpent) return programId;
  throw new OAuthError("invalid_grant", "The code is not valid. It works once, for ten minutes.");
}

function isForRequest(request: ProgramRequest, { clientId, redirectUri, verifier }: CodeExchange): boolean {
  const challenge = hash("sha256", verifier, "base64url");
  return (
    request.client_id === clientId &&
    (redirectUri === null || request.redirect_uri === redirectUri) &&
    verifier.length >= 43 &&
    compareSecrets(challenge, request.code_challenge)
  );
}

/** Normalizes a typed code. */
function toUserCode(text: string): string {
  const letters = text.toUpperCase().replace(/[^A-Z]/g, "");
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

function unknownCodeProblem(): Problem {
  return new Problem("NOT_FOUND", "No program is waiting with this code.", {
    hint: "A code works once, for ten minutes. Start again in the program.",
  });
}

function invalidRequestError(message: string): OAuthError {
  return new OAuthError("invalid_request", message);
}

import type { Timer, Warn } from "#net/ports";
import { isErrorCode, Problem } from "#protocol/errors";
import type { Credentials, SignIn, StoredSignIn } from "./credentials.ts";
import { describeClockSkew, readTokenTimes } from "./credentials.ts";
import { isToken } from "./envelope.ts";

/**
 * Result of one `POST /auth/refresh`: new tokens (with the server's time from its Date header, in ms), a final
 * rejection (400, 401, 403), or a temporary fault (network, 408, 429, 5xx, invalid data).
 */
export type RefreshOutcome =
  | { kind: "ok"; token: string; refresh_token?: string | null; serverNow?: number }
  | { kind: "invalid"; code: string; message: string }
  | { kind: "passing"; problem: Problem };

/** Steps of a refresh, in order. Tests stop a process at each of them. */
export type RefreshStep = "locked" | "calling" | "answered" | "writing" | "written";

/** Ports of a refresher. `call` sends the request once, within 10 s. */
export type RefresherOptions = {
  origin: string;
  credentials: Credentials;
  clock: Timer;
  call: (refreshToken: string, idempotencyKey: string) => Promise<RefreshOutcome>;
  warn: Warn;
  step?: (name: RefreshStep) => void | Promise<void>;
};

/** Keeps access tokens fresh. Only one refresh runs at a time, across all processes of this machine. */
export type Refresher = {
  /** Returns the token to send, refreshed if it expires within 5 minutes; null without a sign-in. */
  accessToken(): Promise<string | null>;
  /**
   * Returns a token to replace one that was rejected with 401: one that another process has stored, or a refreshed one.
   * Null if there is none.
   */
  afterRejection(token: string): Promise<string | null>;
};

/**
 * Creates a refresher for the sign-in of one origin.
 *
 * Both methods throw Problem REFRESH_INVALID or REFRESH_REUSED when the sign-in has ended, and a Problem with exit code
 * 6 for a temporary fault, which leaves the stored tokens unchanged.
 */
export function createRefresher(options: RefresherOptions): Refresher {
  const { origin, credentials, clock } = options;
  let inFlight: Promise<string | null> | null = null;
  let fresh: { token: string; due: number } | null = null;

  const refreshOnce = (stale: string | undefined) => {
    inFlight ??= refreshToken(options, stale)
      .then((token) => {
        if (token && token !== stale) fresh = { token, due: getRefreshTime(token, clock.now()) };
        return token;
      })
      .finally(() => {
        inFlight = null;
      });
    return inFlight;
  };

  return {
    async accessToken() {
      const { signIn } = await credentials.read(origin);
      const { token } = signIn;
      if (!signIn.refresh_token) return token ?? null;
      if (!token) return refreshOnce(token);
      const leftMs = fresh?.token === token ? fresh.due - clock.now() : getTimeLeftMs(token, signIn, clock) - EARLY_MS;
      if (leftMs > 0) return token;
      return refreshOnce(token).catch((error: unknown) => {
        if (isSignInEnd(error) || getTimeLeftMs(token, signIn, clock) <= 0) throw error;
        return token;
      });
    },
    async afterRejection(token) {
      const { signIn } = await credentials.read(origin);
      if (signIn.token && signIn.token !== token) return signIn.token;
      return refreshOnce(token);
    },
  };
}

const EARLY_MS = 5 * 60_000;
const RIVAL_MS = 3_000;
const RIVAL_POLL_MS = 100;

/** Whether an error means that the sign-in has ended, even if the current token is valid for another moment. */
function isSignInEnd(error: unknown): boolean {
  return !(error instanceof Problem) || error.exit === 4;
}

/** Returns the ms until a token expires by the server's clock; infinite if the token does not say. */
function getTimeLeftMs(token: string, { clock_offset_ms = 0 }: SignIn, clock: Timer): number {
  const { expires } = readTokenTimes(token);
  return expires === undefined ? Number.POSITIVE_INFINITY : expires - (clock.now() + clock_offset_ms);
}

/**
 * Returns when to refresh a new token, by this machine's clock. Counts only elapsed time, so that a wrong clock never
 * makes a new token look old.
 */
function getRefreshTime(token: string, now: number): number {
  const { expires, issued } = readTokenTimes(token);
  if (expires === undefined) return Number.POSITIVE_INFINITY;
  const lifetime = issued === undefined ? EARLY_MS * 2 : expires - issued;
  return now + Math.max(lifetime - EARLY_MS, lifetime / 2);
}

/** Refreshes the token under the lock. A process that gets the lock second finds the new token in the store. */
async function refreshToken(options: RefresherOptions, stale: string | undefined): Promise<string | null> {
  const { origin, credentials, call, step = () => {} } = options;
  return credentials.exclusively(async () => {
    await step("locked");
    const stored = await credentials.read(origin);
    const { token, refresh_token } = stored.signIn;
    if (token && token !== stale) return token;
    if (!refresh_token) return null;
    const outcome = await credentials.withRoom(async () => {
      await step("calling");
      const outcome = await call(refresh_token, crypto.randomUUID());
      await step("answered");
      if (outcome.kind !== "ok" || !isToken(outcome.token)) return outcome;
      await step("writing");
      const token = await storeTokens(options, stored, outcome);
      await step("written");
      return { kind: "written" as const, written: token };
    });
    if (outcome.kind === "written") return outcome.written;
    if (outcome.kind === "invalid") return endSignIn(options, stored.signIn, outcome.code);
    throw temporaryProblem(outcome.kind === "passing" ? outcome.problem : undefined);
  });
}

/**
 * Stores the new tokens before they are used. If another process wrote in between, its tokens count, unless it still
 * has the used refresh token.
 */
async function storeTokens(
  options: RefresherOptions,
  signIn: StoredSignIn,
  answer: Extract<RefreshOutcome, { kind: "ok" }>,
): Promise<string | null> {
  const { origin, credentials } = options;
  const spent = signIn.signIn.refresh_token;
  for (let current = signIn; ; current = await credentials.read(origin)) {
    if (current.signIn.refresh_token !== spent) return current.signIn.token ?? null;
    const offset = learnOffset(options, current.signIn, answer);
    const next: SignIn = {
      ...current.signIn,
      token: answer.token,
      ...(offset !== undefined && { clock_offset_ms: offset }),
    };
    if (isToken(answer.refresh_token)) next.refresh_token = answer.refresh_token;
    if ((await credentials.write(origin, current.generation, next)) !== null) return answer.token;
  }
}

/**
 * Returns the server's clock minus this machine's, from the Date header or else from `iat`. Warns once about a large
 * new difference.
 */
function learnOffset(
  { clock, warn }: RefresherOptions,
  { clock_offset_ms: previousOffset = 0 }: SignIn,
  { token, serverNow }: { token: string; serverNow?: number },
): number | undefined {
  const server = serverNow ?? readTokenTimes(token).issued;
  if (server === undefined || !Number.isFinite(server)) return undefined;
  const offset = Math.round(server - clock.now());
  const warning = describeClockSkew(offset);
  if (warning && Math.abs(offset - previousOffset) >= EARLY_MS) warn(warning);
  return offset;
}

/**
 * Handles a rejected refresh token. Another process may have used it and be about to store the new one, so this waits
 * before it removes the tokens. The session ID stays.
 */
async function endSignIn(options: RefresherOptions, refused: SignIn, code: string): Promise<string> {
  const { origin, credentials, clock } = options;
  const isRival = ({ token, refresh_token }: SignIn) =>
    token !== undefined && (token !== refused.token || refresh_token !== refused.refresh_token);
  for (let waitedMs = 0; waitedMs <= RIVAL_MS; waitedMs += RIVAL_POLL_MS) {
    if (waitedMs > 0) await clock.sleep(RIVAL_POLL_MS);
    const { signIn } = await credentials.read(origin);
    if (isRival(signIn)) return signIn.token ?? "";
  }
  let rival: string | undefined;
  await credentials.update(origin, (current) => {
    rival = isRival(current) ? current.token : undefined;
    if (rival || current.refresh_token !== refused.refresh_token) return current;
    const { token: _token, refresh_token: _refreshToken, ...rest } = current;
    return rest;
  });
  if (rival) return rival;
  throw endedProblem(code);
}

function endedProblem(code: string): Problem {
  if (isErrorCode(code) && code === "REFRESH_REUSED") {
    return new Problem(code, "The backend ended your sign-in because it was used twice, possibly by someone else.");
  }
  return new Problem("REFRESH_INVALID", "Your sign-in has ended.");
}

/**
 * Converts any fault to a temporary one: exit code 6, without a hint to sign in. A redirect is not temporary, because
 * the URL must change.
 */
function temporaryProblem(problem: Problem | undefined): Problem {
  if (problem?.exit === 6 || problem?.code === "REDIRECT_REFUSED") return problem;
  return new Problem("BAD_GATEWAY", "The backend could not refresh the sign-in.", { cause: problem });
}

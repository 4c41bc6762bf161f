import type { SignIn } from "#client/credentials/credentials";
import { createRefresher, type RefreshOutcome } from "#client/credentials/refresh";
import type { Timer } from "#net/ports";
import { fakeClock, realClock } from "./client-clock.ts";
import { ORIGIN, openProfile } from "./credentials.ts";

/** The backend's time when a test begins. */
export const NOW = Date.UTC(2026, 10, 27, 12);
export const MINUTE = 60_000;

/** An access token as issued by a backend with a correct clock. */
export function jwt(issued: number, lifetime = 30 * MINUTE, claims: object = {}): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "HS256", typ: "JWT" })}.${part({ iat: issued / 1000, exp: (issued + lifetime) / 1000, ...claims })}.c2ln`;
}

/** A sign-in whose access token is valid. */
export const SIGN_IN = { session_id: "kaysession_1", token: jwt(Date.now()), refresh_token: "R1" };

/** A process with this sign-in, and a backend with this answer to a refresh. */
export async function createSignedInWorld(
  signIn: SignIn,
  answer: (refreshToken: string, world: World) => RefreshOutcome | Promise<RefreshOutcome>,
  { start = NOW, sleep }: { start?: number; sleep?: Timer["sleep"] } = {},
) {
  const clock = fakeClock({ start });
  if (sleep) clock.sleep = sleep;
  const profile = openProfile({ clock });
  await profile.credentials.write(ORIGIN, 0, signIn);
  const spent: string[] = [];
  const keys: string[] = [];
  const world: World = {
    ...profile,
    clock,
    spent,
    keys,
    stored: async () => (await profile.credentials.read(ORIGIN)).signIn,
  };
  const refresher = () =>
    createRefresher({
      origin: ORIGIN,
      credentials: profile.credentials,
      clock,
      warn: (message) => profile.warnings.push(message),
      call: async (refreshToken, key) => {
        spent.push(refreshToken);
        keys.push(key);
        return answer(refreshToken, world);
      },
    });
  return { ...world, refresher: refresher(), anotherProcess: refresher };
}
type World = ReturnType<typeof openProfile> & {
  clock: ReturnType<typeof fakeClock>;
  spent: string[];
  keys: string[];
  stored(): Promise<SignIn>;
};

/** Several processes wait for each other's files: their time must not run faster than the disk. */
export const SLOW = { sleep: realClock.sleep };

/** What remains without the tokens. */
export const K = { session_id: "kaysession_1", account_id: "557058:t" };
/** An access token that has expired, and the next. */
export const T0 = jwt(NOW - 31 * MINUTE);
export const T1 = jwt(NOW);
/** How a backend may answer. */
export const OK: RefreshOutcome = { kind: "ok", token: T1, refresh_token: "R1", serverNow: NOW };
export const REFUSED: RefreshOutcome = { kind: "invalid", code: "REFRESH_INVALID", message: "no" };
/** A sign-in whose access token has expired. */
export const expired = { ...K, token: T0, refresh_token: "R0" };

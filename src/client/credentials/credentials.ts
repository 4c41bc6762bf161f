import { jwtDecode } from "jwt-decode";
import type { Connection, ConnectResponse } from "#protocol/connections";
import type { Problem } from "#protocol/errors";

/**
 * The stored sign-in at one backend origin. The installation's `session_id` is permanent; tokens change. Tokens belong
 * to the origin that issued them and are never read for another one.
 */
export type SignIn = {
  /** The installation (`kaysession_…`). */
  session_id?: string;
  /** Access token: a JWT, or an opaque string of another backend. */
  token?: string;
  refresh_token?: string;
  account_id?: string;
  /** Server's clock minus this machine's in ms, as last seen. */
  clock_offset_ms?: number;
  /** Account names by service, as last reported by the backend, for use without a request. */
  accounts?: Record<string, string>;
  /**
   * Pending first connections of this installation, with the expiry of their links in ms since 1970. Its tokens are not
   * lost; they have not arrived yet.
   */
  first?: FirstConnection[];
  /** Connections that another process will complete (`kay connect --no-wait`, `--poll`). */
  begun?: BegunConnection[];
};

/** A first connection, by the state of its link. */
type FirstConnection = { state: string; deadline: number };

/** A connection that waits for its consent: the answer of `connect`, and the verifier that its tokens require. */
export type BegunConnection = {
  response: ConnectResponse;
  verifier: string;
  /** The service before connecting; absent without a sign-in. */
  before?: Connection;
  /** When the link expires, in ms since 1970 by this machine's clock. */
  deadline: number;
};

/** A sign-in and the generation of the file it was read from, for compare-and-swap. */
export type StoredSignIn = { generation: number; signIn: SignIn };

/** How a profile's credentials are stored. Recorded once chosen, and never silently downgraded. */
export type StorageMode = "keychain" | "file";

/**
 * Credentials of one profile. Every read sees a complete file; every write is atomic and increments the generation.
 *
 * All methods throw Problem KEYCHAIN_LOCKED, KEYCHAIN_UNAVAILABLE or STORE_UNREADABLE (with path and errno). Only a
 * missing file means that nothing is stored.
 */
export type Credentials = {
  read(origin: string): Promise<StoredSignIn>;
  /**
   * Replaces the sign-in of `origin` if the generation is still `expected`.
   *
   * @returns the new generation, or null if another process wrote in between (then nothing is written)
   */
  write(origin: string, expected: number, signIn: SignIn): Promise<number | null>;
  /** Changes the sign-in of `origin` under the write lock. */
  update(origin: string, change: (current: SignIn) => SignIn): Promise<void>;
  /** Runs `work` while no other process of this machine does so for this profile (the refresh lock). */
  exclusively<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /**
   * Runs work that spends a one-time secret and then writes once. Reserves room for that write first, so that a full
   * disk or a locked keychain fails before the secret is spent.
   */
  withRoom<T>(work: () => Promise<T>): Promise<T>;
  /** Checks whether credentials can be stored, without writing. Called before the user is sent to a consent page. */
  checkWritable(): Promise<void>;
  /** Returns all stored sign-ins by origin. */
  origins(): Promise<Record<string, SignIn>>;
  /**
   * Removes everything stored for this profile: the file, copies of damaged ones, and the key in the keychain.
   *
   * @returns why the now useless key could not be removed, or null
   * @throws Problem KEYCHAIN_LOCKED before anything is removed
   */
  remove(): Promise<Problem | null>;
  /** Returns how credentials are stored, for `kay config list` and `kay doctor`. */
  describe(): Promise<{ mode: StorageMode | "none"; path: string; note?: string }>;
};

/** Times in an access token, in ms since 1970 by the server's clock. */
export type TokenTimes = { expires?: number; issued?: number };

/** Reads `exp` and `iat` of a JWT (RFC 7519). Opaque tokens have none and are used until they are rejected. */
export function readTokenTimes(token: string): TokenTimes {
  try {
    const { exp, iat } = jwtDecode(token);
    return { expires: toMilliseconds(exp), issued: toMilliseconds(iat) };
  } catch {
    return {};
  }
}

/**
 * Describes how far off this machine's clock is, or returns null below five minutes. `offset` is the server's time
 * minus this machine's, in ms.
 */
export function describeClockSkew(offset: number): string | null {
  const minutes = Math.round(Math.abs(offset) / 60_000);
  if (minutes < 5) return null;
  const amount =
    minutes < 90
      ? `${minutes} min`
      : minutes < 48 * 60
        ? `${roundToHalf(minutes / 60)} h`
        : `${roundToHalf(minutes / 1440)} days`;
  const direction = offset < 0 ? "ahead of" : "behind";
  return `This machine's clock is about ${amount} ${direction} the backend's. Set it correctly to avoid problems with sign-in and expiry.`;
}

function toMilliseconds(seconds: unknown): number | undefined {
  return typeof seconds === "number" && Number.isFinite(seconds) ? seconds * 1000 : undefined;
}

function roundToHalf(value: number): number {
  return Math.round(value * 2) / 2;
}

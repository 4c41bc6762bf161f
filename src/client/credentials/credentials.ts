import type { Connection, ConnectResponse } from "#protocol/connections";
import type { Problem } from "#protocol/errors";

/**
 * What kay keeps for one backend origin. The installation's `session_id` stays for life (guide); the tokens come and go.
 * Tokens belong to the origin that issued them and are never read for another one.
 */
export type SignIn = {
  /** Installation, `kaysession_…`. */
  session_id?: string;
  /** Access token: a JWT, or an opaque string of a foreign backend. */
  token?: string;
  refresh_token?: string;
  account_id?: string;
  /** Server's clock minus this machine's, in milliseconds, as last seen. */
  clock_offset_ms?: number;
  /** Who acts at each service, in words, as the backend last said: what can be told without asking it. */
  accounts?: Record<string, string>;
  /** Connections that were begun and are to be finished by another process (`kay connect --no-wait`, `--poll`). */
  begun?: BegunConnection[];
};

/** A connection that waits for its consent: the answer of connect, and the verifier without which its tokens cannot be collected. */
export type BegunConnection = {
  response: ConnectResponse;
  verifier: string;
  /** The service as it was before; absent when nobody was signed in. */
  before?: Connection;
  /** When the link dies, ms since 1970 by this machine's clock. */
  deadline: number;
};

/** A sign-in with the number of the file's generation it was read from, for compare-and-swap. */
export type Stored = { generation: number; signIn: SignIn };

/** How the credentials of a profile are kept; recorded once chosen and never silently downgraded. */
export type StorageMode = "keychain" | "file";

/**
 * The credentials of one profile. Every read sees a whole file, every write is atomic and raises the generation.
 *
 * All methods throw Problem KEYCHAIN_LOCKED, KEYCHAIN_UNAVAILABLE or STORE_UNREADABLE (names path and errno); only a file that does not
 * exist means "nothing stored".
 */
export type Credentials = {
  read(origin: string): Promise<Stored>;
  /**
   * Replace the sign-in of `origin` if the generation is still `expected`.
   * @returns the new generation, or null when somebody else wrote in between (nothing was written then).
   */
  write(origin: string, expected: number, signIn: SignIn): Promise<number | null>;
  /** Change the sign-in of `origin` whatever happened in between: reads, applies, compares and swaps, again on a conflict. */
  update(origin: string, change: (current: SignIn) => SignIn): Promise<void>;
  /** Run `work` while no other process of this machine runs such work on this profile (the refresh lock). */
  exclusively<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Whether anything could be kept, without writing: asked before a person is sent to give a consent. */
  checkWritable(): Promise<void>;
  /** Everything that is stored, by origin. */
  origins(): Promise<Record<string, SignIn>>;
  /**
   * Remove everything that is kept for this profile: the file, copies of damaged ones, and the key in the keychain.
   *
   * @returns why the key could not be removed, which opens nothing any more; null where it is gone
   * @throws Problem KEYCHAIN_LOCKED before anything is removed
   */
  remove(): Promise<Problem | null>;
  /** How it is kept: what `kay config list` and `kay doctor` say. */
  describe(): Promise<{ mode: StorageMode | "none"; path: string; note?: string }>;
};

import type { OpenStream, Send, Timer } from "#net/ports";

/** Connection to one backend, shared by all calls. */
export type BackendConnection = {
  /** Without a trailing slash, but with the base path. */
  baseUrl: string;
  send: Send;
  openStream: OpenStream;
  /** Opens streams to other origins, without anything that belongs to the backend. If absent, none are opened. */
  openElsewhere?: OpenStream;
  clock: Timer;
  /** Returns random bytes, for idempotency keys and to spread retries. */
  random(bytes: number): Uint8Array;
  version: string;
  /** Secret of the local backend, sent as `Kay-Local-Secret`. */
  localSecret?: string;
  /** Server's clock minus this machine's in ms, by the `Date` header of the last answer. */
  clockOffsetMs?: number;
};

/** Returns the backend's origin, for error messages. */
export function getHost(backend: BackendConnection): string {
  return new URL(backend.baseUrl).origin;
}

/** Creates an idempotency key: 128 random bits in hex. */
export function createIdempotencyKey(backend: BackendConnection): string {
  return Buffer.from(backend.random(16)).toString("hex");
}

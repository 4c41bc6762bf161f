import type { OpenStream, Send, Timer } from "#net/ports";

/** One backend as the calls see it. */
export type BackendConnection = {
  /** No trailing slash; a base path is kept. */
  baseUrl: string;
  send: Send;
  openStream: OpenStream;
  /** The way out for streams to other origins than the backend's, which takes nothing of the backend along; without it none are read. */
  openElsewhere?: OpenStream;
  clock: Timer;
  /** Random bytes, for idempotency keys and to spread repeats. */
  random(bytes: number): Uint8Array;
  version: string;
  /** Sent as `Kay-Local-Secret` to the embedded backend. */
  localSecret?: string;
  /** Server's clock minus this machine's in milliseconds, by the `Date` header of the last answer. */
  clockOffsetMs?: number;
};

/** Answers of a backend come from this host; for sentences. */
export function getHost(backend: BackendConnection): string {
  return new URL(backend.baseUrl).origin;
}

/** A fresh idempotency key: 128 random bits in hex. */
export function createIdempotencyKey(backend: BackendConnection): string {
  return Buffer.from(backend.random(16)).toString("hex");
}

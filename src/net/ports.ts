/** Time as the client sees it: milliseconds since 1970, and a wait that a signal can end. */
export type Timer = { now(): number; sleep(ms: number, signal?: AbortSignal): Promise<void> };

/** One request as the client sends it. Redirects are never followed; nothing is ever repeated by the port itself. */
export type Outgoing = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  headers?: Record<string, string>;
  body?: string;
  /** Limit for the whole exchange, in milliseconds. */
  timeoutMs: number;
  signal?: AbortSignal;
};

/** One answer, read whole. Header names are lower case. */
export type Incoming = { status: number; headers: Record<string, string>; body: string };

/**
 * The one way out to a backend. In production `send.ts`; in tests the backend itself, without a socket.
 *
 * @throws Problem UNREACHABLE, TIMED_OUT, TLS_FAILED, PROXY_INVALID. `details.sent` is true when the request may have reached the
 * other side (its answer was lost), false when it surely did not.
 */
export type Send = (request: Outgoing) => Promise<Incoming>;

/** One request whose answer is read as it comes. */
export type OutgoingStream = Omit<Outgoing, "timeoutMs"> & {
  /** Limit for the head of the answer, in milliseconds; there are 10 s to be connected in any case. */
  headTimeoutMs: number;
  /** Limit for a wait without any byte after that, in milliseconds. There is none for the whole. */
  idleTimeoutMs: number;
};

/** The head of an answer, and its body as it comes. Header names are lower case. */
export type Streaming = {
  status: number;
  headers: Record<string, string>;
  /** To be read once. Ends with a Problem as `Send` does, TIMED_OUT after a wait without any byte. Leaving the loop closes the connection. */
  body: AsyncIterable<Uint8Array>;
  /** Closes the connection; for a body that nobody reads to its end. */
  close(): void;
};

/** The way out for streams, beside `Send` and with its faults. In production `open-stream.ts`; in tests the backend itself. */
export type OpenStream = (request: OutgoingStream) => Promise<Streaming>;

/** A line for the person on stderr; `warnings` of the JSON document under `--json`. */
export type Warn = (message: string) => void;

/** Time as the backend sees it. Tests move it; nothing else in the backend reads a clock. */
export type Clock = { now(): number };

/** Outgoing HTTP to services and their authorization servers (undici in production, strict fakes in tests). */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** The way to addresses that one person of many chose: to the open Internet alone, whatever a name resolves to when the socket is opened. */
export type PublicFetch = {
  /** @throws Problem ADDRESS_REFUSED for an address that is not public */
  fetch: Fetch;
  /** IP addresses of a host name, or none. */
  addresses(host: string): Promise<string[]>;
};

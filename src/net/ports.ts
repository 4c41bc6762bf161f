/** The client's time: ms since 1970, and a sleep that a signal can end. */
export type Timer = { now(): number; sleep(ms: number, signal?: AbortSignal): Promise<void> };

/** A request of the client. The port follows no redirects and retries nothing. */
export type Outgoing = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  headers?: Record<string, string>;
  body?: string;
  /** Time limit of the whole exchange, in ms. */
  timeoutMs: number;
  signal?: AbortSignal;
};

/** A complete answer. Header names are lowercase. */
export type Incoming = { status: number; headers: Record<string, string>; body: string };

/**
 * Sends a request to a backend. In production `send.ts`; in tests the backend itself, without a socket.
 *
 * @throws Problem UNREACHABLE, TIMED_OUT, TLS_FAILED, PROXY_INVALID. `details.sent` is true if the request may have
 * arrived (the answer was lost), false if it did not
 */
export type Send = (request: Outgoing) => Promise<Incoming>;

/** A request whose answer is read as it arrives. */
export type OutgoingStream = Omit<Outgoing, "timeoutMs"> & {
  /** Time limit for the head of the answer, in ms. Connecting is limited to 10 s in any case. */
  headTimeoutMs: number;
  /** Time limit for silence after that, in ms. The whole has no limit. */
  idleTimeoutMs: number;
};

/** The head of an answer, and its body as it arrives. Header names are lowercase. */
export type Streaming = {
  status: number;
  headers: Record<string, string>;
  /**
   * Can be read once. Fails with a Problem like `Send`, TIMED_OUT after silence. Leaving the loop closes the
   * connection.
   */
  body: AsyncIterable<Uint8Array>;
  /** Secrets of the request that a hostile answer may repeat, and that its reader hides. */
  secrets?: string[];
  /** Closes the connection, for a body that is not read to its end. */
  close(): void;
};

/** Opens a stream, with the errors of `Send`. In production `open-stream.ts`; in tests the backend itself. */
export type OpenStream = (request: OutgoingStream) => Promise<Streaming>;

/** Shows a warning on stderr, or in `warnings` of the JSON document with `--json`. */
export type Warn = (message: string) => void;

/** The backend's time. Tests move it; nothing else in the backend reads a clock. */
export type Clock = { now(): number };

/** Outgoing HTTP to services and authorization servers (undici in production, strict fakes in tests). */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/**
 * Access to addresses that a user of a shared backend chose: only to the public Internet, whatever a name resolves to
 * when the socket is opened.
 */
export type PublicFetch = {
  /** Fetches a URL. @throws Problem ADDRESS_REFUSED when the address is not public */
  fetch: Fetch;
  /** Returns the IP addresses of a host name, if any. */
  addresses(host: string): Promise<string[]>;
};

import type * as z from "zod/mini";
import type { Incoming } from "#net/ports";
import { type BackendConnection, createIdempotencyKey } from "./backend-connection.ts";
import { createFixedTokenSource, type TokenSource, withBearer } from "./bearer.ts";
import { findSecretsOfStreams, hideSecretsInAnswers } from "./hide-secrets.ts";
import { fetchOutcome, sendOnce, type WriteOutcome } from "./lost-answers.ts";
import { createRefreshCall, type RefreshCall } from "./refresh-call.ts";
import { type Call, readAnswer, sendCall, toAnswerContext } from "./send-call.ts";

export type CallOptions = { signal?: AbortSignal };
export type WriteOptions = CallOptions & { idempotencyKey?: string };

/** Options of the calls. */
export type ApiOptions = Omit<BackendConnection, "clockOffsetMs"> & {
  /** KAY_TOKEN. Overrides the refresher. */
  token?: string;
  /** Creates the source of stored tokens. Without it and without `token`, there is no sign-in. */
  refresher?: (call: RefreshCall) => TokenSource;
  /** Time limit of an ordinary call in ms (default: 30 s). */
  timeoutMs?: number;
  /** Time limit of `ask` and `confirm` in ms, which run a model and services (default: 10 min). */
  askTimeoutMs?: number;
};

/** The schema of an answer, or a function that loads it. */
type Shape<T extends z.core.$ZodType> = T | (() => Promise<T>);

/** One backend with its sign-in, shared by all calls. */
export type Caller = {
  backend: BackendConnection;
  tokens: TokenSource;
  timeoutMs: number;
  askTimeoutMs: number;
  refresh: RefreshCall;
  get(path: string, signal?: AbortSignal): Call;
  /** Sends a call with the access token; see `withBearer`. */
  bearer(call: Call, fallback?: () => Promise<Incoming>): Promise<Incoming>;
  /** Sends a call, without a token unless `send` adds it, and reads its answer. */
  read<T extends z.core.$ZodType>(
    shape: Shape<T>,
    call: Call,
    send?: () => Promise<Incoming>,
  ): Promise<z.core.output<T>>;
  /** Sends a write once with the access token, and reads its answer; see `sendOnce`. */
  write<T extends z.core.$ZodType>(shape: Shape<T>, call: Call, options?: WriteOptions): Promise<z.core.output<T>>;
  outcome(key: string, options?: CallOptions): Promise<WriteOutcome>;
};

const TIMEOUT_MS = 30_000;
const ASK_TIMEOUT_MS = 600_000;

export function createCaller(options: ApiOptions): Caller {
  const backend: BackendConnection = {
    ...options,
    send: hideSecretsInAnswers(options.send),
    openStream: findSecretsOfStreams(options.openStream),
  };
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const refresh = createRefreshCall(backend, timeoutMs);
  const tokens = options.token ? createFixedTokenSource(options.token) : (options.refresher?.(refresh) ?? SIGNED_OUT);
  const read = createReader(backend);
  const bearer: Caller["bearer"] = (call, fallback) =>
    withBearer(tokens, call, (authorizedCall) => sendCall(backend, authorizedCall), fallback);
  const outcome: Caller["outcome"] = (key, { signal } = {}) => fetchOutcome(backend, key, bearer, timeoutMs, signal);
  return {
    backend,
    tokens,
    timeoutMs,
    askTimeoutMs: options.askTimeoutMs ?? ASK_TIMEOUT_MS,
    refresh,
    get: (path, signal) => ({ method: "GET", path, timeoutMs, signal }),
    bearer,
    read,
    write: (shape, call, { signal, idempotencyKey: givenKey } = {}) => {
      const key = givenKey ?? createIdempotencyKey(backend);
      const once = { ...call, signal, headers: { "Idempotency-Key": key } };
      const lookUp = () => outcome(key, { signal });
      return read(shape, once, () => sendOnce(backend, once, key, { send: bearer, lookUp }));
    },
    outcome,
  };
}

const SIGNED_OUT: TokenSource = { accessToken: async () => null, afterRejection: async () => null };

/** Creates a function that sends a call and reads its answer. Error messages name the path without its query. */
function createReader(backend: BackendConnection): Caller["read"] {
  return async (shape, call, send = () => sendCall(backend, call)) => {
    const [answer, schema] = await Promise.all([send(), typeof shape === "function" ? shape() : shape]);
    const subject = `the answer of ${call.method} ${call.path.split("?")[0]}`;
    return readAnswer(schema, answer, toAnswerContext(backend, call), subject);
  };
}

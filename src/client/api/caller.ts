import type * as z from "zod/mini";
import type { Incoming } from "#net/ports";
import { type BackendConnection, createIdempotencyKey } from "./backend-connection.ts";
import { createFixedTokenSource, type TokenSource, withBearer } from "./bearer.ts";
import { fetchOutcome, sendOnce, type WriteOutcome } from "./lost-answers.ts";
import { createRefreshCall, type RefreshCall } from "./refresh-call.ts";
import { type Call, readAnswer, sendCall, toAnswerContext } from "./send-call.ts";

export type CallOptions = { signal?: AbortSignal };
export type WriteOptions = CallOptions & { idempotencyKey?: string };

/** What the calls are made with. */
export type ApiOptions = Omit<BackendConnection, "clockOffsetMs"> & {
  /** KAY_TOKEN. Beats the refresher. */
  token?: string;
  /** Makes the source of stored tokens from the refresh call; without it and without `token`, nobody is signed in. */
  refresher?: (call: RefreshCall) => TokenSource;
  /** Limit of an ordinary call, 30 s. */
  timeoutMs?: number;
  /** Limit of `ask` and `confirm`, in which a model and services work: 10 min. */
  askTimeoutMs?: number;
};

/** The schema of an answer, or what loads it. */
type Shape<T extends z.core.$ZodType> = T | (() => Promise<T>);

/** One backend with whoever speaks to it: what every call is made of. */
export type Caller = {
  backend: BackendConnection;
  tokens: TokenSource;
  timeoutMs: number;
  askTimeoutMs: number;
  refresh: RefreshCall;
  get(path: string, signal?: AbortSignal): Call;
  /** Carry out a call with the access token; see `withBearer`. */
  bearer(call: Call, fallback?: () => Promise<Incoming>): Promise<Incoming>;
  /** Carry out a call, by `exchange` without a token unless `send` is given, and read its answer. */
  read<T extends z.core.$ZodType>(
    shape: Shape<T>,
    call: Call,
    send?: () => Promise<Incoming>,
  ): Promise<z.core.output<T>>;
  /** Carry out a write with the access token, once, and read its answer; see `sendOnce`. */
  write<T extends z.core.$ZodType>(shape: Shape<T>, call: Call, options?: WriteOptions): Promise<z.core.output<T>>;
  outcome(key: string, options?: CallOptions): Promise<WriteOutcome>;
};

const TIMEOUT_MS = 30_000;
const ASK_TIMEOUT_MS = 600_000;

export function createCaller(options: ApiOptions): Caller {
  const backend: BackendConnection = { ...options };
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const refresh = createRefreshCall(backend, timeoutMs);
  const tokens = options.token ? createFixedTokenSource(options.token) : (options.refresher?.(refresh) ?? nobody);
  const read = getReader(backend);
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
    write: (shape, call, { signal, idempotencyKey: given } = {}) => {
      const key = given ?? createIdempotencyKey(backend);
      const once = { ...call, signal, headers: { "Idempotency-Key": key } };
      const lookUp = () => outcome(key, { signal });
      return read(shape, once, () => sendOnce(backend, once, key, { send: bearer, lookUp }));
    },
    outcome,
  };
}

const nobody: TokenSource = { accessToken: async () => null, afterRejection: async () => null };

/** Carries out a call and reads its answer; the path without its query names it in sentences. */
function getReader(backend: BackendConnection): Caller["read"] {
  return async (shape, call, send = () => sendCall(backend, call)) => {
    const [answer, schema] = await Promise.all([send(), typeof shape === "function" ? shape() : shape]);
    const subject = `the answer of ${call.method} ${call.path.split("?")[0]}`;
    return readAnswer(schema, answer, toAnswerContext(backend, call), subject);
  };
}

import { toSendProblem } from "#net/faults";
import { createOpenStream } from "#net/open-stream";
import type { Incoming, OpenStream, Outgoing, Send } from "#net/ports";
import { readBody } from "#net/send";
import type { Transport } from "#net/transport";
import type { VirtualClock } from "./virtual-clock.ts";

/** Address of a test's backend. */
export const BACKEND = "http://127.0.0.1:4000";

/**
 * The handling of a request: an answer; `pass` lets the real handler answer; `refused` and `lost` are network faults
 * before and after the request ran, `fault` is another one before it, by code; `gateway` returns a gateway's page after
 * it ran; `hang` never answers.
 */
export type Reply =
  | Scripted
  | { fault: string }
  | "pass"
  | "refused"
  | "lost"
  | "gateway"
  | "hang"
  | ((request: Seen) => Reply | Promise<Reply>);

type Scripted = { status?: number; headers?: Record<string, string>; json?: unknown; text?: string; stream?: Chunks };

/** A body as it arrives; one that throws breaks the connection. */
type Chunks = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** A pending request. */
type Going = Pick<Outgoing, "method" | "url" | "headers" | "body" | "signal">;

/** A sent request. */
type Seen = Pick<Outgoing, "method" | "url" | "headers"> & { body: unknown };

export type Network = {
  send: Send;
  openStream: OpenStream;
  seen: Seen[];
  /** `METHOD path` of every request to the backend, without its query; states are shortened. */
  calls(): string[];
  /** Number of the backend's open streams. */
  streaming(): number;
  /** Routes requests to this origin to a handler. */
  serve(origin: string, handler: (request: Request) => Promise<Response>): void;
  /**
   * Scripts the next answers of a backend route, such as `POST /ask` or `GET /auth/status/`, one each; each must be
   * requested.
   */
  on(route: string, ...replies: Reply[]): void;
  /** Scripts all further answers of a route. */
  always(route: string, reply: Reply): void;
  /** Fails if a request was not served, or a scripted one is missing. */
  settled(): void;
};

/** The network of a test: requests reach handlers in this process by their origin, and nothing else. */
export function createNetwork(clock: VirtualClock): Network {
  const handlers = new Map<string, (request: Request) => Promise<Response>>();
  const scripted: { route: string; reply: Reply; always: boolean }[] = [];
  const strange: string[] = [];
  const requests: Seen[] = [];
  const streams = new Set<AbortSignal>();
  const deliver = async (request: Going): Promise<Response> => {
    const handler = handlers.get(new URL(request.url).origin);
    if (!handler) {
      strange.push(`${request.method} ${request.url}`);
      throw fault(request, "ECONNREFUSED", false);
    }
    const { method, headers, body, signal } = request;
    return handler(new Request(request.url, { method, headers, body, signal, redirect: "manual" }));
  };
  const react = async (request: Going, reply: Reply): Promise<Response> => {
    if (typeof reply === "function") return react(request, await reply(asSeen(request)));
    if (reply === "pass") return deliver(request);
    if (reply === "refused") throw fault(request, "ECONNREFUSED", false);
    if (reply === "hang") return new Promise<never>(() => {});
    if (typeof reply === "object" && "fault" in reply) throw fault(request, reply.fault, false);
    if (typeof reply === "object") return createResponse(reply);
    await deliver(request);
    if (reply === "lost") throw fault(request, "ECONNRESET", true);
    return createResponse({ status: 504, text: "<html><h1>504 Gateway Time-out</h1></html>" });
  };
  const respond = async (request: Going): Promise<Response> => {
    const recorded = asSeen(request);
    requests.push(recorded);
    const index = scripted.findIndex(({ route }) =>
      `${request.method} ${new URL(request.url).pathname}`.startsWith(route),
    );
    const match = request.url.startsWith(BACKEND) ? scripted[index] : undefined;
    if (match && !match.always) scripted.splice(index, 1);
    const reply = typeof match?.reply === "function" ? await match.reply(recorded) : (match?.reply ?? "pass");
    const work = react(request, reply);
    return reply === "hang" ? work : clock.during(work);
  };
  const way: Transport = async (exchange) => {
    const { request, url, signal } = exchange;
    exchange.sent = true;
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    const response = await Promise.race([respond({ ...request, url: url.href, signal }), aborted]);
    const headers = createHeaders(response, clock);
    streams.add(signal);
    const forget = () => void streams.delete(signal);
    signal.addEventListener("abort", forget, { once: true });
    const body = readChunks(response, signal, clock, forget);
    return { status: response.status, headers, body };
  };
  return {
    seen: requests,
    streaming: () => streams.size,
    calls: () => requests.filter(({ url }) => url.startsWith(BACKEND)).map(formatRoute),
    serve: (origin, handler) => void handlers.set(origin, handler),
    on: (route, ...replies) => void scripted.push(...replies.map((reply) => ({ route, reply, always: false }))),
    always: (route, reply) => void scripted.push({ route, reply, always: true }),
    settled() {
      const unused = scripted.filter(({ always }) => !always).map(({ route }) => route);
      if (strange.length + unused.length > 0)
        throw new Error(
          `nobody serves: ${strange.join(", ") || "none missing"}; never came: ${unused.join(", ") || "none"}`,
        );
    },
    send: (request) => limitExchange(request, whole(respond(request), request, clock), clock),
    openStream: createOpenStream({ transport: way, clock }),
  };
}

function createResponse(reply: Scripted): Response {
  const text = reply.text ?? (reply.json === undefined ? "" : JSON.stringify(reply.json));
  const type = reply.stream ? "text/event-stream" : reply.text === undefined ? "application/json" : "text/html";
  return new Response(reply.stream ? ReadableStream.from(bytes(reply.stream)) : text || null, {
    status: reply.status ?? 200,
    headers: { "content-type": type, ...reply.headers },
  });
}

async function* bytes(chunks: Chunks): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const chunk of chunks) yield typeof chunk === "string" ? encoder.encode(chunk) : chunk;
}

/**
 * The body as it arrives from a connection; a break on the other side is a reset here. Time stands still while a chunk
 * arrives.
 */
async function* readChunks(
  { body }: Response,
  signal: AbortSignal,
  clock: VirtualClock,
  onEnd = () => {},
): AsyncGenerator<Uint8Array> {
  if (!body) return onEnd();
  const reader = body.getReader();
  const cancel = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw Object.assign(new Error("broken off", { cause }), { code: "ECONNRESET" });
      });
      signal.throwIfAborted();
      if (done) return;
      await clock.during(Promise.resolve());
      yield value;
    }
  } finally {
    cancel();
    onEnd();
  }
}

async function whole(answer: Promise<Response>, { url }: Going, clock: VirtualClock): Promise<Incoming> {
  const response = await answer;
  const body = readChunks(response, new AbortController().signal, clock);
  return readBody({ status: response.status, headers: createHeaders(response, clock), body }, url);
}

/** The caller's signal and the time limit end an exchange, as in reality. */
async function limitExchange(request: Outgoing, work: Promise<Incoming>, clock: VirtualClock): Promise<Incoming> {
  const ended = new AbortController();
  const exchange = { request, url: new URL(request.url), signal: ended.signal, sent: true };
  const cancelled = new Promise<never>((_, reject) => {
    const cancel = () => reject(toSendProblem(new Error("aborted"), exchange, "abort"));
    if (request.signal?.aborted) cancel();
    request.signal?.addEventListener("abort", cancel, { once: true });
  });
  const late = clock.sleep(request.timeoutMs, ended.signal).then(
    () => Promise.reject(toSendProblem(new Error("late"), exchange, { afterMs: request.timeoutMs })),
    () => work,
  );
  try {
    return await Promise.race([work, cancelled, late]);
  } finally {
    ended.abort();
  }
}

function fault(request: Going, code: string, isSent: boolean): Error {
  const { signal } = new AbortController();
  return toSendProblem(
    Object.assign(new Error(code), { code }),
    { request, url: new URL(request.url), signal, sent: isSent },
    null,
  );
}

function createHeaders(response: Response, clock: VirtualClock): Record<string, string> {
  return { date: new Date(clock.now()).toUTCString(), ...Object.fromEntries(response.headers) };
}

function asSeen({ method, url, headers, body }: Going): Seen {
  return { method, url, headers, body: body === undefined ? undefined : JSON.parse(body) };
}

function formatRoute({ method, url }: Seen): string {
  return `${method} ${new URL(url).pathname.replace(/(status|requests)\/.*/, "$1/…")}`;
}

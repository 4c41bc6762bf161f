import type { Incoming, Outgoing, Send } from "#client/ports";
import { sendProblem } from "#client/send/faults";
import type { VirtualClock } from "#test/virtual-clock";

/** Where the backend of a test is. */
export const BACKEND = "http://127.0.0.1:4000";

/**
 * What becomes of a request: an answer; `pass` lets the real handler answer; `refused` and `lost` are faults of the network before and after
 * it was carried out, `gateway` a page of a gateway in between after it was; `hang` never answers.
 */
export type Reply =
  | { status?: number; headers?: Record<string, string>; json?: unknown; text?: string }
  | "pass"
  | "refused"
  | "lost"
  | "gateway"
  | "hang"
  | ((request: Seen) => Reply | Promise<Reply>);

/** One request as it went out. */
type Seen = Pick<Outgoing, "method" | "url" | "headers"> & { body: unknown };

export type Network = {
  send: Send;
  seen: Seen[];
  /** `METHOD path` of every request to the backend, without its query; states are shortened. */
  calls(): string[];
  /** Let requests to this origin be answered by a handler. */
  serve(origin: string, handler: (request: Request) => Promise<Response>): void;
  /** Script the next answers of a route of the backend, `POST /ask` or `GET /auth/status/`, one each; each must come. */
  on(route: string, ...replies: Reply[]): void;
  /** Script all further answers of a route. */
  always(route: string, reply: Reply): void;
  /** Fails when a request came that nobody serves, or a scripted one did not. */
  settled(): void;
};

/** The network of a test: requests reach handlers in this process by their origin, and nothing else. */
export function createNetwork(clock: VirtualClock): Network {
  const handlers = new Map<string, (request: Request) => Promise<Response>>();
  const scripted: { route: string; reply: Reply; always: boolean }[] = [];
  const strange: string[] = [];
  const seen: Seen[] = [];
  const deliver = async (request: Outgoing): Promise<Incoming> => {
    const handler = handlers.get(new URL(request.url).origin);
    if (!handler) {
      strange.push(`${request.method} ${request.url}`);
      throw fault(request, "ECONNREFUSED", false);
    }
    const { method, headers, body, signal } = request;
    return incoming(
      await handler(new Request(request.url, { method, headers, body, signal, redirect: "manual" })),
      clock,
    );
  };
  const react = async (request: Outgoing, reply: Reply): Promise<Incoming> => {
    if (typeof reply === "function") return react(request, await reply(asSeen(request)));
    if (reply === "pass") return deliver(request);
    if (reply === "refused") throw fault(request, "ECONNREFUSED", false);
    if (reply === "lost") {
      await deliver(request);
      throw fault(request, "ECONNRESET", true);
    }
    if (reply === "gateway") {
      await deliver(request);
      return {
        status: 504,
        headers: { "content-type": "text/html" },
        body: "<html><h1>504 Gateway Time-out</h1></html>",
      };
    }
    if (reply === "hang") return new Promise<never>(() => {});
    const text = reply.text ?? (reply.json === undefined ? "" : JSON.stringify(reply.json));
    const type = reply.text === undefined ? "application/json" : "text/html";
    return { status: reply.status ?? 200, headers: { "content-type": type, ...reply.headers }, body: text };
  };
  return {
    seen,
    calls: () => seen.filter(({ url }) => url.startsWith(BACKEND)).map(routeOf),
    serve: (origin, handler) => void handlers.set(origin, handler),
    on: (route, ...replies) => void scripted.push(...replies.map((reply) => ({ route, reply, always: false }))),
    always: (route, reply) => void scripted.push({ route, reply, always: true }),
    settled() {
      const left = scripted.filter(({ always }) => !always).map(({ route }) => route);
      if (strange.length + left.length > 0)
        throw new Error(
          `nobody serves: ${strange.join(", ") || "none missing"}; never came: ${left.join(", ") || "none"}`,
        );
    },
    async send(request) {
      const one = asSeen(request);
      seen.push(one);
      const index = scripted.findIndex(({ route }) =>
        `${request.method} ${new URL(request.url).pathname}`.startsWith(route),
      );
      const found = request.url.startsWith(BACKEND) ? scripted[index] : undefined;
      if (found && !found.always) scripted.splice(index, 1);
      const reply = typeof found?.reply === "function" ? await found.reply(one) : (found?.reply ?? "pass");
      const work = react(request, reply);
      return limited(request, reply === "hang" ? work : clock.during(work), clock);
    },
  };
}

/** The caller's signal and the time limit end an exchange, as in the real thing. */
async function limited(request: Outgoing, work: Promise<Incoming>, clock: VirtualClock): Promise<Incoming> {
  const over = new AbortController();
  const exchange = { request, url: new URL(request.url), signal: over.signal, sent: true };
  const cancelled = new Promise<never>((_, reject) => {
    const cancel = () => reject(sendProblem(new Error("aborted"), exchange, "abort"));
    if (request.signal?.aborted) cancel();
    request.signal?.addEventListener("abort", cancel, { once: true });
  });
  const late = clock.sleep(request.timeoutMs, over.signal).then(
    () => Promise.reject(sendProblem(new Error("late"), exchange, "timeout")),
    () => work,
  );
  try {
    return await Promise.race([work, cancelled, late]);
  } finally {
    over.abort();
  }
}

function fault(request: Outgoing, code: string, sent: boolean): Error {
  const { signal } = new AbortController();
  return sendProblem(
    Object.assign(new Error(code), { code }),
    { request, url: new URL(request.url), signal, sent },
    null,
  );
}

async function incoming(response: Response, clock: VirtualClock): Promise<Incoming> {
  const headers = Object.fromEntries(response.headers);
  return {
    status: response.status,
    headers: { date: new Date(clock.now()).toUTCString(), ...headers },
    body: await response.text(),
  };
}

function asSeen({ method, url, headers, body }: Outgoing): Seen {
  return { method, url, headers, body: body === undefined ? undefined : JSON.parse(body) };
}

function routeOf({ method, url }: Seen): string {
  return `${method} ${new URL(url).pathname.replace(/(status|requests)\/.*/, "$1/…")}`;
}

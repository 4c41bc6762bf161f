import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod/mini";
import { escapeRegExp } from "../query/words.ts";

const Status = z.number().check(z.int(), z.gte(200), z.lte(599));

/** A fault to inject into the next requests that match. Paths may hold `*` for anything. */
export const Fault = z.strictObject({
  match: z.optional(z.strictObject({ method: z.optional(z.string()), path: z.optional(z.string()) })),
  /** How many matching requests it affects; 1 by default. */
  times: z.optional(z.number().check(z.int(), z.gte(1))),
  status: z.optional(Status),
  /** Sent unchanged if it is a string, otherwise as JSON. */
  body: z.optional(z.unknown()),
  headers: z.optional(z.record(z.string(), z.string())),
  /** Milliseconds to wait first. Alone, the request is then answered as ever. */
  delay_ms: z.optional(z.number().check(z.int(), z.gte(0), z.lte(600_000))),
  /** Closes the connection without a response. */
  drop: z.optional(z.boolean()),
  /** `after`: handles the request, and only loses or replaces its response. */
  when: z.optional(z.enum(["before", "after"])),
});
export type Fault = z.infer<typeof Fault>;

/**
 * Marks a dropped connection. A `Response` cannot express it, so the listener destroys the socket when it sees this
 * header.
 */
export const DROP_HEADER = "x-sandbox-drop";

export type Faults = ReturnType<typeof createFaults>;

/** The faults of one origin, in memory only. */
export function createFaults() {
  let pending: (Fault & { left: number })[] = [];

  return {
    /** Replace all faults. */
    set(faults: Fault[]) {
      pending = faults.map((fault) => ({ ...fault, left: fault.times ?? 1 }));
    },

    /** Faults that are not used up. */
    list(): Fault[] {
      return pending.map(({ left, ...fault }) => ({ ...fault, times: left }));
    },

    /** Handles a request, with a fault if one matches. */
    async meet(request: Request, answer: () => Promise<Response>): Promise<Response> {
      const fault = pending.find(({ match }) => matches(match, request));
      if (!fault) return answer();
      fault.left -= 1;
      pending = pending.filter(({ left }) => left > 0);
      const replacement = fault.drop || fault.status !== undefined ? getResponse(fault) : undefined;
      const real = replacement && fault.when !== "after" ? undefined : await answer();
      if (fault.delay_ms) await wait(fault.delay_ms, undefined, { signal: request.signal }).catch(() => undefined);
      return replacement ?? real ?? getResponse(fault);
    },
  };
}

function matches(match: Fault["match"], request: Request): boolean {
  if (match?.method && match.method.toUpperCase() !== request.method) return false;
  return match?.path === undefined || glob(match.path).test(new URL(request.url).pathname);
}

function glob(pattern: string): RegExp {
  const parts = pattern.split("*").map(escapeRegExp);
  return new RegExp(`^${parts.join(".*")}$`);
}

function getResponse(fault: Fault): Response {
  if (fault.drop) return new Response(null, { status: 503, headers: { [DROP_HEADER]: "1" } });
  const status = fault.status ?? 500;
  const text = typeof fault.body === "string";
  const headers = { "content-type": text ? "text/plain; charset=utf-8" : "application/json", ...fault.headers };
  if (fault.body === undefined || status === 204 || status === 304)
    return new Response(null, { status, headers: fault.headers ?? {} });
  return new Response(text ? String(fault.body) : JSON.stringify(fault.body), { status, headers });
}

import type { Streaming } from "#net/ports";
import { readBody } from "#net/send";
import { Problem } from "#protocol/errors";
import { hideSecrets } from "#protocol/redact";
import { type BackendConnection, getHost } from "./backend-connection.ts";
import { ignoreMissingRoute, toProblem } from "./failure.ts";
import { toAnswerContext, toRequest } from "./send-call.ts";
import { createEventReader } from "./sse.ts";

/** One beat: when it was sent by the server's clock, and when it arrived by this machine's, in ms since 1970. */
export type Beat = { sentAt: number; cameAt: number };

/** Time limits in ms: for the head of the stream, and between two beats. */
const HEAD_LIMIT_MS = 5_000;
const IDLE_LIMIT_MS = 5_000;

/**
 * `GET /health/stream`: returns the beats of a short stream, or null if the backend does not have it.
 *
 * @throws Problem TIMED_OUT when nothing arrives for five seconds
 */
export async function fetchBeats(backend: BackendConnection, signal?: AbortSignal): Promise<Beat[] | null> {
  const call = { method: "GET", path: "/health/stream" } as const;
  const request = toRequest(backend, { ...call, headers: { Accept: "text/event-stream" }, timeoutMs: HEAD_LIMIT_MS });
  const limits = { headTimeoutMs: HEAD_LIMIT_MS, idleTimeoutMs: IDLE_LIMIT_MS, signal };
  const stream = await backend.openStream({ ...request, ...limits });
  const isStream = /^text\/event-stream\b/i.test(stream.headers["content-type"] ?? "");
  if (stream.status === 200 && isStream) return readBeats(backend, stream);
  const read = await readBody(stream, getHost(backend));
  const answer = { ...read, body: hideSecrets(read.body, stream.secrets) };
  if (stream.status >= 400) return ignoreMissingRoute(toProblem(answer, toAnswerContext(backend, {})));
  throw new Problem("BAD_ANSWER", `${getHost(backend)} did not answer with a stream.`, {
    details: { http_status: stream.status },
  });
}

async function readBeats(backend: BackendConnection, { body }: Streaming): Promise<Beat[]> {
  const reader = createEventReader(getHost(backend));
  const beats: Beat[] = [];
  for await (const bytes of body) {
    const cameAt = backend.clock.now();
    for (const { data } of reader.feed(bytes)) {
      const sentAt = parseSentAt(data);
      if (!Number.isNaN(sentAt)) beats.push({ sentAt, cameAt });
    }
  }
  return beats;
}

/** Returns the time in a beat; NaN for other events. */
function parseSentAt(data: string): number {
  try {
    const { type, at } = JSON.parse(data) as { type?: unknown; at?: unknown };
    return type === "beat" ? Date.parse(String(at)) : Number.NaN;
  } catch {
    return Number.NaN;
  }
}

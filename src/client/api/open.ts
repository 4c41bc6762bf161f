import { Problem } from "#protocol/errors";
import type { Incoming, Streaming } from "../ports.ts";
import { readWhole } from "../send/whole.ts";
import { type Backend, hostOf } from "./backend.ts";
import { withBearer } from "./bearer.ts";
import type { Caller } from "./caller.ts";
import { type Call, contextOf, judged, noteClock, outgoing, repeated } from "./exchange.ts";
import { failureOf } from "./failure.ts";

/** Limit for a stream in which nothing comes, in milliseconds; a backend says every 15 s that it is there (cases H10, H11). */
const IDLE_LIMIT_MS = 120_000;

/** Carry out a call whose answer is a stream, with the access token. A backend that has none for it answers whole. */
export async function open(caller: Caller, call: Call): Promise<{ stream: Streaming } | { answer: Incoming }> {
  return withBearer(caller.tokens, call, (authorizedCall) => openOnce(caller.backend, authorizedCall));
}

/**
 * The same for a call that has no other answer.
 *
 * @throws Problem BAD_ANSWER for one that is no stream
 */
export async function openStream(caller: Caller, call: Call): Promise<Streaming> {
  const opened = await open(caller, call);
  if ("stream" in opened) return opened.stream;
  const problem = failureOf(opened.answer, contextOf(caller.backend, call));
  if (problem.code !== "BAD_ANSWER") throw problem;
  throw new Problem("BAD_ANSWER", `${hostOf(caller.backend)} answered something else than a stream.`, {
    details: problem.details,
  });
}

function openOnce(backend: Backend, call: Call): Promise<{ stream: Streaming } | { answer: Incoming }> {
  return repeated(backend, call, async () => {
    const limits = { headTimeoutMs: call.timeoutMs, idleTimeoutMs: IDLE_LIMIT_MS, signal: call.signal };
    const stream = await backend.openStream({ ...outgoing(backend, call), ...limits });
    if (stream.status === 200 && /^text\/event-stream\b/i.test(stream.headers["content-type"] ?? "")) {
      noteClock(backend, stream);
      return { stream };
    }
    return { answer: judged(backend, call, await readWhole(stream, hostOf(backend))) };
  });
}

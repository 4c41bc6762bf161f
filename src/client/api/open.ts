import type { Incoming, Streaming } from "#net/ports";
import { readBody } from "#net/send";
import { Problem } from "#protocol/errors";
import { hideSecrets } from "#protocol/redact";
import { type BackendConnection, getHost } from "./backend-connection.ts";
import { withBearer } from "./bearer.ts";
import type { Caller } from "./caller.ts";
import { toProblem } from "./failure.ts";
import { type Call, checkAnswer, recordClock, toAnswerContext, toRequest, withRetries } from "./send-call.ts";

/** Time limit for a silent stream, in ms. Backends send a comment every 15 s. */
const IDLE_LIMIT_MS = 120_000;

/**
 * Sends a call whose answer is a stream, with the access token. Returns an ordinary answer if the backend does not
 * stream it.
 */
export async function openCall(caller: Caller, call: Call): Promise<{ stream: Streaming } | { answer: Incoming }> {
  return withBearer(caller.tokens, call, (authorizedCall) => openOnce(caller.backend, authorizedCall));
}

/**
 * Like {@link openCall}, for a call whose answer must be a stream.
 *
 * @throws Problem BAD_ANSWER when the answer is not a stream
 */
export async function openCallStream(caller: Caller, call: Call): Promise<Streaming> {
  const openedCall = await openCall(caller, call);
  if ("stream" in openedCall) return openedCall.stream;
  const problem = toProblem(openedCall.answer, toAnswerContext(caller.backend, call));
  if (problem.code !== "BAD_ANSWER") throw problem;
  throw new Problem("BAD_ANSWER", `${getHost(caller.backend)} did not answer with a stream.`, {
    details: problem.details,
  });
}

function openOnce(backend: BackendConnection, call: Call): Promise<{ stream: Streaming } | { answer: Incoming }> {
  return withRetries(backend, call, async () => {
    const limits = { headTimeoutMs: call.timeoutMs, idleTimeoutMs: IDLE_LIMIT_MS, signal: call.signal };
    const stream = await backend.openStream({ ...toRequest(backend, call), ...limits });
    if (stream.status === 200 && /^text\/event-stream\b/i.test(stream.headers["content-type"] ?? "")) {
      recordClock(backend, stream);
      return { stream };
    }
    const answer = await readBody(stream, getHost(backend));
    return { answer: checkAnswer(backend, call, { ...answer, body: hideSecrets(answer.body, stream.secrets) }) };
  });
}

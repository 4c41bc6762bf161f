import { createHash } from "node:crypto";
import { Problem, toProblemBody } from "#protocol/errors";
import type { Log } from "#telemetry/log";
import type { BackendPorts } from "../ports.ts";
import { isDatabaseAway } from "../store/database.ts";
import { claimRequest, finishRequest, interruptRequest, linkRequest, type StoredRequest } from "../store/requests.ts";

type Ports = Pick<BackendPorts, "db" | "clock" | "log" | "node">;
type Answer = { status: number; body: unknown };

/** `link` names the generation that makes the answer, once there is one. */
type Handle = (body: unknown, signal: AbortSignal, link: (generationId: string) => Promise<void>) => Promise<Answer>;

/**
 * Answers a write once per `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): a repeat gets the first
 * answer, success or not, without side effects. While the first is running, or if it was interrupted, a repeat gets 409
 * at once with `state`; its outcome is at `GET /requests/:key`. Without the header every request runs.
 * @throws Problem IDEMPOTENCY_CONFLICT, INVALID_REQUEST
 */
export async function answerOnce(
  ports: Ports,
  installationId: string,
  request: Request,
  handle: Handle,
): Promise<Response> {
  const { status, body } = await runOnce(ports, installationId, request, handle);
  return Response.json(body, { status });
}

/** The same for an answer that is not sent as it is kept. */
export async function runOnce(ports: Ports, installationId: string, request: Request, handle: Handle): Promise<Answer> {
  const text = await request.text();
  const key = request.headers.get("idempotency-key");
  if (key === null) return await handle(parseBody(text), request.signal, unlink);
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new Problem("INVALID_REQUEST", "Idempotency-Key must be 1 to 255 visible characters.");
  }
  const fingerprint = hash(`${request.method} ${new URL(request.url).pathname}\n${text}`);
  const node = await ports.node.number();
  const first = await claimRequest(ports.db, installationId, key, { fingerprint, node }, ports.clock.now());
  if (first) return replay(first, fingerprint);
  const answer = await settle(ports.log, () =>
    handle(parseBody(text), request.signal, (id) => linkRequest(ports.db, installationId, key, id)),
  ).catch(async (error: unknown) => {
    // One more try: it gets another connection.
    const interrupt = () => interruptRequest(ports.db, installationId, key);
    await interrupt().catch(interrupt);
    throw error;
  });
  // The work continues without this process, and its end will be the answer.
  if ((answer.body as { code?: unknown } | null)?.code === "BACKEND_BUSY") return answer;
  await finishRequest(ports.db, installationId, key, { status: answer.status, answer: answer.body });
  return answer;
}

async function unlink(): Promise<void> {}

function replay(first: StoredRequest, fingerprint: string): Answer {
  if (first.fingerprint !== fingerprint) {
    throw new Problem("IDEMPOTENCY_CONFLICT", "Another request was already made with this Idempotency-Key.");
  }
  if (first.state === "done") return { status: first.status ?? 200, body: first.answer };
  const words =
    first.state === "running"
      ? "The first request with this Idempotency-Key is still running."
      : "The first request with this Idempotency-Key was cut off; what it did is in its receipts.";
  throw new Problem("IDEMPOTENCY_CONFLICT", words, { details: { state: first.state } });
}

/**
 * A failure is an answer too: it is kept, so that a repeat cannot do by accident what failed the first time. That the database went away in between
 * is none.
 */
async function settle(log: Log, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (isDatabaseAway(error))
      throw new Problem("DATABASE_UNAVAILABLE", "The database went away while this was done.", {
        hint: "Look what became of it, or try again in a moment.",
        cause: error,
      });
    if (!(error instanceof Problem)) log("error", "ask_failed", { error });
    const problem =
      error instanceof Problem ? error : new Problem("INTERNAL", "Something went wrong inside kay.", { cause: error });
    return { status: problem.status, body: { status: "error", ...toProblemBody(problem) } };
  }
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem("INVALID_REQUEST", "The body is not valid JSON.");
  }
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

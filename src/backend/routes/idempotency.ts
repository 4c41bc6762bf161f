import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Expression, RawBuilder } from "kysely";
import { Problem, toProblemBody } from "#protocol/errors";
import { authenticate, authenticateReading, type Caller } from "../accounts/authenticate.ts";
import type { LinkRequest } from "../generations/request.ts";
import type { BackendPorts } from "../ports.ts";
import { getFaultLevel, isDatabaseAway } from "../store/database.ts";
import {
  claimRequest,
  findRequest,
  finishRequest,
  insertAnsweredSql,
  interruptRequest,
  isKeyTaken,
  linkRequestSql,
  releaseRequest,
  type StoredRequest,
  updateAnsweredSql,
} from "../store/requests.ts";
import type { Rows } from "../store/round-trips.ts";
import { retryWhileAway } from "../store/round-trips.ts";
import { parseJsonBody } from "./body.ts";
import { rejectUntaken, toLostProblem } from "./lost-writes.ts";
import { getStreamPosition, loadOutcome } from "./outcome.ts";
import { openAnswer, sealAnswer } from "./stored-answer.ts";

type Ports = Pick<BackendPorts, "db" | "clock" | "log" | "node" | "keys">;
type Answer = { status: number; body: unknown };

/** Updates of the record of a key while its write runs. */
export type RequestRecord = {
  /** Links the key to the generation that answers, in the transaction that starts or approves it. */
  link: LinkRequest;
  /** Claims the key before any work that a repeat would do again. */
  claim(): Promise<void>;
  /**
   * Returns changes that store the answer and claim the key if needed, for the statement that does the work
   * (`Condition`). If another request has the key, that statement fails, and the other's answer is sent.
   */
  store(answer: Answer, generationId: string): RawBuilder<unknown>[];
  /** Records that something may be sent from now on, without a generation. */
  begin(): void;
};

type Handle = (body: unknown, signal: AbortSignal, record: RequestRecord) => Promise<Answer>;

/** How long an answer waits until it is stored, in ms. After that it is sent, and stored when the database is back. */
const STORE_LIMIT_MS = 2_000;

/** Identifies the sender of a write. @throws Problem DATABASE_UNAVAILABLE with `sent: false`, and as `authenticate` */
export function authenticateWrite(ports: BackendPorts, request: Request): Promise<Caller> {
  return authenticate(ports, request).catch(rejectUntaken);
}

/** Identifies the sender of a write and reads other rows, as `authenticateReading` does. */
export function authenticateWriteReading<Queries extends Record<string, Expression<unknown>>>(
  ports: BackendPorts,
  request: Request,
  queries: Queries,
): Promise<{ caller: Caller; rows: Rows<Queries> }> {
  return authenticateReading(ports, request, queries).catch(rejectUntaken);
}

/**
 * Answers a write once per `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): a repeat gets the first
 * answer, success or not, without side effects. While the first is running, or if it was interrupted, a repeat gets 409
 * at once with `state`; its outcome is at `GET /requests/:key`. Without the header every request runs.
 * @throws Problem IDEMPOTENCY_CONFLICT, INVALID_REQUEST; OUTCOME_UNKNOWN when the database went away after work began,
 * DATABASE_UNAVAILABLE with `sent: false` before
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

/** Runs a write once, as `answerOnce` does, and returns the stored answer, which may differ from the one that is sent. */
export async function runOnce(ports: Ports, installationId: string, request: Request, handle: Handle): Promise<Answer> {
  return await runOnceLate(ports, installationId, request, async (body, signal, record) => {
    await record.claim();
    return await handle(body, signal, record);
  });
}

/**
 * Runs a write once that does its work in one statement. The key is claimed there with {@link RequestRecord.store}, or
 * before with {@link RequestRecord.claim}.
 */
export async function runOnceLate(
  ports: Ports,
  installationId: string,
  request: Request,
  handle: Handle,
): Promise<Answer> {
  const text = await request.text();
  const key = request.headers.get("idempotency-key");
  if (key !== null && !/^[\x21-\x7e]{1,255}$/.test(key))
    throw new Problem("INVALID_REQUEST", "Idempotency-Key must be 1 to 255 visible characters.");
  const fingerprint = hash("sha256", `${request.method} ${new URL(request.url).pathname}\n${text}`);
  const state: KeyState = { key, installationId, fingerprint, isClaimed: false, isStored: false, begun: false };
  const begin = () => {
    state.begun = true;
  };
  const record: RequestRecord = {
    begin,
    link: {
      changes: ({ generationId }) => (key === null ? [] : [linkRequestSql(installationId, key, generationId)]),
      begin,
    },
    claim: () => claim(ports, state),
    store: ({ status, body }, generationId) => {
      if (key === null) return [];
      state.isStored = true;
      const answeredRequest = {
        status,
        answer: sealAnswer(ports, { installationId, key }, body),
        generationId,
        fingerprint,
      };
      const { isClaimed } = state;
      return [
        (isClaimed ? updateAnsweredSql : insertAnsweredSql)(installationId, key, answeredRequest, ports.clock.now()),
      ];
    },
  };
  try {
    const answer = await handle(parseJsonBody(text), request.signal, record);
    if (key !== null && !state.isStored) await storeAnswer(ports, { ...state, key }, answer);
    return answer;
  } catch (error) {
    if (error instanceof TakenKey) return await replay(ports, { ...state, key: error.key }, error.first);
    if (key !== null && isKeyTaken(error)) {
      const first = await findRequest(ports.db, installationId, key);
      if (first) return await replay(ports, { ...state, key }, first);
    }
    return await answerError(ports, state, error);
  }
}

/** A key, and how far its request came. */
type KeyState = {
  key: string | null;
  installationId: string;
  fingerprint: string;
  isClaimed: boolean;
  /** Whether the answer is part of the work's statement. */
  isStored: boolean;
  /** Whether something may have been sent. */
  begun: boolean;
};
type NamedKey = KeyState & { key: string };

/** Another request has this key. */
class TakenKey extends Error {
  readonly key: string;
  readonly first: StoredRequest;
  constructor(key: string, first: StoredRequest) {
    super();
    this.key = key;
    this.first = first;
  }
}

async function answerError(ports: Ports, state: KeyState, error: unknown): Promise<Answer> {
  const { key, installationId, begun } = state;
  if (key === null) throw isDatabaseAway(error) ? toLostProblem(error, begun) : error;
  if (!(error instanceof Problem)) ports.log(getFaultLevel(error), "ask_failed", { error });
  const problem = toLostProblem(error, begun);
  const answer = { status: problem.status, body: { status: "error", ...toProblemBody(problem) } };
  if (error instanceof Problem && error.details.state === undefined) {
    const claimResult = await claim(ports, state).catch((failure: unknown) => failure);
    if (claimResult instanceof TakenKey) return await replay(ports, { ...state, key }, claimResult.first);
    await storeAnswer(ports, { ...state, key }, answer);
  } else if (state.isClaimed)
    // No answer is stored, because the generation's rows are the record.
    void retryWhileAway(() => (begun ? interruptRequest : releaseRequest)(ports.db, installationId, key)).catch(
      () => {},
    );
  return answer;
}

async function claim({ db, node, clock }: Ports, state: KeyState): Promise<void> {
  const { key, installationId, fingerprint } = state;
  if (key === null || state.isClaimed) return;
  const claimPromise = node.number().then((number) => {
    const claimed = { fingerprint, node: number };
    return claimRequest(db, installationId, key, claimed, clock.now());
  });
  const first = await claimPromise.catch(rejectUntaken);
  if (first) throw new TakenKey(key, first);
  state.isClaimed = true;
}

/** Stores an answer. If that fails, it is sent anyway, because it is correct and has no other copy. */
async function storeAnswer(ports: Ports, { installationId, key }: NamedKey, { status, body }: Answer): Promise<void> {
  const answer = sealAnswer(ports, { installationId, key }, body);
  const storePromise = retryWhileAway(() => finishRequest(ports.db, installationId, key, { status, answer })).catch(
    (error: unknown) => ports.log("error", "answer_not_stored", { error }),
  );
  await Promise.race([storePromise, sleep(STORE_LIMIT_MS, undefined, { ref: false })]);
}

async function replay(
  ports: Ports,
  { installationId, key, fingerprint }: NamedKey,
  request: StoredRequest,
): Promise<Answer> {
  const first = openAnswer(ports, { installationId, key }, request);
  if (first.fingerprint !== fingerprint) {
    throw new Problem("IDEMPOTENCY_CONFLICT", "Another request was already made with this Idempotency-Key.");
  }
  if (getStreamPosition(first.answer)) return { status: 200, body: first.answer };
  const { state, status, answer, session_id } = await loadOutcome(ports, first);
  if (state === "done") return { status: status ?? 200, body: answer };
  const words =
    state === "running"
      ? "The first request with this Idempotency-Key is still running."
      : "The first request with this Idempotency-Key was cut off; what it did is in its receipts.";
  throw new Problem("IDEMPOTENCY_CONFLICT", words, { details: { state, ...(session_id ? { session_id } : {}) } });
}

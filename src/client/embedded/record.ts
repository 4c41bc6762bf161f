import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { readOwnFile } from "#files/own-file";
import type { Processes } from "#files/processes";
import { isLoopbackHost } from "#net/addresses";
import type { Send } from "#net/ports";
import { EMBEDDED_RECORD, PROOF_PATH } from "#protocol/embedded";
import type { EmbeddedRecord } from "#protocol/embedded-record";
import { Problem } from "#protocol/errors";
import { parseShape } from "#protocol/parse";

/** Ports for reading the record of a local backend. */
export type RecordPorts = {
  /** State folder with the record. */
  folder: string;
  processes: Processes;
};

/**
 * Returns the record of a backend whose process is alive and wrote it.
 *
 * @throws Problem STORE_UNREADABLE if the record or its folder belongs to another user
 */
export async function findRunningRecord(
  { folder, processes }: RecordPorts,
  name = EMBEDDED_RECORD,
): Promise<EmbeddedRecord | null> {
  const text = await readOwnFile(join(folder, name), processes.uid);
  if (text === null) return null;
  try {
    const { EmbeddedRecord } = await import("#protocol/embedded-record");
    const record = parseShape(EmbeddedRecord, JSON.parse(text), "the record of the local backend");
    if (name === EMBEDDED_RECORD && !isOnLoopback(record.url)) return null;
    const started = await processes.getStartTime(record.pid);
    return started !== null && started === record.started ? record : null;
  } catch {
    return null;
  }
}

/**
 * Returns the record of a running local backend that has proved its identity. On systems that do not report when a process
 * started (macOS, Windows), the pid of an old record may belong to another program. Such a record is removed.
 *
 * @throws Problem BACKEND_START_FAILED if the process is alive but the program at its URL is not it; UNREACHABLE or
 * TIMED_OUT if nothing answers there
 */
export async function findProvenRecord(ports: RecordPorts & { send: Send }): Promise<EmbeddedRecord | null> {
  const record = await findRunningRecord(ports);
  if (record === null) return null;
  const isAway = (error: unknown) => error instanceof Problem && error.details.sent === false;
  const proven = await provesIdentity(ports.send, record).catch((error: unknown) => {
    if (record.started === "" && isAway(error)) return false;
    throw error instanceof Problem ? silentProblem(record, error) : error;
  });
  if (proven) return record;
  if (record.started !== "") throw unprovenProblem(record);
  await rm(join(ports.folder, EMBEDDED_RECORD), { force: true });
  return null;
}

const STOP_HINT = "Stop it with `kay serve --stop --force`, then try again.";

function unprovenProblem({ pid, url }: EmbeddedRecord): Problem {
  return new Problem("BACKEND_START_FAILED", `The program at ${url} is not the local backend (PID ${pid}).`, {
    hint: STOP_HINT,
  });
}

/** Creates the error for a backend that hangs, is stopped by a signal, or listens in another network namespace. */
function silentProblem({ pid, url }: EmbeddedRecord, { code, details, cause }: Problem): Problem {
  const errno = typeof details.errno === "string" ? ` (${details.errno})` : "";
  return new Problem(code, `The local backend (PID ${pid}) is running but does not answer at ${url}${errno}.`, {
    hint: `It may hang, or run in another container. ${STOP_HINT}`,
    details,
    cause,
  });
}

/**
 * Whether a URL is on loopback. The local backend listens only there, so its secret and tokens must go nowhere else,
 * whatever the record says.
 */
function isOnLoopback(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && isLoopbackHost(hostname);
}

const TIME_LIMIT_MS = 10_000;

/**
 * Computes the answer of a local backend to a challenge. It contains the URL, so that another program cannot pass the
 * challenge on to the backend.
 */
export function computeProof(secret: string, url: string, challenge: string): string {
  return createHmac("sha256", secret)
    .update(JSON.stringify(["kay local backend", url, challenge]))
    .digest("base64url");
}

/** Whether a text can be a challenge. */
export function isChallenge(text: string): boolean {
  return /^[\w-]{22,64}$/.test(text);
}

/**
 * Whether the program at the URL of a record knows its secret, which is not sent.
 *
 * @throws Problem UNREACHABLE, TIMED_OUT
 */
export async function provesIdentity(send: Send, { url, secret }: Pick<EmbeddedRecord, "url" | "secret">) {
  const challenge = randomBytes(24).toString("base64url");
  const answer = await send({
    method: "GET",
    url: `${url}${PROOF_PATH}?challenge=${challenge}`,
    timeoutMs: TIME_LIMIT_MS,
  });
  const [proof, expected] = [Buffer.from(answer.body.trim()), Buffer.from(computeProof(secret, url, challenge))];
  return answer.status === 200 && proof.length === expected.length && timingSafeEqual(proof, expected);
}

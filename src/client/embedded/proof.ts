import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Send } from "#net/ports";
import { PROOF_PATH } from "#protocol/embedded";
import type { EmbeddedRecord } from "#protocol/embedded-record";

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
  const [given, expected] = [Buffer.from(answer.body.trim()), Buffer.from(computeProof(secret, url, challenge))];
  return answer.status === 200 && given.length === expected.length && timingSafeEqual(given, expected);
}

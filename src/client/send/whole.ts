import type { Incoming } from "#net/ports";
import type { StreamedAnswer } from "#net/transport";
import { Problem } from "#protocol/errors";

/** Largest answer that is read: 32 MiB. Longer ones end the exchange with BAD_ANSWER. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** Read an answer whole, up to the limit. `origin` is for the sentence. */
export async function readBody({ status, headers, body }: StreamedAnswer, origin: string): Promise<Incoming> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // A throw inside the loop closes the connection.
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) {
      throw new Problem("BAD_ANSWER", `The answer of ${origin} is larger than 32 MiB.`, { details: { sent: true } });
    }
    chunks.push(chunk);
  }
  return { status, headers, body: Buffer.concat(chunks).toString("utf8") };
}

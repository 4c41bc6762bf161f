import * as z from "zod/mini";
import { sleepOrThrow } from "#net/sleep";
import type { StreamOutcome } from "#protocol/agent";
import { Problem } from "#protocol/errors";
import type { Caller } from "../caller.ts";
import type { Call } from "../send-call.ts";

/** Waits before each attempt to tell the backend, in ms. To tell it twice changes nothing. */
const ATTEMPTS_MS = [0, 1_000, 3_000, 10_000, 20_000];

/** `POST /generations/:id/stream`: what became of the stream. Whether the backend took it. */
export async function reportStreamOutcome(
  { caller, place, signal }: { caller: Caller; place: { generation_id: string }; signal: AbortSignal },
  outcome: StreamOutcome,
): Promise<boolean> {
  const path = `/generations/${encodeURIComponent(place.generation_id)}/stream`;
  const call: Call = { method: "POST", path, body: outcome, timeoutMs: caller.timeoutMs, signal };
  for (const ms of ATTEMPTS_MS) {
    try {
      if (ms > 0) await sleepOrThrow(caller.backend.clock, ms, signal);
      await caller.read(z.looseObject({}), call, () => caller.bearer(call));
      return true;
    } catch (error) {
      if (signal.aborted || !(error instanceof Problem) || Number(error.details.http_status ?? 500) < 500) return false;
    }
  }
  return false;
}

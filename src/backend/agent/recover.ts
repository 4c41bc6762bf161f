import type { BackendPorts } from "../ports.ts";
import { forgetConfirmationsBefore } from "../store/confirmations.ts";
import { markLostEffects } from "../store/effects.ts";
import { endLostGenerations } from "../store/generations.ts";
import { forgetRequestsBefore, interruptLostRequests } from "../store/requests.ts";

/** How long answered requests and expired confirmations are kept, in ms: longer than anybody looks for a lost answer. */
const MEMORY_MS = 7 * 24 * 60 * 60_000;

/**
 * To be called once at start-up, before the first request: what a stopped process left half done is marked for what it is and never done
 * again. Should another node be at work just then, the rows it still finishes get their true state from it afterwards.
 */
export async function recoverLostWork(ports: Pick<BackendPorts, "db" | "clock" | "log">): Promise<void> {
  const now = ports.clock.now();
  const unknown = await markLostEffects(ports.db, now);
  await endLostGenerations(ports.db, now);
  await interruptLostRequests(ports.db);
  const old = new Date(now - MEMORY_MS);
  await forgetRequestsBefore(ports.db, old);
  await forgetConfirmationsBefore(ports.db, old);
  if (unknown > 0) ports.log("warn", "effects_unknown", { count: unknown });
}

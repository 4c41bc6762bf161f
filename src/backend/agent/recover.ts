import type { BackendPorts } from "../ports.ts";
import { markLostEffects } from "../store/effects.ts";
import { endLostGenerations } from "../store/generations.ts";
import { interruptLostRequests } from "../store/requests.ts";

/**
 * To be called once at start-up, before the first request: what a stopped process left half done is marked for what it is and never done
 * again. Should another node be at work just then, the rows it still finishes get their true state from it afterwards.
 */
export async function recoverLostWork(ports: Pick<BackendPorts, "db" | "clock" | "log">): Promise<void> {
  const now = ports.clock.now();
  const unknown = await markLostEffects(ports.db, now);
  await endLostGenerations(ports.db, now);
  await interruptLostRequests(ports.db);
  if (unknown > 0) ports.log("warn", "effects_unknown", { count: unknown });
}

import type { BackendPorts } from "../ports.ts";
import { forgetLostClients } from "../store/clients.ts";
import { forgetConfirmationsBefore } from "../store/confirmations.ts";
import { markLostEffects } from "../store/effects.ts";
import { forgetRequestsBefore, interruptLostRequests } from "../store/requests.ts";

/** How long answered requests and expired confirmations are kept, in ms: longer than anybody looks for a lost answer. */
const MEMORY_MS = 7 * 24 * 60 * 60_000;

/**
 * To be called once at start-up: what nodes that are gone left half done and nobody goes on with is marked for what it is, and never done
 * again. Their generations are no business of this: those go on (`Backend.tick`).
 */
export async function recoverLostWork(ports: Pick<BackendPorts, "db" | "clock" | "log">): Promise<void> {
  const now = ports.clock.now();
  const unknown = await markLostEffects(ports.db, now);
  await interruptLostRequests(ports.db);
  await forgetLostClients(ports.db);
  const old = new Date(now - MEMORY_MS);
  await forgetRequestsBefore(ports.db, old);
  await forgetConfirmationsBefore(ports.db, old);
  if (unknown > 0) ports.log("warn", "effects_unknown", { count: unknown });
}

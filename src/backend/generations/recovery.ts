import type { BackendPorts } from "../ports.ts";
import { forgetLostClients } from "../store/clients.ts";
import { forgetConfirmationsBefore } from "../store/confirmations.ts";
import { markLostEffects } from "../store/effects.ts";
import { forgetLostFollowers } from "../store/followers.ts";
import { forgetRequestsBefore, interruptLostRequests } from "../store/requests.ts";

/** How long answered requests and expired confirmations are kept, in ms: longer than anybody looks for a lost answer. */
const MEMORY_MS = 7 * 24 * 60 * 60_000;

type Ports = Pick<BackendPorts, "db" | "clock" | "log" | "observe">;

/** To be called once at start-up: {@link markLostWork}, and what nobody looks up any more is forgotten. */
export async function recoverLostWork(ports: Ports): Promise<void> {
  await markLostWork(ports);
  const old = new Date(ports.clock.now() - MEMORY_MS);
  await forgetRequestsBefore(ports.db, old);
  await forgetConfirmationsBefore(ports.db, old);
}

/**
 * What nodes that are gone left half done and nobody goes on with is marked for what it is, and never done again. Their generations are no
 * business of this: those go on (`Backend.tick`).
 */
export async function markLostWork({ db, clock, log, observe }: Ports): Promise<void> {
  const unknown = await markLostEffects(db, clock.now());
  await interruptLostRequests(db);
  await forgetLostClients(db, clock.now());
  await forgetLostFollowers(db);
  if (unknown > 0) observe?.count("kay_effects_total", { state: "unknown" }, unknown);
  if (unknown > 0) log("warn", "effects_unknown", { count: unknown });
}

import { join } from "node:path";
import { stopEmbedded } from "#client/embedded/embedded";
import { TOUR } from "#protocol/embedded";
import type { CliPorts } from "../ports.ts";
import type { BackendHandle } from "./handle.ts";
import { type HandlePorts, openBackend, resolveEmbeddedTarget } from "./open.ts";

/**
 * Starts the tour's backend. It has only sandbox services, whatever OAuth clients are configured, and its own folder,
 * database and sign-in.
 */
export async function openTour(
  ports: HandlePorts,
  spawn: CliPorts["spawnBackend"],
): Promise<{ link: BackendHandle; close(): Promise<void> }> {
  const getTourPorts = () => {
    const embedded = ports.getEmbeddedPorts();
    const folder = join(embedded.folder, TOUR);
    return { ...embedded, folder, spawn: (log: string) => spawn(log, TOUR, { sandbox: true }) };
  };
  const tour = { ...ports, getEmbeddedPorts: getTourPorts };
  const link = await openBackend(tour, resolveEmbeddedTarget(tour, TOUR), { stored: true });
  return { link, close: async () => void (await stopEmbedded(getTourPorts())) };
}

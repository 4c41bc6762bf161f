import type { BackendPorts } from "../ports.ts";
import { isFollowedElsewhere } from "../store/clients.ts";
import { wasAttendedSince } from "../store/events.ts";
import { listOpenGenerations } from "../store/generations.ts";
import { recordStreamOutcome } from "./reports.ts";

type Departure = {
  conversationId: string;
  /** Number of the last event that the last reader had. By events, because the clocks of two nodes differ. */
  after: number;
  stop(id: string, reason: string): Promise<void>;
  /** Whether a client follows here again, or this node ends. */
  isOver(): boolean;
};

/** Stops what has no reader at this moment, after a while. A later question or answer has its own reader. */
export async function leaveConversation(ports: BackendPorts, departure: Departure): Promise<void> {
  const { conversationId, isOver } = departure;
  const rows = (await listOpenGenerations(ports.db, conversationId)).filter(
    (row) => row.request.mode === "stream" && (row.status === "running" || row.status === "paused"),
  );
  if (rows.length === 0 || isOver()) return;
  const ids = new Set(rows.map(({ id }) => id));
  setTimeout(() => void stopUnattended(ports, departure, ids).catch(() => {}), ports.leaveMs).unref();
}

async function stopUnattended(
  ports: BackendPorts,
  { conversationId, after, stop, isOver }: Departure,
  ids: Set<string>,
): Promise<void> {
  if (isOver()) return;
  if (await isFollowedElsewhere(ports.db, conversationId, await ports.node.number())) return;
  for (const row of await listOpenGenerations(ports.db, conversationId)) {
    if (!ids.has(row.id) || row.status !== "running" || row.detached) continue;
    if (await wasAttendedSince(ports.db, row.id, after)) continue;
    // A remote agent server continues and reports the result.
    if (row.progress.remote?.direct) await recordStreamOutcome(ports, row.id, { outcome: "broken" });
    else await stop(row.id, "The caller has disconnected.");
  }
}

import type { AskRequest } from "#protocol/ask";
import type { BackendPorts } from "../ports.ts";
import { listClients, putClient, removeClient } from "../store/clients.ts";
import { appendEvents } from "../store/events.ts";

/**
 * Note that a client follows a conversation, for as long as its stream is open. One that does not say who it is, is not shown.
 *
 * @returns to be called when its stream ends
 */
export async function attach(
  ports: BackendPorts,
  conversationId: string,
  client: AskRequest["client"],
): Promise<() => void> {
  if (client === undefined) return () => {};
  const place = { conversationId, clientId: client.id };
  const { name, interaction = { supported: true, enabled: true } } = client;
  const node = await ports.node.number();
  await putClient(ports.db, place, { name, interaction }, { node, now: ports.clock.now() });
  await tellPresence(ports, conversationId);
  return () => {
    removeClient(ports.db, place, node)
      .then(() => tellPresence(ports, conversationId))
      .catch((error: unknown) => ports.log("warn", "presence.failed", { error }));
  };
}

/** Tell everybody who follows a conversation who they are. */
export async function tellPresence(
  { db, clock }: Pick<BackendPorts, "db" | "clock">,
  conversationId: string,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const clients = await listClients(tx, conversationId);
    await appendEvents(
      tx,
      conversationId,
      [{ generationId: null, part: { type: "data-presence", data: { clients } } }],
      clock.now(),
    );
  });
}
